/* SPDX-License-Identifier: BSD-2-Clause */
/* Overhead cells as rows, and who is more accurate for less. */
#include "results/cost_view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/page.h"

static bool is_cost(const struct run_cell *c)
{
	return !strcmp(c->kind, "overhead");
}

static void mark_shown(struct view *v, const struct run_cell *cell)
{
	for (size_t i = view_first(v, cell); i < v->figure_cnt && v->figures[i].cell == cell; i++)
		v->figures[i].shown = true;
}

const struct view_figure *cost_figure(const struct view *v, const struct cost_row *row,
				      const char *metric, const char *scope)
{
	for (size_t i = view_first(v, row->cell);
	     i < v->figure_cnt && v->figures[i].cell == row->cell; i++)
		if (!strcmp(v->figures[i].metric, metric) && !strcmp(v->figures[i].scope, scope))
			return v->figures[i].has_value ? &v->figures[i] : NULL;
	return NULL;
}

static bool number(const struct view *v, const struct cost_row *row, const char *metric,
		   const char *scope, double *ret)
{
	const struct view_figure *f = cost_figure(v, row, metric, scope);

	if (f)
		*ret = f->value;
	return f;
}

static bool declares_handoffs(const struct view *v, const struct cost_row *row)
{
	for (size_t i = view_first(v, row->cell);
	     i < v->figure_cnt && v->figures[i].cell == row->cell; i++)
		if (!strcmp(v->figures[i].metric, "overhead.declares") &&
		    !strncmp(v->figures[i].scope, "handoff:", 8))
			return true;
	return false;
}

static void read_row(const struct view *v, struct cost_row *row)
{
	const struct view_figure *share = cost_figure(v, row, "overhead.cpu_share", "all");
	double uncounted = 1, distance = 1;

	if (share && share->has_interval &&
	    number(v, row, "overhead.cpu_share_mde", "all", &row->least)) {
		row->has_paired = true;
		row->paired = share->value;
		row->lo = share->lo;
		row->hi = share->hi;
	}
	number(v, row, "overhead.uncounted", "all", &uncounted);
	row->has_counted =
		!uncounted && number(v, row, "overhead.counted_share", "all", &row->counted);
	row->joins = declares_handoffs(v, row);
	row->has_f1 = row->joins && number(v, row, "handoff.context.f1", "all", &row->f1);
	row->has_profile = number(v, row, "profile.tv_distance", "thread:cpu", &distance);
	row->profile = 1 - distance;
}

static int compare_rows(const void *a, const void *b)
{
	const struct cost_row *x = a, *y = b;
	int order = strcmp(x->cell->workload, y->cell->workload);

	if (!order)
		order = (int)division_order(&x->as) - (int)division_order(&y->as);
	if (!order)
		order = strcmp(x->as.division, y->as.division);
	if (!order)
		order = strcmp(x->as.profiler, y->as.profiler);
	return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

/* How many names come before it among those of overhead cells. */
static size_t place_of(const struct run_dir *r, const char *profiler)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cell_cnt; i++) {
		bool seen = !is_cost(&r->cells[i]) || strcmp(r->cells[i].profiler, profiler) >= 0;

		for (size_t k = 0; !seen && k < i; k++)
			seen = is_cost(&r->cells[k]) &&
			       !strcmp(r->cells[k].profiler, r->cells[i].profiler);
		n += !seen;
	}
	return n;
}

/* The colour of a profiler that other tables have, too, is the same there. */
static size_t order_of(const struct view *v, const char *profiler)
{
	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; r < v->groups[g].row_cnt; r++)
			if (!strcmp(v->groups[g].rows[r].profiler, profiler))
				return v->groups[g].rows[r].order;
	return place_of(v->run, profiler);
}

int cost_view_make(struct view *v, struct cost_view *ret)
{
	struct cost_view x = {.rows = calloc(v->run->cell_cnt + 1, sizeof(*x.rows))};

	if (!x.rows)
		return -ENOMEM;
	for (size_t i = 0; i < v->run->cell_cnt; i++) {
		const struct run_cell *c = &v->run->cells[i];
		struct cost_row *row = &x.rows[x.cnt];

		if (!is_cost(c))
			continue;
		row->cell = c;
		row->as = (struct view_row){.profiler = c->profiler,
					    .division = c->division,
					    .rank = RANK_PROFILER,
					    .order = order_of(v, c->profiler)};
		read_row(v, row);
		mark_shown(v, c);
		x.cnt++;
	}
	if (x.cnt)
		qsort(x.rows, x.cnt, sizeof(*x.rows), compare_rows);
	*ret = x;
	return 0;
}

void cost_view_free(struct cost_view *x)
{
	free(x->rows);
	*x = (struct cost_view){0};
}

size_t cost_view_workload(const struct cost_view *x, size_t first)
{
	size_t n = 1;

	while (first + n < x->cnt &&
	       !strcmp(x->rows[first].cell->workload, x->rows[first + n].cell->workload))
		n++;
	return n;
}

size_t cost_view_division(const struct cost_view *x, size_t first)
{
	size_t n = 1, all = cost_view_workload(x, first);

	while (n < all && same_division(&x->rows[first].as, &x->rows[first + n].as))
		n++;
	return n;
}

bool cost_headline(const struct cost_row *row, double *ret)
{
	if (!row->has_counted && !row->has_paired)
		return false;
	*ret = row->has_counted ? row->counted : row->paired;
	return true;
}

/* ---- accuracy per cost ---- */

static const struct cost_row *nearest(const struct cost_row *rows, size_t cnt)
{
	const struct cost_row *best = NULL;

	for (size_t i = 0; i < cnt; i++)
		if (rows[i].has_profile && !rows[i].joins &&
		    (!best || rows[i].profile > best->profile))
			best = &rows[i];
	return best;
}

/* a / cost of the one is above b / cost of the other where this is below 0; and how far it may be
 * off: intervals of two independent means. */
static double behind(double a, const struct cost_row *one, double b, const struct cost_row *other,
		     double *ret_off)
{
	*ret_off = hypot(b * (one->hi - one->lo) / 2, a * (other->hi - other->lo) / 2);
	return b * one->paired - a * other->paired;
}

static enum cost_verdict against(const struct cost_row *sampler, const struct cost_row *joiner)
{
	double by, off;

	if (!joiner->has_profile)
		return COST_ALONE;
	if (!sampler->has_paired || !joiner->has_paired)
		return COST_UNDECIDED;
	by = behind(sampler->profile, sampler, joiner->profile, joiner, &off);
	if (by < -off)
		return COST_BEATS;
	return by > off ? COST_BEATEN : COST_UNDECIDED;
}

enum cost_verdict cost_compare(const struct cost_view *x, size_t first, size_t cnt,
			       const struct cost_row **ret_sampler)
{
	const struct cost_row *rows = x->rows + first, *sampler = nearest(rows, cnt);
	enum cost_verdict worst = COST_NOTHING;

	for (size_t i = 0; sampler && i < cnt; i++) {
		enum cost_verdict one;

		if (!rows[i].joins)
			continue;
		one = against(sampler, &rows[i]);
		worst = one > worst ? one : worst;
	}
	*ret_sampler = sampler;
	return worst;
}
