/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of a run, found by row, metric and scope. */
#include "results/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strtab.h"
#include "results/figures.h"
#include "results/scores_csv.h"
#include "results/view_groups.h"

const char *view_label(const struct view_row *row)
{
	const char *slash = strrchr(row->profiler, '/');

	return slash ? slash + 1 : row->profiler;
}

const char *view_unusual(const char *word)
{
	static const char *const usual[] = {"base", "clean", "stamped", "-"};

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (!strcmp(word, usual[i]))
			return "";
	return word;
}

/* By cell (in the plan's order), metric, scope. */
static int compare_figures(const void *a, const void *b)
{
	const struct view_figure *x = a, *y = b;
	int order = (x->cell > y->cell) - (x->cell < y->cell);

	if (!order)
		order = strcmp(x->metric, y->metric);
	return order ? order : strcmp(x->scope, y->scope);
}

struct loading {
	struct view *v;
	const struct run_cell **by_name;
	size_t cap;
	size_t states;	 /* cells whose end it tells */
	const char *run; /* of the first line: all must agree */
	const char *path;
	struct diag *d;
};

static int compare_names(const void *a, const void *b)
{
	const struct run_cell *x = *(const struct run_cell *const *)a;
	const struct run_cell *y = *(const struct run_cell *const *)b;

	return strcmp(x->cell, y->cell);
}

static const struct run_cell *find_cell(const struct loading *l, const char *name)
{
	struct run_cell want = {.cell = name};
	const struct run_cell *key = &want, **found;

	found = bsearch(&key, l->by_name, l->v->run->cell_cnt, sizeof(*l->by_name), compare_names);
	return found ? *found : NULL;
}

const char *view_keep(struct view *v, const char *s)
{
	int64_t id = strtab_intern(v->words, s, strlen(s));

	return id < 0 ? NULL : strtab_get(v->words, (uint32_t)id);
}

static int no_memory(const struct loading *l)
{
	return diag_set(l->d, -ENOMEM, l->path, 0, NULL, "out of memory");
}

/* scores.csv repeats how each cell ended: written before a cell was made again, it would lie. */
static int check_state(const struct figure_row *row, const struct run_cell *c, struct loading *l)
{
	l->states += !strcmp(row->metric, METRIC_SCORED);
	if (!strcmp(row->status, cell_state_name(c->state)))
		return 0;
	return diag_set(l->d, -EINVAL, l->path, 0, "score the run again with `assay score`",
			"says \"%.20s\" of cell %.100s, which ended as %s", row->status, row->cell,
			cell_state_name(c->state));
}

static int add_figure(const struct figure_row *row, void *arg)
{
	struct loading *l = arg;
	struct view *v = l->v;
	struct view_figure *f;

	if (!strcmp(row->cell, "-"))
		return view_add_summary(v, row) ? no_memory(l) : 0;
	if (v->figure_cnt == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 1024;

		f = reallocarray(v->figures, cap, sizeof(*f));
		if (!f)
			return no_memory(l);
		v->figures = f;
		l->cap = cap;
	}
	f = &v->figures[v->figure_cnt];
	*f = (struct view_figure){
		.cell = find_cell(l, row->cell),
		.metric = view_keep(v, row->metric),
		.scope = view_keep(v, row->scope),
		.status = view_keep(v, row->status),
		.has_value = row->has_value,
		.has_interval = row->has_interval,
		.value = row->value,
		.lo = row->lo,
		.hi = row->hi,
		.n = row->n,
	};
	if (!f->metric || !f->scope || !f->status)
		return no_memory(l);
	if (!l->run)
		l->run = view_keep(v, row->run);
	if (!f->cell || !l->run || strcmp(row->run, l->run))
		return diag_set(l->d, -EINVAL, l->path, 0, "score the run again with `assay score`",
				"holds figures of run \"%.60s\", cell \"%.100s\", which do not "
				"belong here",
				row->run, row->cell);
	v->figure_cnt++;
	return check_state(row, f->cell, l);
}

static int check_once(const struct loading *l)
{
	const struct view_figure *f = l->v->figures;

	for (size_t i = 1; i < l->v->figure_cnt; i++)
		if (!compare_figures(&f[i - 1], &f[i]))
			return diag_set(l->d, -EINVAL, l->path, 0,
					"score the run again with `assay score`",
					"gives %s, scope %s, of cell %s twice", f[i].metric,
					f[i].scope, f[i].cell->cell);
	return 0;
}

/* Contracts §5.8: what was planned is the sum of what is reported. */
static int check_sum(const struct loading *l)
{
	size_t planned = l->v->run->cell_cnt;

	if (l->states == planned)
		return 0;
	return diag_set(l->d, -EINVAL, l->path, 0, "score the run again with `assay score`",
			"tells how %zu of %zu planned cells ended", l->states, planned);
}

static int load_figures(struct view *v, const char *path, struct diag *d)
{
	struct loading l = {.v = v, .path = path, .d = d};
	size_t n = v->run->cell_cnt;
	int err;

	l.by_name = calloc(n + 1, sizeof(*l.by_name));
	if (!l.by_name)
		return no_memory(&l);
	for (size_t i = 0; i < n; i++)
		l.by_name[i] = &v->run->cells[i];
	qsort(l.by_name, n, sizeof(*l.by_name), compare_names);
	err = scores_csv_read(path, add_figure, &l, d);
	free(l.by_name);
	if (err)
		return err;
	if (v->figure_cnt)
		qsort(v->figures, v->figure_cnt, sizeof(*v->figures), compare_figures);
	view_sort_summaries(v);
	err = check_once(&l);
	return err ? err : check_sum(&l);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	view_free_groups(v);
	free(v->figures);
	free(v->summaries);
	run_quads_free(&v->quads);
	strtab_free(v->words);
	run_dir_free(v->run);
	free(v);
}

static int load(struct view *v, const char *run_dir, struct diag *d)
{
	char path[4096];
	int err = run_dir_load(run_dir, &v->run, d);

	if (err)
		return err;
	err = run_quads_load(run_dir, &v->quads, d);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/scores.csv", run_dir);
	err = load_figures(v, path, d);
	if (err)
		return err;
	err = view_make_groups(v);
	return err ? diag_set(d, err, run_dir, 0, NULL, "out of memory") : 0;
}

int view_load(const char *run_dir, struct view **ret, struct diag *d)
{
	struct view *v = calloc(1, sizeof(*v));
	int err;

	if (v)
		v->words = strtab_new();
	if (!v || !v->words) {
		free(v);
		return diag_set(d, -ENOMEM, run_dir, 0, NULL, "out of memory");
	}
	err = load(v, run_dir, d);
	if (err)
		view_free(v);
	else
		*ret = v;
	return err;
}

static struct view_figure *find(const struct view *v, const struct run_cell *cell,
				const char *metric, const char *scope)
{
	struct view_figure want = {.cell = cell, .metric = metric, .scope = scope};

	if (!v->figure_cnt)
		return NULL;
	return bsearch(&want, v->figures, v->figure_cnt, sizeof(want), compare_figures);
}

static void widen(struct span *s, const struct view_figure *f)
{
	s->seeds++;
	/* What could not run, and what ran against no sound truth, has not scored nought. */
	if (!f->has_value || f->cell->state == CELL_UNSUPPORTED || f->cell->state == CELL_BROKEN) {
		s->partly = true;
		return;
	}
	s->n += f->n;
	if (!s->has || f->value < s->min)
		s->min = f->value;
	if (!s->has || f->value > s->max)
		s->max = f->value;
	s->has = true;
}

struct span view_span(struct view *v, const struct view_row *row, const char *metric,
		      const char *scope)
{
	struct span s = {0};

	for (size_t i = 0; i < row->cell_cnt; i++) {
		struct view_figure *f = find(v, row->cells[i], metric, scope);

		if (!f)
			continue;
		f->shown = true;
		widen(&s, f);
	}
	view_put_interval(v, row, metric, scope, &s);
	return s;
}

bool view_sum(struct view *v, const struct view_row *row, const char *metric, const char *scope,
	      double *ret)
{
	bool has = false;
	double sum = 0;

	for (size_t i = 0; i < row->cell_cnt; i++) {
		struct view_figure *f = find(v, row->cells[i], metric, scope);

		if (!f || !f->has_value || f->cell->state == CELL_UNSUPPORTED ||
		    f->cell->state == CELL_BROKEN)
			continue;
		f->shown = true;
		sum += f->value;
		has = true;
	}
	if (has)
		*ret = sum;
	return has;
}

size_t view_first(const struct view *v, const struct run_cell *cell)
{
	size_t lo = 0, hi = v->figure_cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->figures[mid].cell < cell)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the matching scopes of one cell; out has room for them. */
static size_t cell_scopes(const struct view *v, const struct run_cell *cell, const char *metric,
			  const char *prefix, const char **out)
{
	size_t n = 0;

	for (size_t i = view_first(v, cell); i < v->figure_cnt; i++) {
		const struct view_figure *f = &v->figures[i];

		if (f->cell != cell)
			break;
		if (strcmp(f->metric, metric) || strncmp(f->scope, prefix, strlen(prefix)))
			continue;
		if (out)
			out[n] = f->scope;
		n++;
	}
	return n;
}

static size_t all_scopes(const struct view *v, const struct view_group *g, const char *metric,
			 const char *prefix, const char **out)
{
	size_t n = 0;

	for (size_t r = 0; r < g->row_cnt; r++)
		for (size_t c = 0; c < g->rows[r].cell_cnt; c++)
			n += cell_scopes(v, g->rows[r].cells[c], metric, prefix,
					 out ? out + n : NULL);
	return n;
}

int view_scopes(const struct view *v, const struct view_group *g, const char *metric,
		const char *prefix, const char ***ret, size_t *ret_cnt)
{
	size_t n = all_scopes(v, g, metric, prefix, NULL), kept = 0;
	const char **scopes = calloc(n + 1, sizeof(*scopes));

	if (!scopes)
		return -ENOMEM;
	all_scopes(v, g, metric, prefix, scopes);
	qsort(scopes, n, sizeof(*scopes), compare_words);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(scopes[kept - 1], scopes[i]))
			scopes[kept++] = scopes[i];
	*ret = scopes;
	*ret_cnt = kept;
	return 0;
}

enum cell_state view_state(const struct view_row *row, size_t *ret_cnt)
{
	size_t counts[CELL_STATE_CNT] = {0};
	enum cell_state worst = CELL_OK;

	for (size_t i = 0; i < row->cell_cnt; i++) {
		counts[row->cells[i]->state]++;
		if (row->cells[i]->state > worst)
			worst = row->cells[i]->state;
	}
	*ret_cnt = counts[worst];
	return worst;
}
