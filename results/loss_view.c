/* SPDX-License-Identifier: BSD-2-Clause */
/* Profilers under the regimes of a run. */
#include "results/loss_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const struct view_group *g)
{
	return view_is_plain(g) || view_is_lossy(g);
}

/* drop:5 before drop:20. */
static int compare_regimes(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t lx = strcspn(x, ":"), ly = strcspn(y, ":");
	int order = memcmp(x, y, lx < ly ? lx : ly);

	if (!strcmp(x, "clean") || !strcmp(y, "clean"))
		return strcmp(x, "clean") ? 1 : strcmp(y, "clean") ? -1 : 0;
	if (!order && lx == ly && x[lx] && y[ly]) {
		double nx = strtod(x + lx + 1, NULL), ny = strtod(y + ly + 1, NULL);

		order = (nx > ny) - (nx < ny);
	}
	return order ? order : strcmp(x, y);
}

static int find_regimes(const struct view *v, struct loss_view *x)
{
	x->regimes = calloc(v->group_cnt + 1, sizeof(*x->regimes));
	if (!x->regimes)
		return -ENOMEM;
	x->regimes[x->regime_cnt++] = "clean";
	for (size_t g = 0; g < v->group_cnt; g++) {
		size_t i = 0;

		if (!view_is_lossy(&v->groups[g]))
			continue;
		while (i < x->regime_cnt && strcmp(x->regimes[i], v->groups[g].regime))
			i++;
		if (i == x->regime_cnt)
			x->regimes[x->regime_cnt++] = v->groups[g].regime;
	}
	qsort(x->regimes, x->regime_cnt, sizeof(*x->regimes), compare_regimes);
	if (x->regime_cnt == 1)
		x->regime_cnt = 0;
	return 0;
}

static const struct view_row *row_like(const struct view_group *g, const struct view_row *like)
{
	for (size_t r = 0; r < g->row_cnt; r++)
		if (!g->rows[r].live && !strcmp(g->rows[r].profiler, like->profiler))
			return &g->rows[r];
	return NULL;
}

static bool has_line(const struct loss_view *x, const char *workload, const char *profiler)
{
	for (size_t i = 0; i < x->line_cnt; i++)
		if (!strcmp(x->lines[i].workload, workload) &&
		    !strcmp(loss_line_who(x, &x->lines[i])->profiler, profiler))
			return true;
	return false;
}

/* The cells of one profiler on one workload, under every regime. */
static int add_line(const struct view *v, struct loss_view *x, const char *workload,
		    const struct view_row *like)
{
	const struct view_row **rows = calloc(x->regime_cnt, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; r < x->regime_cnt; r++)
			if (belongs(&v->groups[g]) && !strcmp(v->groups[g].workload, workload) &&
			    !strcmp(v->groups[g].regime, x->regimes[r]))
				rows[r] = row_like(&v->groups[g], like);
	x->lines[x->line_cnt++] = (struct loss_line){workload, rows};
	return 0;
}

static int find_lines(const struct view *v, struct loss_view *x)
{
	size_t rows = 0;
	int err = 0;

	for (size_t g = 0; g < v->group_cnt; g++)
		rows += view_is_lossy(&v->groups[g]) ? v->groups[g].row_cnt : 0;
	x->lines = calloc(rows + 1, sizeof(*x->lines));
	if (!x->lines)
		return -ENOMEM;
	for (size_t g = 0; !err && g < v->group_cnt; g++) {
		const struct view_group *at = &v->groups[g];

		for (size_t r = 0; !err && view_is_lossy(at) && r < at->row_cnt; r++)
			if (!at->rows[r].live && !has_line(x, at->workload, at->rows[r].profiler))
				err = add_line(v, x, at->workload, &at->rows[r]);
	}
	return err;
}

int loss_view_make(const struct view *v, struct loss_view *ret)
{
	struct loss_view x = {0};
	int err = find_regimes(v, &x);

	if (!err)
		err = find_lines(v, &x);
	if (err)
		loss_view_free(&x);
	else
		*ret = x;
	return err;
}

void loss_view_free(struct loss_view *x)
{
	for (size_t i = 0; i < x->line_cnt; i++)
		free(x->lines[i].rows);
	free(x->lines);
	free(x->regimes);
	*x = (struct loss_view){0};
}

const struct view_row *loss_line_who(const struct loss_view *x, const struct loss_line *l)
{
	for (size_t r = 0; r < x->regime_cnt; r++)
		if (l->rows[r])
			return l->rows[r];
	return NULL;
}

bool loss_is_silent(const char *regime)
{
	size_t len = strlen(regime);

	return len > 7 && !strcmp(regime + len - 7, ":silent");
}

bool loss_line_joins(struct view *v, const struct loss_view *x, const struct loss_line *l)
{
	double claims = 0, sum = 0;

	for (size_t r = 0; r < x->regime_cnt; r++)
		if (l->rows[r] &&
		    view_sum(v, l->rows[r], "handoff.context.claims", "declared", &claims))
			sum += claims;
	return sum > 0;
}
