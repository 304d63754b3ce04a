/* SPDX-License-Identifier: BSD-2-Clause */
/* From a flat plan to groups of comparable rows, in the order of print. */
#include "results/view_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum rank rank_of(const struct run_cell *c)
{
	if (!strcmp(c->kind, "truth"))
		return strncmp(c->profiler, "liar", 4) ? RANK_CEILING : RANK_LIAR;
	return strcmp(c->division, "none") ? RANK_PROFILER : RANK_FLOOR;
}

static bool is_live(const struct run_cell *c)
{
	return !strcmp(c->kind, "live");
}

/* Alphabetical, but the usual case comes first. */
static int compare_usual(const char *a, const char *b, const char *usual)
{
	bool x = strcmp(a, usual) != 0, y = strcmp(b, usual) != 0;

	return x != y ? x - y : strcmp(a, b);
}

static int compare_group(const struct run_cell *x, const struct run_cell *y)
{
	int order = strcmp(x->workload, y->workload);

	if (!order)
		order = compare_usual(x->variant, y->variant, "base");
	if (!order)
		order = compare_usual(x->regime, y->regime, "clean");
	if (!order)
		order = compare_usual(x->binding, y->binding, "stamped");
	return order;
}

static int compare_row(const struct run_cell *x, const struct run_cell *y)
{
	int order = compare_group(x, y);

	if (!order)
		order = (int)rank_of(x) - (int)rank_of(y);
	if (!order)
		order = strcmp(x->division, y->division);
	if (!order)
		order = strcmp(x->profiler, y->profiler);
	return order ? order : is_live(x) - is_live(y);
}

static int compare_cells(const void *a, const void *b)
{
	const struct run_cell *x = *(const struct run_cell *const *)a;
	const struct run_cell *y = *(const struct run_cell *const *)b;
	int order = compare_row(x, y);

	if (!order)
		order = (x->seed > y->seed) - (x->seed < y->seed);
	return order ? order : (x > y) - (x < y);
}

/* How many cells, from the first on, belong to its group or row. */
static size_t run_length(const struct run_cell **cells, size_t cnt,
			 int (*compare)(const struct run_cell *, const struct run_cell *))
{
	size_t n = 1;

	while (n < cnt && !compare(cells[0], cells[n]))
		n++;
	return n;
}

static int add_row(struct view_group *g, const struct run_cell **cells, size_t cnt)
{
	struct view_row *row = &g->rows[g->row_cnt];

	row->cells = calloc(cnt, sizeof(*row->cells));
	if (!row->cells)
		return -ENOMEM;
	memcpy(row->cells, cells, cnt * sizeof(*cells));
	row->cell_cnt = cnt;
	row->profiler = cells[0]->profiler;
	row->division = cells[0]->division;
	row->rank = rank_of(cells[0]);
	row->live = is_live(cells[0]);
	g->row_cnt++;
	return 0;
}

static int add_group(struct view *v, const struct run_cell **cells, size_t cnt)
{
	struct view_group *g = &v->groups[v->group_cnt];

	g->rows = calloc(cnt, sizeof(*g->rows));
	if (!g->rows)
		return -ENOMEM;
	v->group_cnt++;
	g->workload = cells[0]->workload;
	g->variant = cells[0]->variant;
	g->regime = cells[0]->regime;
	g->binding = cells[0]->binding;
	for (size_t i = 0; i < cnt;) {
		size_t n = run_length(cells + i, cnt - i, compare_row);
		int err = add_row(g, cells + i, n);

		if (err)
			return err;
		i += n;
	}
	return 0;
}

static int compare_profilers(const void *a, const void *b)
{
	const struct view_row *x = *(struct view_row *const *)a;
	const struct view_row *y = *(struct view_row *const *)b;
	int order = (int)x->rank - (int)y->rank;

	return order ? order : strcmp(x->profiler, y->profiler);
}

/* Numbers the profilers of each rank by name, the same in every group. */
static int number_profilers(struct view *v, size_t row_cnt)
{
	struct view_row **rows = calloc(row_cnt + 1, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; r < v->groups[g].row_cnt; r++)
			rows[n++] = &v->groups[g].rows[r];
	qsort(rows, n, sizeof(*rows), compare_profilers);
	for (size_t i = 1; i < n; i++) {
		if (rows[i]->rank != rows[i - 1]->rank)
			continue;
		rows[i]->order =
			rows[i - 1]->order + (compare_profilers(&rows[i - 1], &rows[i]) != 0);
	}
	free(rows);
	return 0;
}

static bool is_contestant(const struct run_cell *c)
{
	static const char *const none[] = {"record", "reference", "overhead"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strcmp(c->kind, none[i]))
			return false;
	return true;
}

/* Cells whose claims are compared: recordings are what others join, and what watching costs is a
 * chapter of its own. */
static size_t contestants(const struct run_dir *r, const struct run_cell **out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cell_cnt; i++)
		if (is_contestant(&r->cells[i]))
			out[n++] = &r->cells[i];
	return n;
}

int view_make_groups(struct view *v)
{
	const struct run_cell **cells = calloc(v->run->cell_cnt + 1, sizeof(*cells));
	size_t cnt = cells ? contestants(v->run, cells) : 0;
	int err = 0;

	v->groups = calloc(cnt + 1, sizeof(*v->groups));
	if (!cells || !v->groups) {
		free(cells);
		return -ENOMEM;
	}
	qsort(cells, cnt, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < cnt && !err;) {
		size_t n = run_length(cells + i, cnt - i, compare_group);

		err = add_group(v, cells + i, n);
		i += n;
	}
	free(cells);
	return err ? err : number_profilers(v, cnt);
}

void view_free_groups(struct view *v)
{
	for (size_t g = 0; v->groups && g < v->group_cnt; g++) {
		for (size_t r = 0; r < v->groups[g].row_cnt; r++)
			free(v->groups[g].rows[r].cells);
		free(v->groups[g].rows);
	}
	free(v->groups);
}
