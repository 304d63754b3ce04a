/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads two sides, pairs them, tests the differences. */
#include "harness/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/folder.h"
#include "harness/plan.h"
#include "harness/run.h"
#include "results/run_quads.h"
#include "results/scores_csv.h"
#include "scoring/statistics.h"

/* ---- reading a side ---- */

struct reading {
	const struct compare_metric *metrics;
	size_t cnt;
	const struct plan *plan;
	struct compare_side *side;
	char others[256]; /* profilers of the run that were met */
	struct diag *d;
};

void compare_side_free(struct compare_side *s)
{
	for (size_t i = 0; i < s->cnt; i++) {
		free(s->v[i].key);
		free(s->v[i].row);
	}
	free(s->v);
	*s = (struct compare_side){0};
}

static int no_memory(struct diag *d)
{
	return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
}

static const char *last_part(const char *profiler)
{
	const char *slash = strrchr(profiler, '/');

	return slash ? slash + 1 : profiler;
}

/* What does not go without saying in a row's name. */
static bool unusual(const char *word)
{
	return *word && strcmp(word, "clean") && strcmp(word, "stamped") && strcmp(word, "-");
}

static bool is_wanted(const struct reading *r, const struct figure_row *row, size_t *ret)
{
	for (size_t i = 0; i < r->cnt; i++)
		if (!strcmp(row->metric, r->metrics[i].metric) &&
		    !strcmp(row->scope, r->metrics[i].scope)) {
			*ret = i;
			return true;
		}
	return false;
}

static int make_room(struct compare_side *s)
{
	size_t room = s->room ? 2 * s->room : 256;
	struct compare_figure *v;

	if (s->cnt < s->room)
		return 0;
	v = reallocarray(s->v, room, sizeof(*v));
	if (!v)
		return -ENOMEM;
	s->v = v;
	s->room = room;
	return 0;
}

/* "pool", "mutants strict", "twins causal": NULL where memory fails. */
static char *row_name(const struct figure_row *row, const char *profiler)
{
	const char *form = "", *words[] = {row->regime, row->binding, profiler};
	bool quad = run_variant_split(row->variant, &form) > 0;
	char *name = NULL;
	size_t len;
	FILE *out = open_memstream(&name, &len);

	if (!out)
		return NULL;
	fprintf(out, "%s%s", quad ? form : row->workload, quad ? "s" : "");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (unusual(words[i]))
			fprintf(out, " %s", words[i]);
	if (fclose(out)) {
		free(name);
		return NULL;
	}
	return name;
}

/* profiler: "" where it is the side's own, and so goes without saying. */
static int keep(struct reading *r, const struct figure_row *row, const char *profiler,
		size_t metric)
{
	struct compare_side *s = r->side;
	struct compare_figure f = {.seed = row->seed, .value = row->value, .metric = metric};
	const char *form;

	if (make_room(s))
		return no_memory(r->d);
	f.of_quad = run_variant_split(row->variant, &form) > 0;
	f.row = row_name(row, profiler);
	if (!f.row || asprintf(&f.key, "%s\t%s\t%s\t%s\t%s", row->workload, row->variant,
			       row->regime, row->binding, profiler) < 0) {
		free(f.row);
		return no_memory(r->d);
	}
	s->v[s->cnt++] = f;
	return 0;
}

/* For who asked for one that is not there. */
static void note_other(struct reading *r, const char *profiler)
{
	size_t len = strlen(r->others), more = strlen(profiler);
	const char *at = r->others;

	while ((at = strstr(at, profiler))) {
		if ((at == r->others || at[-1] == ' ') && (at[more] == ',' || !at[more]))
			return;
		at += more;
	}
	if (len + more + 3 < sizeof(r->others))
		snprintf(r->others + len, sizeof(r->others) - len, "%s%s", len ? ", " : "",
			 profiler);
}

/* Twins have no stale resource, so no detection rate: 0/0 has no value and pairs with nothing. */
static int each_row(const struct figure_row *row, void *arg)
{
	struct reading *r = arg;
	const struct cell *c;
	char profiler[256];
	size_t metric;

	if (!row->has_value || !is_wanted(r, row, &metric) || !strcmp(row->status, "unsupported") ||
	    !strcmp(row->status, "broken"))
		return 0;
	c = plan_find(r->plan, row->cell);
	if (!c || c->kind == KIND_TRUTH || c->kind == KIND_OVERHEAD)
		return 0; /* over cells, not of one; or nobody's */
	snprintf(profiler, sizeof(profiler), "%.240s%s", last_part(row->profiler),
		 c->kind == KIND_LIVE ? " live" : "");
	if (r->side->profiler[0] && strcmp(profiler, r->side->profiler)) {
		note_other(r, profiler);
		return 0;
	}
	return keep(r, row, r->side->profiler[0] ? "" : profiler, metric);
}

static int read_run(const char *run, struct reading *r)
{
	char path[PATH_LEN];
	struct plan plan;
	int rc = path_format(path, r->d, "%s/plan.tsv", run);

	if (!rc)
		rc = plan_load(path, &plan, r->d);
	if (rc)
		return rc;
	r->plan = &plan;
	rc = path_format(path, r->d, "%s/scores.csv", run);
	if (!rc)
		rc = scores_csv_read(path, each_row, r, r->d);
	plan_free(&plan);
	return rc;
}

static int compare_figures(const void *pa, const void *pb)
{
	const struct compare_figure *a = pa, *b = pb;
	int order = (a->metric > b->metric) - (a->metric < b->metric);

	if (!order)
		order = strcmp(a->row, b->row);
	if (!order)
		order = strcmp(a->key, b->key);
	return order ? order : (a->seed > b->seed) - (a->seed < b->seed);
}

static bool same_key(const struct compare_figure *a, const struct compare_figure *b)
{
	return a->metric == b->metric && !strcmp(a->key, b->key);
}

/* Seeds of one quad are one observation: their mean. */
static void fold_quads(struct compare_side *s)
{
	size_t kept = 0;

	for (size_t i = 0, n; i < s->cnt; i += n) {
		struct compare_figure f = s->v[i];
		bool quad = f.of_quad;
		double sum = 0;

		for (n = 0; i + n < s->cnt && (!n || (quad && same_key(&f, &s->v[i + n]))); n++) {
			sum += s->v[i + n].value;
			if (n) {
				free(s->v[i + n].key);
				free(s->v[i + n].row);
			}
		}
		if (quad)
			f.seed = 0;
		f.value = sum / (double)n;
		s->v[kept++] = f;
	}
	s->cnt = kept;
}

int compare_load(const char *word, const struct compare_metric *metrics, size_t cnt,
		 struct compare_side *ret, struct diag *d)
{
	struct compare_side s = {.profiler = ""};
	struct reading r = {.metrics = metrics, .cnt = cnt, .side = &s, .others = "", .d = d};
	const char *colon = strrchr(word, ':');
	char run[PATH_LEN], name[PATH_LEN];
	int rc = path_format(name, d, "%.*s", (int)(colon ? colon - word : (long)strlen(word)),
			     word);

	if (colon)
		snprintf(s.profiler, sizeof(s.profiler), "%s", colon + 1);
	if (!rc)
		rc = run_find(name, run, d);
	if (!rc)
		rc = read_run(run, &r);
	if (!rc && !s.cnt && r.others[0])
		rc = diag_set(d, -ENOENT, word, 0, "'RUN:NAME', quoted where it has a blank",
			      "the run has no %.64s/%.64s of \"%.64s\", but of %s",
			      metrics[0].metric, metrics[0].scope, s.profiler, r.others);
	else if (!rc && !s.cnt)
		rc = diag_set(d, -ENOENT, word, 0,
			      "metric/scope as in columns 10 and 11 of its scores.csv",
			      "there is no figure %.64s/%.64s in the run", metrics[0].metric,
			      metrics[0].scope);
	if (rc) {
		compare_side_free(&s);
		return rc;
	}
	qsort(s.v, s.cnt, sizeof(*s.v), compare_figures);
	fold_quads(&s);
	*ret = s;
	return 0;
}

/* ---- comparing ---- */

/* Values of one comparison that both sides have. */
struct pairs {
	double *a, *b;
	size_t cnt;
};

static const struct compare_figure *find(const struct compare_side *s,
					 const struct compare_figure *like)
{
	return bsearch(like, s->v, s->cnt, sizeof(*s->v), compare_figures);
}

/* v[from … to) of a are of one row and metric. */
static int pair_up(const struct compare_side *a, size_t from, size_t to,
		   const struct compare_side *b, struct pairs *ret)
{
	struct pairs p = {.a = calloc(to - from + 1, sizeof(*p.a)),
			  .b = calloc(to - from + 1, sizeof(*p.b))};

	if (!p.a || !p.b) {
		free(p.a);
		free(p.b);
		return -ENOMEM;
	}
	for (size_t i = from; i < to; i++) {
		const struct compare_figure *other = find(b, &a->v[i]);

		if (!other)
			continue;
		p.a[p.cnt] = a->v[i].value;
		p.b[p.cnt++] = other->value;
	}
	*ret = p;
	return 0;
}

static void pairs_free(struct pairs *p)
{
	free(p->a);
	free(p->b);
}

static void describe(const struct pairs *p, struct comparison *c)
{
	c->pairs = p->cnt;
	c->a_lo = c->a_hi = p->a[0];
	c->b_lo = c->b_hi = p->b[0];
	for (size_t i = 0; i < p->cnt; i++) {
		c->a += p->a[i] / (double)p->cnt;
		c->b += p->b[i] / (double)p->cnt;
		c->a_lo = fmin(c->a_lo, p->a[i]);
		c->a_hi = fmax(c->a_hi, p->a[i]);
		c->b_lo = fmin(c->b_lo, p->b[i]);
		c->b_hi = fmax(c->b_hi, p->b[i]);
	}
}

static bool mean_difference(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	const struct pairs *p = arg;
	double sum = 0;

	for (size_t i = 0; i < cnt; i++)
		sum += p->b[draws[i]] - p->a[draws[i]];
	*ret = sum / (double)cnt;
	return true;
}

static int noise_of(struct pairs *p, struct comparison *c)
{
	struct boot_options o = {.levels = 1, .rounds = 2000, .seed = 1, .level = 0.95};
	struct boot_unit *units = calloc(p->cnt + 1, sizeof(*units));
	struct interval r;
	int rc = units ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < p->cnt; i++)
		units[i] = (struct boot_unit){.of = {i}, .index = i};
	if (!rc)
		rc = boot_interval(units, p->cnt, &o, mean_difference, p, &r);
	free(units);
	if (rc)
		return rc;
	c->has_noise = true;
	c->noise = fmax(fabs(r.lo), fabs(r.hi));
	return 0;
}

static int test(const struct pairs *p, struct comparison *c)
{
	double *difference = calloc(p->cnt, sizeof(*difference));
	int rc = difference ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < p->cnt; i++)
		difference[i] = p->b[i] - p->a[i];
	if (!rc)
		rc = paired_permutation(difference, p->cnt, &c->p);
	free(difference);
	c->has_p = !rc;
	c->too_many = rc == -E2BIG;
	return c->too_many ? 0 : rc;
}

static int add(struct comparisons *all, const struct compare_side *a, size_t from, size_t to,
	       const struct compare_side *b, const struct compare_side *noise)
{
	struct comparison *v = reallocarray(all->v, all->cnt + 1, sizeof(*v)), c = {0};
	struct pairs p = {0}, aa = {0};
	int rc = v ? pair_up(a, from, to, b, &p) : -ENOMEM;

	if (v)
		all->v = v;
	if (rc || !p.cnt) {
		pairs_free(&p);
		return rc;
	}
	describe(&p, &c);
	c.metric = a->v[from].metric;
	c.wants_noise = noise != NULL;
	if (p.cnt >= PAIRS_MIN)
		rc = test(&p, &c);
	if (!rc && noise)
		rc = pair_up(a, from, to, noise, &aa);
	if (!rc && aa.cnt >= PAIRS_MIN)
		rc = noise_of(&aa, &c);
	c.row = rc ? NULL : strdup(a->v[from].row);
	if (c.row)
		all->v[all->cnt++] = c;
	pairs_free(&p);
	pairs_free(&aa);
	return rc ? rc : c.row ? 0 : -ENOMEM;
}

static int adjust(struct comparisons *c)
{
	double *p = calloc(c->cnt + 1, sizeof(*p));
	size_t n = 0;
	int rc = p ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < c->cnt; i++)
		if (c->v[i].has_p)
			p[n++] = c->v[i].p;
	if (!rc)
		rc = holm(p, n);
	n = 0;
	for (size_t i = 0; !rc && i < c->cnt; i++)
		if (c->v[i].has_p)
			c->v[i].holm = p[n++];
	free(p);
	return rc;
}

int compare_sides(const struct compare_side *a, const struct compare_side *b,
		  const struct compare_side *noise, struct comparisons *ret, struct diag *d)
{
	struct comparisons c = {0};
	int rc = 0;

	for (size_t i = 0, end; !rc && i < a->cnt; i = end) {
		for (end = i + 1; end < a->cnt; end++)
			if (a->v[end].metric != a->v[i].metric ||
			    strcmp(a->v[end].row, a->v[i].row))
				break;
		rc = add(&c, a, i, end, b, noise);
	}
	if (!rc)
		rc = adjust(&c);
	if (rc) {
		comparisons_free(&c);
		return no_memory(d);
	}
	*ret = c;
	return 0;
}

void comparisons_free(struct comparisons *c)
{
	for (size_t i = 0; i < c->cnt; i++)
		free(c->v[i].row);
	free(c->v);
	*c = (struct comparisons){0};
}

bool comparison_differs(const struct comparison *c)
{
	if (!c->has_p || c->holm > COMPARE_ALPHA)
		return false;
	return !c->wants_noise || (c->has_noise && fabs(c->b - c->a) > c->noise);
}
