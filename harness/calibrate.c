/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of forms compared, to find the one that tells. */
#include "harness/calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/certify_build.h"
#include "harness/certify_run.h"
#include "lib/formats/manifest.h"

enum { FIGURES_MAX = 256, SEEN_MAX = 8 };

/* Less than that is left to chance. */
static const double LEAST_DISTANCE = 0.06, LEAST_READING = 0.03;

struct figure {
	char metric[RECORD_WORD], scope[RECORD_WORD];
	double value;
};

struct figures {
	struct figure v[FIGURES_MAX];
	unsigned cnt;
};

struct looking {
	struct runs *x;
	const struct manifest *manifest;
	uint32_t drawn;
	uint32_t ids[SEEN_MAX]; /* descriptors of its resource, it among them */
	unsigned ids_cnt;
	struct seen_list seen[FORM_CNT];
	struct figures *figures; /* of each form */
};

double calibrate_distance(double base, double mutant, double slack)
{
	double most = fmax(fabs(base), fabs(mutant)) + slack;

	return most > 0 ? fabs(mutant - base) / most : 0;
}

double calibrate_bound(double base, double mutant)
{
	double lo = fmin(base, mutant), hi = fmax(base, mutant);
	double middle = lo > 0 && hi > 4 * lo ? sqrt(lo * hi) : (lo + hi) / 2;
	double unit = middle > 0 ? pow(10, floor(log10(middle)) - 1) : 1;

	return round(middle / unit) * unit;
}

/* ---- what the forms show ---- */

static int keep_figure(const struct score_figure *f, void *arg)
{
	struct figures *l = arg;
	struct figure *v = &l->v[l->cnt];

	if (!f->has || l->cnt == FIGURES_MAX || strncmp(f->metric, "event.", 6) != 0)
		return 0;
	snprintf(v->metric, sizeof(v->metric), "%s", f->metric);
	snprintf(v->scope, sizeof(v->scope), "%s", f->scope);
	v->value = f->value;
	l->cnt++;
	return 0;
}

static int look(struct looking *l, enum form f, const struct profiler *reference,
		struct diag *ret_why, struct diag *d)
{
	struct run_files files;
	int rc = runs_one(l->x, f, RUN_CALIBRATING, 0, &files, ret_why, d);

	if (rc || ret_why->err)
		return rc;
	rc = runs_seen(&files, &l->seen[f], d);
	if (!rc)
		rc = runs_scored(l->x, reference, f, &files, keep_figure, &l->figures[f], d);
	return rc;
}

/* ---- witnesses ---- */

/* Beside ids in use: of shares, what a small one is worth. */
static const struct kind {
	uint8_t measure;
	unsigned arity;
	double slack, worth; /* what is surer in ordinary runs is worth more */
} kinds[] = {
	{MEASURE_RATIO, 2, 0.2, 1},	  {MEASURE_UNITS, 2, 0.2, 1},
	{MEASURE_MEAN, 1, 0, 0.95},	  {MEASURE_UNEQUAL, 2, 0.3, 0.8},
	{MEASURE_UNPAIRED, 2, 0.3, 0.95}, {MEASURE_OUTSTANDING, 2, 0.3, 0.9},
	{MEASURE_STRAY, 3, 0.3, 0.95},	  {MEASURE_OVERLAP, 2, 0.3, 0.7},
	{MEASURE_COUNT, 1, 0, 0.6},	  {MEASURE_MAX, 1, 0, 0.6},
};

struct best {
	struct witness_spec spec;
	double score;
};

/* NAN: it has no such figure. */
static int measure(const struct looking *l, const struct witness_spec *w, enum form f, double *ret,
		   struct diag *d)
{
	return witness_measure(w, &l->seen[f], runs_watched_ops(l->x->mutation), ret, d);
}

static int weigh(const struct looking *l, const struct kind *k, double most, struct witness_spec *w,
		 struct best *best, struct diag *d)
{
	double v[FORM_CNT], score;

	for (unsigned f = 0; f < FORM_CNT; f++) {
		int rc = measure(l, w, (enum form)f, &v[f], d);

		if (rc)
			return rc;
		if (!isfinite(v[f]))
			return 0;
	}
	if (calibrate_distance(v[FORM_BASE], v[FORM_TWIN], k->slack) > most)
		return 0;
	score = k->worth * calibrate_distance(v[FORM_BASE], v[FORM_MUTANT], k->slack);
	if (score < LEAST_DISTANCE || score <= best->score)
		return 0;
	w->has_above = v[FORM_MUTANT] > v[FORM_BASE];
	w->has_below = !w->has_above;
	w->above = w->below = calibrate_bound(v[FORM_BASE], v[FORM_MUTANT]);
	*best = (struct best){*w, score};
	return 0;
}

static bool names_drawn(const struct looking *l, const struct witness_spec *w)
{
	bool drawn = false, twice = false;

	for (uint32_t i = 0; i < w->of_cnt; i++) {
		drawn |= w->of[i].descriptor == l->drawn;
		for (uint32_t j = 0; j < i; j++)
			twice |= w->of[i].descriptor == w->of[j].descriptor;
	}
	return drawn && !twice;
}

/* All tuples of ids with the drawn one in them. */
static int weigh_kind(const struct looking *l, const struct kind *k, double most, struct best *best,
		      struct diag *d)
{
	unsigned all = 1;
	int rc = 0;

	for (unsigned i = 0; i < k->arity; i++)
		all *= l->ids_cnt;
	for (unsigned n = 0; !rc && n < all; n++) {
		struct witness_spec w = {.measure = k->measure, .of_cnt = k->arity};
		unsigned rest = n;

		for (unsigned i = 0; i < k->arity; i++, rest /= l->ids_cnt)
			w.of[i] = (struct seen_name){SEEN_HIT, l->ids[rest % l->ids_cnt]};
		if (names_drawn(l, &w))
			rc = weigh(l, k, most, &w, best, d);
	}
	return rc;
}

static int choose_witness(const struct looking *l, struct witness_spec *ret, struct diag *ret_why,
			  struct diag *d)
{
	/* What is the same for base and twin to the last digit is no matter of chance. */
	static const double apart[] = {1e-9, 0.01};
	struct best best = {.score = 0};
	int rc = 0;

	for (unsigned n = 0; !rc && !best.spec.of_cnt && n < 2; n++)
		for (size_t i = 0; !rc && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			rc = weigh_kind(l, &kinds[i], apart[n], &best, d);
	if (rc)
		return rc;
	*ret = best.spec;
	if (!best.spec.of_cnt)
		diag_set(ret_why, -ENODATA, NULL, 0, NULL, "no figure of hits tells");
	return 0;
}

/* ---- readings ---- */

static double value_of(const struct figures *l, const struct figure *like)
{
	for (unsigned i = 0; i < l->cnt; i++)
		if (!strcmp(l->v[i].metric, like->metric) && !strcmp(l->v[i].scope, like->scope))
			return l->v[i].value;
	return NAN;
}

static bool is_about(const struct looking *l, const struct figure *f)
{
	static const char *const whole[] = {"event.identity.life_exactness",
					    "event.identity.join_recall",
					    "event.identity.join_precision"};
	static const char *const one[] = {"event.recall", "event.precision", "event.unit_accuracy"};
	char scope[32];

	snprintf(scope, sizeof(scope), "desc:%u", l->drawn);
	for (unsigned i = 0; i < 3; i++)
		if ((!strcmp(f->metric, whole[i]) && !strcmp(f->scope, "all")) ||
		    (!strcmp(f->metric, one[i]) && !strcmp(f->scope, scope)))
			return true;
	return false;
}

static void choose_reading(const struct looking *l, struct reading_spec *ret)
{
	double best = LEAST_READING;

	for (unsigned i = 0; i < l->figures[FORM_BASE].cnt; i++) {
		const struct figure *f = &l->figures[FORM_BASE].v[i];
		double twin = value_of(&l->figures[FORM_TWIN], f);
		double mutant = value_of(&l->figures[FORM_MUTANT], f);

		if (!is_about(l, f) || !isfinite(twin) || !isfinite(mutant) ||
		    fabs(twin - f->value) > 0.01 || f->value - mutant <= best)
			continue;
		best = f->value - mutant;
		*ret = (struct reading_spec){.has_below = true,
					     .below = calibrate_bound(f->value, mutant)};
		strcpy(ret->figure, f->metric);
		strcpy(ret->of, f->scope);
	}
}

/* ---- the whole ---- */

static void list_ids(struct looking *l)
{
	const struct manifest *m = l->manifest;
	const struct manifest_descriptor *at = manifest_descriptor_by_id(m, l->drawn);

	for (uint32_t i = 0; at && i < m->descriptors_cnt && l->ids_cnt < SEEN_MAX; i++)
		if (m->descriptors[i].resource == at->resource)
			l->ids[l->ids_cnt++] = m->descriptors[i].id;
}

static int look_and_choose(struct looking *l, struct calibrated *ret, struct diag *ret_why,
			   struct diag *d)
{
	const struct profiler *reference;
	int rc = programs_profiler(l->x->certifier->programs, "attach-only", &reference, d);

	for (unsigned f = 0; !rc && !ret_why->err && f < FORM_CNT; f++)
		rc = look(l, (enum form)f, reference, ret_why, d);
	if (rc || ret_why->err)
		return rc;
	list_ids(l);
	choose_reading(l, &ret->reading);
	return choose_witness(l, &ret->witness, ret_why, d);
}

int calibrate_bounds(const struct certifier *c, const struct mutation *m, uint32_t drawn,
		     struct calibrated *ret, struct diag *ret_why, struct diag *d)
{
	struct looking l = {.drawn = drawn};
	struct calibrated v = {.witness = {.of_cnt = 0}};
	struct certificate nothing = {.hash = 0};
	const struct workload *w;
	int rc = programs_workload(c->programs, m->workloads[0], &w, d);

	l.figures = calloc(FORM_CNT, sizeof(*l.figures));
	if (!rc && !l.figures)
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	if (!rc)
		rc = runs_open(c, m, w, certify_first(m), &nothing, &l.x, d);
	if (!rc) {
		l.manifest = &l.x->forms[FORM_BASE].old;
		rc = look_and_choose(&l, &v, ret_why, d);
		runs_close(l.x);
	}
	for (unsigned f = 0; f < FORM_CNT; f++)
		seen_free(&l.seen[f]);
	free(l.figures);
	if (!rc && !ret_why->err)
		*ret = v;
	return rc;
}
