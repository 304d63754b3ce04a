/* SPDX-License-Identifier: BSD-2-Clause */
/* Forecasts of staleness over all cells together: Brier, skill, the reliability diagram. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/summary_parts.h"

enum { BINS = 20, BRIER = BINS, SKILL, WIDE };

/* The distinct forecasts of all cells in order, and how often each cell made which. */
struct table {
	struct forecast *v; /* sorted by f; counts of all cells */
	size_t cnt;
	uint32_t *(*at); /* [cell]: places of its forecasts in v */
	const struct contestant *c;
	struct forecast *room; /* one resample */
};

static int compare_forecasts(const void *a, const void *b)
{
	const struct forecast *x = a, *y = b;

	return (x->f > y->f) - (x->f < y->f);
}

static size_t place_of(const struct table *t, double f)
{
	struct forecast want = {.f = f};
	const struct forecast *found =
		bsearch(&want, t->v, t->cnt, sizeof(want), compare_forecasts);

	return (size_t)(found - t->v);
}

static void merge(struct table *t)
{
	size_t kept = 0;

	qsort(t->v, t->cnt, sizeof(*t->v), compare_forecasts);
	for (size_t i = 0; i < t->cnt; i++) {
		if (kept && t->v[kept - 1].f == t->v[i].f) {
			t->v[kept - 1].n += t->v[i].n;
			t->v[kept - 1].came_true += t->v[i].came_true;
		} else {
			t->v[kept++] = t->v[i];
		}
	}
	t->cnt = kept;
}

static void table_free(struct table *t)
{
	for (size_t i = 0; t->at && i < t->c->cnt; i++)
		free(t->at[i]);
	free(t->at);
	free(t->v);
	free(t->room);
}

static int table_make(const struct contestant *c, struct table *t)
{
	size_t all = 0;

	*t = (struct table){.c = c};
	for (size_t i = 0; i < c->cnt; i++)
		all += c->cells[i]->forecast_cnt;
	t->v = calloc(all + 1, sizeof(*t->v));
	t->at = calloc(c->cnt + 1, sizeof(*t->at));
	if (!t->v || !t->at)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++)
		for (size_t j = 0; j < c->cells[i]->forecast_cnt; j++)
			t->v[t->cnt++] = c->cells[i]->forecasts[j];
	merge(t);
	t->room = calloc(t->cnt + 1, sizeof(*t->room));
	for (size_t i = 0; t->room && i < c->cnt; i++) {
		const struct sum_cell *x = c->cells[i];

		t->at[i] = calloc(x->forecast_cnt + 1, sizeof(*t->at[i]));
		if (!t->at[i])
			return -ENOMEM;
		for (size_t j = 0; j < x->forecast_cnt; j++)
			t->at[i][j] = (uint32_t)place_of(t, x->forecasts[j].f);
	}
	return t->room ? 0 : -ENOMEM;
}

/* Bins and scores of a sorted table; NAN where there is none. means may be NULL. */
static void judge(struct forecast *v, size_t cnt, double ret[WIDE], struct reliability_bin *means)
{
	struct forecasts f = {.v = v, .cnt = cnt, .room = cnt, .merged = true};
	struct reliability_bin bins[BINS] = {{0}};
	size_t n = reliability_bins(&f, bins, BINS);
	struct calibration c = calibrate(&f);

	for (size_t i = 0; i < BINS; i++)
		ret[i] = i < n ? bins[i].observed : NAN;
	ret[BRIER] = c.brier.has ? c.brier.v : NAN;
	ret[SKILL] = c.skill.has ? c.skill.v : NAN;
	if (means)
		memcpy(means, bins, sizeof(bins));
}

static void fill(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	struct table *t = arg;
	size_t kept = 0;

	for (size_t i = 0; i < t->cnt; i++)
		t->room[i] = (struct forecast){.f = t->v[i].f};
	for (size_t i = 0; i < cnt; i++) {
		const struct sum_cell *x = t->c->cells[draws[i]];

		for (size_t j = 0; j < x->forecast_cnt; j++) {
			t->room[t->at[draws[i]][j]].n += x->forecasts[j].n;
			t->room[t->at[draws[i]][j]].came_true += x->forecasts[j].came_true;
		}
	}
	for (size_t i = 0; i < t->cnt; i++)
		if (t->room[i].n)
			t->room[kept++] = t->room[i];
	judge(t->room, kept, ret, NULL);
}

static int put_bins(const struct sink *s, const struct contestant *c,
		    const struct reliability_bin *bins, const struct interval *bands)
{
	char scope[16];
	int rc = 0;

	for (size_t i = 0; !rc && i < BINS && bins[i].n > 0; i++) {
		struct line l = {.scope = scope, .has = true, .n = (uint64_t)(bins[i].n + 0.5)};

		snprintf(scope, sizeof(scope), "bin:%02zu", i + 1);
		l.metric = "quads.p_stale.forecast";
		l.value = bins[i].forecast;
		rc = summary_put(s, c, &l);
		l.metric = "quads.p_stale.observed";
		l.value = bins[i].observed;
		l.interval = &bands[i];
		if (!rc)
			rc = summary_put(s, c, &l);
	}
	return rc;
}

static int put_scores(const struct sink *s, const struct contestant *c, const double *value,
		      const struct interval *bands, uint64_t n)
{
	struct line l = {.metric = "quads.p_stale.brier",
			 .scope = "all",
			 .has = !isnan(value[BRIER]),
			 .value = value[BRIER],
			 .interval = &bands[BRIER],
			 .n = n};
	int rc = summary_put(s, c, &l);

	l.metric = "quads.p_stale.skill";
	l.has = !isnan(value[SKILL]) && !isnan(bands[SKILL].lo);
	l.value = value[SKILL];
	l.interval = &bands[SKILL];
	return rc ? rc : summary_put(s, c, &l);
}

static int write_table(const struct sink *s, const struct contestant *c, struct table *t,
		       struct boot_unit *units)
{
	struct boot_options o = {
		.levels = 3, .rounds = BOOT_ROUNDS, .seed = BOOT_SEED, .level = LEVEL};
	struct reliability_bin bins[BINS];
	struct interval bands[WIDE];
	double value[WIDE];
	uint64_t n = 0;
	int rc;

	for (size_t i = 0; i < t->cnt; i++)
		n += t->v[i].n;
	for (size_t i = 0; i < c->cnt; i++) {
		struct quad_of of = summary_quad_of(s, c->cells[i]->c);

		units[i] = (struct boot_unit){
			.of = {of.class_number, of.quad_number, (uint32_t)c->cells[i]->c->seed},
			.index = (uint32_t)i};
	}
	judge(t->v, t->cnt, value, bins);
	rc = boot_intervals(units, c->cnt, &o, fill, t, WIDE, bands);
	if (!rc)
		rc = put_scores(s, c, value, bands, n);
	return rc ? rc : put_bins(s, c, bins, bands);
}

int summary_forecasts(const struct sink *s, const struct contestant *c)
{
	struct boot_unit *units = NULL;
	bool variants = false;
	struct table t;
	int rc;

	for (size_t i = 0; i < c->cnt; i++)
		variants |= strcmp(c->cells[i]->c->variant, "base") != 0;
	if (!variants || !strcmp(c->cells[0]->c->binding, "strict"))
		return 0;
	rc = table_make(c, &t);
	if (!rc && t.cnt) {
		units = calloc(c->cnt, sizeof(*units));
		rc = units ? write_table(s, c, &t, units) : -ENOMEM;
	}
	free(units);
	table_free(&t);
	return rc;
}
