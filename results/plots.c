/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a gnuplot script a plot, data included, and has it drawn. */
#include "results/plots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "results/assets.h"
#include "results/figures.h"
#include "results/gnuplot.h"
#include "results/plots_parts.h"
#include "results/stale_view.h"
#include "results/text.h"

struct drawing {
	struct view *v;
	const struct plot *plot;
	const struct view_group *g;
	const char *profiler;
	FILE *gp, *alt;
	size_t rows; /* written so far */
};

/* A word inside gnuplot's quotes: a backquote would start a shell, a quote end the word. */
static void put_word(FILE *f, const char *s)
{
	size_t len = 0;

	for (uint32_t c; (c = utf8_next(&s)) && len < 22; len++) {
		if (c < 0x80 && strchr("`\"'\\$\n\r\t", (int)c))
			c = '_';
		if (c < 0x20 || c >= 0x7f)
			c = '_';
		putc((int)c, f);
	}
}

void plot_label(FILE *f, const struct view_row *row)
{
	put_word(f, view_label(row));
	if (row->live)
		fputs(" live", f);
}

/* Okabe and Ito's palette, told apart with any colour vision; shape says it a second time. */
void plot_style(const struct view_row *row, int *ret_type, unsigned *ret)
{
	static const struct {
		int type;
		unsigned colour;
	} floors[] = {{8, 0xd55e00}, {10, 0xe69f00}, {12, 0xb8860b}, {4, 0xd55e00},
		      {1, 0xe69f00}, {14, 0xb8860b}, {3, 0xd55e00}};
	static const unsigned colours[] = {0x0072b2, 0x009e73, 0xcc79a7, 0x56b4e9};
	static const int types[] = {7, 5, 9, 13};
	enum { CNT = sizeof(types) / sizeof(types[0]) };
	size_t at = row->order;

	if (row->rank == RANK_CEILING || row->rank == RANK_LIAR) {
		*ret_type = row->rank == RANK_CEILING ? 6 : 2;
		*ret = 0x6a6e75;
	} else if (row->rank == RANK_FLOOR) {
		at %= sizeof(floors) / sizeof(floors[0]);
		*ret_type = floors[at].type;
		*ret = floors[at].colour;
	} else {
		/* once all colours are taken each comes again with another shape */
		*ret_type = types[(at + at / CNT) % CNT] - (row->live ? 1 : 0);
		*ret = colours[at % CNT];
	}
}

/* ---- precision and recall ---- */

struct point {
	struct span precision, recall;
};

static bool point_of(struct view *v, const struct view_row *row, struct point *ret)
{
	ret->precision = view_span(v, row, "handoff.context.precision", "declared");
	ret->recall = view_span(v, row, "handoff.context.recall", "declared");
	return ret->precision.has && ret->recall.has;
}

static double middle(const struct span *s)
{
	return (s->min + s->max) / 2;
}

static void say_point(FILE *alt, const struct view_row *row, const struct point *p, size_t before)
{
	char a[NUMBER_LEN], b[NUMBER_LEN];

	fprintf(alt, "%s%s%s: precision %s, recall %s", before ? "; " : " ", view_label(row),
		row->live ? " live" : "", number_ratio(a, middle(&p->precision)),
		number_ratio(b, middle(&p->recall)));
}

static size_t write_points(struct drawing *d)
{
	size_t n = 0;

	fputs("$D << EOD\n", d->gp);
	fprintf(d->alt, "Precision against recall on %s.", d->g->workload);
	for (size_t i = 0; i < d->g->row_cnt; i++) {
		const struct view_row *row = &d->g->rows[i];
		struct point p;

		if (!point_of(d->v, row, &p))
			continue;
		fprintf(d->gp, "%.6f %.6f %.6f %.6f %.6f %.6f\n", middle(&p.recall), p.recall.min,
			p.recall.max, middle(&p.precision), p.precision.min, p.precision.max);
		say_point(d->alt, row, &p, n++);
	}
	fputs("EOD\n", d->gp);
	return n;
}

static void write_precision_recall(struct drawing *d)
{
	size_t at = 0;

	d->rows = write_points(d);
	fprintf(d->gp,
		"N = %zu\narray Name[N]\narray Type[N]\narray Size[N]\n"
		"array Colour[N]\n",
		d->rows);
	for (size_t i = 0; i < d->g->row_cnt; i++) {
		struct point p;
		unsigned colour;
		int type;

		if (!point_of(d->v, &d->g->rows[i], &p))
			continue;
		plot_style(&d->g->rows[i], &type, &colour);
		at++;
		/* The ceiling is a ring around whoever reaches it. */
		fprintf(d->gp,
			"Type[%zu] = %d\nSize[%zu] = %s\nColour[%zu] = 0x%06x\nName[%zu] = \"", at,
			type, at, d->g->rows[i].rank == RANK_CEILING ? "1.9" : "1.15", at, colour,
			at);
		plot_label(d->gp, &d->g->rows[i]);
		fputs("\"\n", d->gp);
	}
}

/* ---- what became of the claims ---- */

enum { OUTCOME_CNT = 6 };

static bool outcomes_of(struct view *v, const struct view_row *row, double ret[OUTCOME_CNT])
{
	static const char *const names[OUTCOME_CNT] = {"right", "duplicate", "false_join",
						       "half",	"spurious",  "orphan"};
	char metric[METRIC_LEN];
	double sum = 0;

	for (size_t i = 0; i < OUTCOME_CNT; i++) {
		ret[i] = 0;
		view_sum(v, row, handoff_metric(metric, "context", names[i]), "declared", &ret[i]);
		sum += ret[i];
	}
	return sum > 0;
}

static void write_outcomes(struct drawing *d)
{
	double c[OUTCOME_CNT];

	fputs("$D << EOD\n", d->gp);
	fprintf(d->alt, "What became of the claims on %s.", d->g->workload);
	for (size_t i = 0; i < d->g->row_cnt; i++) {
		const struct view_row *row = &d->g->rows[i];

		if (!outcomes_of(d->v, row, c))
			continue;
		fprintf(d->gp, "%zu \"", ++d->rows);
		plot_label(d->gp, row);
		fprintf(d->gp, "\" %.0f %.0f %.0f %.0f %.0f %.0f\n", c[0], c[1], c[2], c[3], c[4],
			c[5]);
		fprintf(d->alt,
			"%s%s%s: %.0f right, %.0f duplicate, %.0f false joins, %.0f half, %.0f "
			"spurious, %.0f orphans",
			d->rows > 1 ? "; " : " ", view_label(row), row->live ? " live" : "", c[0],
			c[1], c[2], c[3], c[4], c[5]);
	}
	fprintf(d->gp, "EOD\nN = %zu\n", d->rows);
}

/* ---- reliability ---- */

struct bin {
	const struct view_summary *forecast, *observed;
};

static bool bin_of(const struct view *v, const char *profiler, unsigned i, struct bin *ret)
{
	char scope[16];

	snprintf(scope, sizeof(scope), "bin:%02u", i);
	ret->forecast = view_summary(v, "stamped", profiler, "quads.p_stale.forecast", scope);
	ret->observed = view_summary(v, "stamped", profiler, "quads.p_stale.observed", scope);
	return ret->forecast && ret->observed;
}

/* Who never forecasts anything else than the start has no diagram. */
static bool says_more_than_one(const struct view *v, const char *profiler)
{
	struct bin first, b;

	if (!bin_of(v, profiler, 1, &first))
		return false;
	for (unsigned i = 2; bin_of(v, profiler, i, &b); i++)
		if (b.forecast->value > first.forecast->value + 1e-9)
			return true;
	return false;
}

static void write_reliability(struct drawing *d)
{
	char x[NUMBER_LEN], y[NUMBER_LEN];
	struct bin b;

	fputs("$D << EOD\n", d->gp);
	fprintf(d->alt, "What %s forecast against what came true.", d->profiler);
	for (unsigned i = 1;
	     says_more_than_one(d->v, d->profiler) && bin_of(d->v, d->profiler, i, &b); i++) {
		fprintf(d->gp, "%.6f %.6f %.6f %.6f\n", b.forecast->value, b.observed->value,
			b.observed->lo, b.observed->hi);
		fprintf(d->alt, "%s%s: %s", d->rows++ ? "; " : " ",
			number_ratio(x, b.forecast->value), number_ratio(y, b.observed->value));
	}
	fputs("EOD\n", d->gp);
}

/* ---- accuracy against cost ---- */

static void write_frontier(struct drawing *d)
{
	d->rows = plot_frontier(d->plot->rows, d->plot->row_cnt, d->gp, d->alt);
}

/* ---- all plots ---- */

static const struct {
	const char *name, *script;
	void (*write)(struct drawing *d);
} kinds[PLOT_KIND_CNT] = {
	{"precision-recall", asset_precision_recall_gp, write_precision_recall},
	{"outcomes", asset_outcomes_gp, write_outcomes},
	{"reliability", asset_reliability_gp, write_reliability},
	{"frontier", asset_frontier_gp, write_frontier},
};

/* A file name that says what it shows; the plot's number where words had to be bent. */
static char *name_of(const struct plot *plot, size_t number)
{
	const struct view_group *g = plot->group;
	const enum plot_kind kind = plot->kind;
	const char *rest = plot->division ? plot->division : "";
	const char *words[] = {g		? g->workload
			       : plot->workload ? plot->workload
						: plot->profiler,
			       g ? view_unusual(g->variant) : rest,
			       g ? view_unusual(g->regime) : "", g ? view_unusual(g->binding) : ""};
	char name[160];
	size_t at = (size_t)snprintf(name, sizeof(name), "%s", kinds[kind].name);
	bool bent = false;
	char *ret;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (const char *s = words[i]; *s && at < 120; s++) {
			bool plain = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9');

			if (s == words[i])
				name[at++] = '.';
			name[at++] = plain ? *s : '-';
			bent |= !plain;
		}
	}
	name[at] = '\0';
	if (!bent && at < 120)
		return strdup(name);
	return asprintf(&ret, "%s-%zu", name, number + 1) < 0 ? NULL : ret;
}

static int write_script(struct drawing *w, const char *path, const char *name, enum plot_kind kind,
			struct diag *d)
{
	struct file_out file;
	int err = file_out_open(&file, path, d);

	if (err)
		return err;
	w->gp = file.f;
	fprintf(w->gp, "# Drawn by: gnuplot %s.gp\nset output \"%s.svg\"\n", name, name);
	kinds[kind].write(w);
	fputs(kinds[kind].script, w->gp);
	return file_out_commit(&file, d);
}

/* Draws one plot. 1: drawn, 0: nothing to draw or trouble noted, negative: error. */
static int draw(struct plots *p, struct plot *plot, struct view *v, const char *dir, struct diag *d)
{
	struct drawing w = {.v = v, .plot = plot, .g = plot->group, .profiler = plot->profiler};
	char path[4096];
	size_t len;
	int err;

	plot->name = name_of(plot, p->cnt);
	w.alt = open_memstream(&plot->alt, &len);
	if (!plot->name || !w.alt)
		return diag_set(d, -ENOMEM, dir, 0, NULL, "out of memory");
	snprintf(path, sizeof(path), "%s/%s.gp", dir, plot->name);
	err = write_script(&w, path, plot->name, plot->kind, d);
	if (fclose(w.alt) && !err)
		err = diag_set(d, -ENOMEM, dir, 0, NULL, "out of memory");
	if (err)
		return err;
	if (!w.rows) {
		unlink(path);
		return 0;
	}
	return gnuplot_run(dir, plot->name, p->trouble, sizeof(p->trouble)) ? 0 : 1;
}

static void drop(struct plot *plot)
{
	free(plot->name);
	free(plot->alt);
	memset(plot, 0, sizeof(*plot));
}

/* Draws one more, in the room that is there; 1: go on, 0: trouble was noted, negative: error. */
static int draw_next(struct plots *p, const struct plot *what, struct view *v, const char *dir,
		     struct diag *d)
{
	struct plot *plot = &p->v[p->cnt];
	int drawn;

	*plot = *what;
	drawn = draw(p, plot, v, dir, d);
	if (drawn > 0)
		p->cnt++;
	else
		drop(plot);
	if (drawn < 0)
		return drawn;
	return !p->trouble[0];
}

/* Divisions apart: who may touch the binary has it easier. */
static int draw_frontiers(struct view *v, const struct cost_view *x, struct plots *p,
			  const char *dir, struct diag *d)
{
	int more = 1;

	for (size_t i = 0, n; more > 0 && i < x->cnt; i += n) {
		struct plot what = {.workload = x->rows[i].cell->workload,
				    .division = x->rows[i].as.division,
				    .rows = &x->rows[i],
				    .kind = PLOT_FRONTIER};

		n = what.row_cnt = cost_view_division(x, i);
		more = draw_next(p, &what, v, dir, d);
	}
	return more;
}

static int draw_all(struct view *v, const struct stale_view *x, const struct cost_view *costs,
		    struct plots *p, const char *dir, struct diag *d)
{
	int more = 1;

	for (size_t i = 0; more > 0 && i < v->group_cnt * GROUP_PLOT_CNT; i++) {
		struct plot what = {.group = &v->groups[i / GROUP_PLOT_CNT],
				    .kind = (enum plot_kind)(i % GROUP_PLOT_CNT)};

		if (view_is_plain(what.group) && view_has_handoffs(v, what.group))
			more = draw_next(p, &what, v, dir, d);
	}
	for (size_t i = 0; more > 0 && i < x->contestant_cnt; i++) {
		struct plot what = {.profiler = x->contestants[i], .kind = PLOT_RELIABILITY};

		more = draw_next(p, &what, v, dir, d);
	}
	if (more > 0)
		more = draw_frontiers(v, costs, p, dir, d);
	return more < 0 ? more : 0;
}

int plots_draw(struct view *v, struct plots *ret, struct diag *d)
{
	struct plots p = {0};
	struct stale_view x;
	struct cost_view costs = {0};
	char dir[3900];
	int err;

	snprintf(dir, sizeof(dir), "%s/plots", v->run->path);
	err = dir_make(dir, d);
	if (err)
		return err;
	if (stale_view_make(v, &x))
		return diag_set(d, -ENOMEM, dir, 0, NULL, "out of memory");
	if (!cost_view_make(v, &costs))
		p.v = calloc(v->group_cnt * GROUP_PLOT_CNT + x.contestant_cnt + costs.cnt + 1,
			     sizeof(*p.v));
	if (p.v)
		err = draw_all(v, &x, &costs, &p, dir, d);
	else
		err = diag_set(d, -ENOMEM, dir, 0, NULL, "out of memory");
	stale_view_free(&x);
	cost_view_free(&costs);
	for (size_t i = 0; i < p.cnt; i++)
		p.v[i].rows = NULL; /* they are gone */
	if (err)
		plots_free(&p);
	else
		*ret = p;
	return err;
}

void plots_free(struct plots *p)
{
	for (size_t i = 0; i < p->cnt; i++)
		drop(&p->v[i]);
	free(p->v);
	memset(p, 0, sizeof(*p));
}

const struct plot *plots_find(const struct plots *p, const struct view_group *g, enum plot_kind k)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (p->v[i].group == g && p->v[i].kind == k)
			return &p->v[i];
	return NULL;
}
