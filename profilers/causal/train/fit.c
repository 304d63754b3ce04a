/* SPDX-License-Identifier: BSD-2-Clause */
/* Thresholds from runs. */
#include "profilers/causal/train/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profilers/causal/suspicion.h"

static bool is_left_out(const struct corpus *c, size_t run, const char *without)
{
	return without && !strcmp(c->runs[run].class, without);
}

static bool takes(const struct corpus *c, const struct series *s, unsigned test,
		  const char *without)
{
	return s->test == test && !is_left_out(c, s->run, without);
}

static uint64_t checks_of(const struct series *s)
{
	return s->held + s->bad;
}

static double rate_of(const struct series *s)
{
	return (double)s->bad / (double)checks_of(s);
}

static int by_value(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return p < q ? -1 : p > q;
}

/* The value below which this share lies; v is sorted on the way. */
static double quantile(double *v, size_t cnt, double share)
{
	qsort(v, cnt, sizeof(*v), by_value);
	return v[(size_t)(share * (double)(cnt - 1))];
}

/* ---- rates ---- */

static double valid_rate(const struct corpus *c, unsigned test, const char *without,
			 struct fitted *f)
{
	double spare;

	for (size_t i = 0; i < c->series_cnt; i++) {
		const struct series *s = &c->series[i];

		if (!takes(c, s, test, without) || !s->untouched)
			continue;
		f->valid_runs++;
		f->checks += checks_of(s);
		f->violations += s->bad;
	}
	spare = FIT_SURPRISE * (double)f->valid_runs;
	return ((double)f->violations + spare) / ((double)f->checks + spare);
}

static double stale_rate(const struct corpus *c, unsigned test, const char *without, double valid,
			 double *room, struct fitted *f)
{
	double least = FIT_TELLS * valid, found;

	for (size_t i = 0; i < c->series_cnt; i++) {
		const struct series *s = &c->series[i];

		if (takes(c, s, test, without) && s->names && rate_of(s) >= least)
			room[f->stale_runs++] = rate_of(s);
	}
	found = sqrt(valid);
	if (f->stale_runs)
		found = fmin(found, quantile(room, f->stale_runs, 0.25));
	return fmin(fmax(found, least), 0.95);
}

/* ---- levels ---- */

/* The highest sum that a series comes to. */
static double highest(const struct series *s, const struct threshold *rates)
{
	struct threshold t = {rates->valid, rates->stale, INFINITY, INFINITY};
	struct suspicion x = {.score = 0};
	double top = 0;

	for (size_t i = 0; i < s->cnt; i++) {
		x.runs = 1;
		x.run[0] = s->v[i].run;
		suspicion_judge(&x, &t, s->v[i].loss);
		if (x.score > top)
			top = x.score;
	}
	return top;
}

/* Tests that watch one resource in one run. The series of a run stand together. */
static double tests_a_resource(const struct corpus *c, const char *without)
{
	size_t cnt = 0, resources = 0, run = SIZE_MAX;
	uint64_t met = 0;

	for (size_t i = 0; i < c->series_cnt; i++) {
		const struct series *s = &c->series[i];
		uint64_t bit = UINT64_C(1) << s->resource % 64;

		if (is_left_out(c, s->run, without))
			continue;
		if (s->run != run)
			met = 0;
		run = s->run;
		cnt++;
		resources += !(met & bit);
		met |= bit;
	}
	return resources ? (double)cnt / (double)resources : 1;
}

static void set_levels(const struct corpus *c, unsigned test, const char *without, double *room,
		       struct threshold *t, struct fitted *f)
{
	double share = FIT_ALARMS / 2 / tests_a_resource(c, without), level;
	size_t cnt = 0;

	for (size_t i = 0; i < c->series_cnt; i++) {
		const struct series *s = &c->series[i];

		if (!takes(c, s, test, without) || !s->untouched)
			continue;
		room[cnt++] = (double)checks_of(s);
		f->top = fmax(f->top, highest(s, t));
	}
	level = log(quantile(room, cnt, 0.9) / share);
	t->at_suspect = fmax(level, f->top + FIT_MARGIN);
	t->at_stale = t->at_suspect + log(10);
}

/* ---- the whole ---- */

int fit_tests(const struct corpus *c, const char *without, struct thresholds *ret,
	      struct fitted *about)
{
	double *room = malloc((c->series_cnt + 1) * sizeof(*room));
	struct thresholds t = thresholds_shipped;

	if (!room)
		return -ENOMEM;
	for (unsigned i = 0; i < TEST_CNT; i++) {
		struct threshold *row = &t.test[i];
		struct fitted f = {.valid_runs = 0};
		double valid = valid_rate(c, i, without, &f);

		if (f.valid_runs) {
			row->valid = valid;
			row->stale = stale_rate(c, i, without, valid, room, &f);
			set_levels(c, i, without, room, row, &f);
		}
		about[i] = f;
	}
	free(room);
	*ret = t;
	return 0;
}

/* Before any training. */
static const double priors[BELIEF_CNT] = {
	[BELIEF_UNSEEN] = 0.05,	  [BELIEF_START] = 0.05,  [BELIEF_CLEAN] = 0.01,
	[BELIEF_CANDIDATE] = 0.5, [BELIEF_PARTNER] = 0.3, [BELIEF_WARNED] = 0.4,
	[BELIEF_TIED] = 0.5,	  [BELIEF_SUSPECT] = 0.6, [BELIEF_BLAMED] = 0.85,
	[BELIEF_REFUSED] = 0.99,
};

struct by_class {
	const char *name;
	struct believed b;
};

/* ---- what nothing speaks against ---- */

static const enum belief quiet[] = {BELIEF_UNSEEN, BELIEF_START, BELIEF_CLEAN};
enum { QUIET = sizeof(quiet) / sizeof(quiet[0]) };

static double sum_of(const double v[BELIEF_CNT])
{
	double sum = 0;

	for (unsigned i = 0; i < BELIEF_CNT; i++)
		sum += v[i];
	return sum;
}

/* The nearest of 1, 3, 10, 30…: a dozen classes know no more. */
static double step_of(double p)
{
	double thirds = round(2 * log10(p));
	double odd = fmod(fabs(thirds), 2);

	return odd == 0 ? pow(10, thirds / 2) : 3 * pow(10, (thirds - 1) / 2);
}

/* Of each class, which share of what is invalid is believed so: each class counts once, and one
 * more for each way in which a class to come may show nothing. */
static void fit_quiet(const struct by_class *v, size_t cnt, double p[BELIEF_CNT])
{
	double invalid = 0, classes = 0, held[QUIET] = {0}, shares[QUIET] = {0};

	for (size_t i = 0; i < cnt; i++) {
		double bad = sum_of(v[i].b.invalid);

		invalid += bad;
		classes += bad > 0;
		for (unsigned k = 0; k < QUIET; k++) {
			held[k] += v[i].b.all[quiet[k]];
			shares[k] += bad > 0 ? v[i].b.invalid[quiet[k]] / bad : 0;
		}
	}
	for (unsigned k = 0; k < QUIET; k++)
		if (held[k] > 0 && invalid > 0)
			p[quiet[k]] = step_of(
				fmin(invalid / held[k] * (shares[k] + 1) / (classes + QUIET),
				     priors[BELIEF_TIED]));
}

/* ---- all beliefs ---- */

static struct by_class *class_in(struct by_class *v, size_t *cnt, const char *name)
{
	for (size_t i = 0; i < *cnt; i++)
		if (!strcmp(v[i].name, name))
			return &v[i];
	v[*cnt].name = name;
	return &v[(*cnt)++];
}

static void fit_others(const struct by_class *v, size_t cnt, double p[BELIEF_CNT])
{
	for (unsigned i = 0; i < BELIEF_CNT; i++) {
		double all = FIT_PRIOR, invalid = FIT_PRIOR * priors[i];

		for (size_t k = 0; k < cnt; k++) {
			all += v[k].b.all[i];
			invalid += v[k].b.invalid[i];
		}
		p[i] = invalid / all;
	}
}

int fit_beliefs(const struct corpus *c, const char *without, struct thresholds *t, struct diag *d)
{
	struct by_class *v = calloc(c->runs_cnt + 1, sizeof(*v));
	size_t cnt = 0;
	int rc = v ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (size_t i = 0; !rc && i < c->runs_cnt; i++)
		if (!is_left_out(c, i, without))
			rc = corpus_beliefs(&c->runs[i], t, &class_in(v, &cnt, c->runs[i].class)->b,
					    d);
	if (!rc) {
		fit_others(v, cnt, t->p_stale);
		fit_quiet(v, cnt, t->p_stale);
	}
	free(v);
	return rc;
}
