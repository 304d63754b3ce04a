/* SPDX-License-Identifier: BSD-2-Clause */
/* Brier, skill, Murphy's parts, log loss, AUC, risk and coverage, reliability bins. */
#include "scoring/calibration.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "scoring/arrays.h"

#define LOG_FLOOR 1e-15L
enum { FIRST_ROOM = 256 /* a power of two, as every room is */ };

static size_t slot_of(const struct forecast *v, size_t room, double p)
{
	size_t mask = room - 1, i = XXH3_64bits(&p, sizeof(p)) & mask;

	while (v[i].n && v[i].f != p)
		/* mutant - 2: equivalent because any order of places will do, and half are free */
		i = (i + 1) & mask;
	return i;
}

/* At most half full, so that a look-up stays short. */
static int make_room(struct forecasts *f)
{
	size_t room = f->room ? 2 * f->room : FIRST_ROOM;
	struct forecast *v = array_new(room, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < f->room; i++)
		if (f->v[i].n)
			v[slot_of(v, room, f->v[i].f)] = f->v[i];
	free(f->v);
	f->v = v;
	f->room = room;
	return 0;
}

int forecasts_add(struct forecasts *f, double p, bool came_true)
{
	struct forecast *x;

	assert(!f->merged);
	/* mutant 1 3: equivalent because any load below 1 gives the same table, only slower or
	 * larger */
	if (2 * f->cnt >= f->room && make_room(f))
		return -ENOMEM;
	p += 0.0; /* -0 is 0 */
	x = &f->v[slot_of(f->v, f->room, p)];
	f->cnt += !x->n;
	x->f = p;
	x->n++;
	x->came_true += came_true;
	return 0;
}

static int forecast_cmp(const void *pa, const void *pb)
{
	const struct forecast *a = pa, *b = pb;

	return CMP3(a->f, b->f);
}

void forecasts_merge(struct forecasts *f)
{
	struct forecast *v;
	size_t kept = 0;

	if (f->merged)
		return;
	for (size_t i = 0; i < f->room; i++)
		if (f->v[i].n)
			f->v[kept++] = f->v[i];
	f->merged = true;
	if (!kept)
		return;
	qsort(f->v, kept, sizeof(*f->v), forecast_cmp);
	v = realloc(f->v, kept * sizeof(*v));
	if (v)
		f->v = v;
}

void forecasts_free(struct forecasts *f)
{
	free(f->v);
}

static bool is_forecast(uint8_t outcome)
{
	return outcome == OUT_RIGHT || outcome == OUT_DUPLICATE || outcome == OUT_FALSE_JOIN ||
	       outcome == OUT_HALF;
}

int handoff_forecasts(const struct claims *c, uint8_t *const outcome[LEVEL_CNT],
		      struct forecasts f[LEVEL_CNT])
{
	int err = 0;

	for (size_t i = 0; !err && i < c->cnt; i++) {
		const struct claim *x = &c->v[i];
		double conf = x->has & HAS_CONF ? x->handoff.conf : 1;

		for (unsigned level = 0; !err && level < LEVEL_CNT; level++)
			if (is_forecast(outcome[level][i]))
				err = forecasts_add(&f[level], conf,
						    outcome[level][i] == OUT_RIGHT);
	}
	return err;
}

struct sums {
	uint64_t n, came_true;
	long double brier, reliability, resolution, log_loss;
	long double concordant; /* twice the pairs of a yes above a no, ties once */
};

static long double log_floor(long double p)
{
	/* mutant <=: equivalent because at the floor both are the floor */
	return logl(p < LOG_FLOOR ? LOG_FLOOR : p);
}

static long double square(long double x)
{
	return x * x;
}

static void add_group(struct sums *s, const struct forecast *g, long double base)
{
	long double f = g->f, yes = g->came_true, no = g->n - g->came_true, rate = yes / g->n;

	s->brier += yes * square(1 - f) + no * square(f);
	s->reliability += g->n * square(f - rate);
	s->resolution += g->n * square(rate - base);
	s->log_loss -= yes * log_floor(f) + no * log_floor(1 - f);
}

/* Every group in ascending order: its yeses beat the noes below it and tie with its own. */
static long double concordant(const struct forecasts *f)
{
	long double below = 0, sum = 0;

	for (size_t i = 0; i < f->cnt; i++) {
		long double yes = f->v[i].came_true, no = f->v[i].n - f->v[i].came_true;

		sum += yes * (below + no / 2);
		below += no;
	}
	return sum;
}

static struct ratio over(long double sum, long double n)
{
	return ratio_of((double)sum, (double)n);
}

struct calibration calibrate(struct forecasts *f)
{
	struct calibration r = {};
	struct sums s = {};
	long double base, unc;

	forecasts_merge(f);
	for (size_t i = 0; i < f->cnt; i++) {
		s.n += f->v[i].n;
		s.came_true += f->v[i].came_true;
	}
	r.n = s.n;
	if (!s.n)
		return r;
	base = (long double)s.came_true / s.n;
	unc = base * (1 - base);
	for (size_t i = 0; i < f->cnt; i++)
		add_group(&s, &f->v[i], base);
	r.base_rate = ratio_known((double)base);
	r.brier = over(s.brier, s.n);
	r.reliability = over(s.reliability, s.n);
	r.resolution = over(s.resolution, s.n);
	r.uncertainty = ratio_known((double)unc);
	r.log_loss = over(s.log_loss, s.n);
	if (unc > 0)
		r.skill = ratio_known((double)(1 - s.brier / s.n / unc));
	if (s.came_true)
		r.zero_skill = ratio_known((double)(1 - s.brier / s.came_true));
	r.auc = over(concordant(f), (long double)s.came_true * (s.n - s.came_true));
	return r;
}

size_t risk_coverage(struct forecasts *f, struct risk_point *ret, size_t room)
{
	uint64_t n = 0, accepted = 0, failed = 0;
	size_t cnt = 0;

	forecasts_merge(f);
	for (size_t i = 0; i < f->cnt; i++)
		n += f->v[i].n;
	for (size_t i = f->cnt; i-- > 0 && cnt < room;) {
		accepted += f->v[i].n;
		failed += f->v[i].n - f->v[i].came_true;
		ret[cnt++] = (struct risk_point){
			.threshold = f->v[i].f,
			.coverage = (double)accepted / (double)n,
			.risk = (double)failed / (double)accepted,
		};
	}
	return cnt;
}

/* Moves up to `want` units of the group in hand into a bin; returns what it moved. */
static uint64_t bin_take(struct reliability_bin *b, const struct forecast *g, uint64_t left,
			 uint64_t want)
{
	uint64_t take = MIN(left, want);

	b->forecast += (double)take * g->f;
	b->observed += (double)take * (double)g->came_true / (double)g->n;
	return take;
}

/* In units of 1/bins of a forecast a bin holds exactly n units and a group n_k·bins. */
size_t reliability_bins(struct forecasts *f, struct reliability_bin *ret, size_t bins)
{
	uint64_t n = 0, left = 0;
	size_t group = 0;

	forecasts_merge(f);
	for (size_t i = 0; i < f->cnt; i++)
		n += f->v[i].n;
	bins = MIN(bins, n);
	for (size_t b = 0; b < bins; b++) {
		struct reliability_bin bin = {.n = (double)n / (double)bins};

		for (uint64_t want = n, took; want; want -= took, left -= took) {
			if (!left)
				left = f->v[group++].n * bins;
			took = bin_take(&bin, &f->v[group - 1], left, want);
		}
		bin.forecast /= (double)n;
		bin.observed /= (double)n;
		ret[b] = bin;
	}
	return bins;
}
