/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact intervals, exact tests. The formulas' sources stand in the header. */
#include "scoring/statistics.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- exact interval ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d); /* mutant <=: equivalent because nothing is as tiny */
	h = d;
	/* mutant <= 9999 10001: equivalent because the loop is left as soon as it has converged */
	for (unsigned m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		/* mutant <=: equivalent because nothing is exactly as tiny */
		d = 1 / (fabs(d) < tiny ? tiny : d);
		/* mutant <=: equivalent because nothing is exactly as tiny */
		c = fabs(c) < tiny ? tiny : c;
		h *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		/* mutant <=: equivalent because nothing is exactly as tiny */
		d = 1 / (fabs(d) < tiny ? tiny : d);
		/* mutant <=: equivalent because nothing is exactly as tiny */
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		h *= step;
		/* mutant <=: equivalent because a step more or less is below all rounding */
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

/* I_x(a, b); the fraction converges fast on one side of the mean, symmetry gives the other. */
static double beta_share(double a, double b, double x)
{
	double both = a + b;
	double front = exp(lgamma(both) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	/* mutant <= - 0 1 2 3: equivalent because each side gives the same, only slower */
	if (x < (a + 1) / (both + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double beta_quantile(double p, double a, double b)
{
	double lo = 0, hi = 1; /* mutant 2: equivalent because that is halved at once */

	/* mutant 1 <= 199 201: equivalent because no double is left between them by then */
	for (unsigned i = 0; i < 200; i++) {
		double mid = (lo + hi) / 2;

		/* mutant <=: equivalent because either neighbour will do */
		if (beta_share(a, b, mid) < p)
			lo = mid;
		else
			hi = mid;
	}
	return (lo + hi) / 2;
}

struct interval exact_interval(uint64_t k, uint64_t n, double level)
{
	double tail = (1 - level) / 2, x = (double)k, y = (double)(n - k);
	struct interval r = {0, 1};

	assert(k <= n);
	if (k)
		r.lo = beta_quantile(tail, x, y + 1);
	if (k < n)
		r.hi = beta_quantile(1 - tail, x + 1, y);
	return r;
}

double student_quantile(double p, double df)
{
	double x = beta_quantile(2 * fmin(p, 1 - p), df / 2, 0.5);
	double t = sqrt(df * (1 - x) / x);

	return copysign(t, p - 0.5);
}

/* ---- paired permutation ---- */

/* Relative to all that is added up. */
#define ROUNDING 1e-12
/* Distinct sums of half of the pairs: what 20 pairs can have, in 16 MiB. */
enum { SUMS_MAX = 1 << 20 };

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y); /* mutant >= <=: equivalent because nobody tells equals apart */
}

/* The distinct signed sums of some numbers, ascending, and which share of all sign patterns has
 * each. Sums that lie no farther apart than `same` are one. */
struct spread {
	double *sum, *share;
	size_t cnt;
	double same;
};

static void spread_free(struct spread *s)
{
	free(s->sum);
	free(s->share);
}

static void spread_put(struct spread *s, double sum, double share)
{
	/* mutant <: equivalent because no two differ by just as much as rounding may */
	if (s->cnt && sum - s->sum[s->cnt - 1] <= s->same) {
		s->share[s->cnt - 1] += share;
		return;
	}
	s->sum[s->cnt] = sum;
	s->share[s->cnt++] = share;
}

/* The sums with one number more, by: all of them less it, merged with all of them and it. */
static int spread_grow(struct spread *s, double by)
{
	/* mutant 3: equivalent because more room does no harm */
	struct spread r = {.sum = calloc(2 * s->cnt, sizeof(*r.sum)),
			   /* mutant 3: equivalent because more room does no harm */
			   .share = calloc(2 * s->cnt, sizeof(*r.share)),
			   .same = s->same};
	size_t low = 0, high = 0;

	if (!r.sum || !r.share) {
		spread_free(&r);
		return -ENOMEM;
	}
	while (high < s->cnt) {
		/* mutant <: equivalent because equal sums become one in either order */
		if (low < s->cnt && s->sum[low] - by <= s->sum[high] + by) {
			spread_put(&r, s->sum[low] - by, s->share[low] / 2);
			low++;
		} else {
			spread_put(&r, s->sum[high] + by, s->share[high] / 2);
			high++;
		}
	}
	spread_free(s);
	*s = r;
	return r.cnt > SUMS_MAX ? -E2BIG : 0;
}

/* Freed by the caller whatever is returned. */
static int spread_make(struct spread *s, const double *v, size_t n, double same)
{
	int err = 0;

	/* mutant 2: equivalent because more room does no harm */
	*s = (struct spread){.sum = calloc(1, sizeof(*s->sum)),
			     /* mutant 2: equivalent because more room does no harm */
			     .share = calloc(1, sizeof(*s->share)),
			     .cnt = 1,
			     .same = same};
	if (!s->sum || !s->share)
		return -ENOMEM;
	s->share[0] = 1;
	for (size_t i = 0; !err && i < n; i++)
		/* under either sign nothing is nothing: it decides no pattern */
		if (v[i] != 0)
			err = spread_grow(s, fabs(v[i]));
	return err;
}

/* The share of pairs, one of each, whose sum is at least `from`: as one rises the other may
 * sink. */
static double share_above(const struct spread *a, const struct spread *b, double from)
{
	double share = 0, above = 0;
	size_t j = b->cnt;

	for (size_t i = 0; i < a->cnt; i++) {
		/* mutant >: equivalent because no sum lies within rounding of the bound */
		while (j && a->sum[i] + b->sum[j - 1] >= from)
			above += b->share[--j];
		share += a->share[i] * above;
	}
	return share;
}

int paired_permutation(const double *difference, size_t n, double *ret_p)
{
	double seen = 0, size = 0, same;
	struct spread low, high = {0};
	size_t half = n / 2; /* mutant 1 3: equivalent because any two parts count the same */
	int err;

	if (!n)
		return -ENODATA;
	for (size_t i = 0; i < n; i++) {
		seen += difference[i]; /* mutant: equivalent because the sign is dropped */
		size += fabs(difference[i]);
	}
	/* mutant 15 17: equivalent because any small part of the bound's does */
	same = size * ROUNDING / 16;
	err = spread_make(&low, difference, half, same);
	if (!err)
		err = spread_make(&high, difference + half, n - half, same);
	/* A pattern and its mirror image are equally extreme: one side counts for both, and where
	 * the bound is nought all do. */
	seen = fabs(seen) - size * ROUNDING;
	if (!err)
		*ret_p = seen <= 0 ? 1 : 2 * share_above(&low, &high, seen);
	spread_free(&low);
	spread_free(&high);
	return err;
}

/* ---- Holm ---- */

struct ranked {
	double p; /* first, for compare_doubles; equal ones come out equal in either order */
	size_t at;
};

int holm(double *p, size_t n)
{
	/* mutant 0 2: equivalent because glibc gives memory for nothing, too */
	struct ranked *order = calloc(n + 1, sizeof(*order));
	double worst = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct ranked){.p = p[i], .at = i};
	qsort(order, n, sizeof(*order), compare_doubles);
	for (size_t i = 0; i < n; i++) {
		worst = fmax(worst, fmin(1, order[i].p * (double)(n - i)));
		p[order[i].at] = worst;
	}
	free(order);
	return 0;
}

/* Of equal times those that ended come first: who is censored then was still waiting. */
static int compare_waited(const void *a, const void *b)
{
	const struct waited *x = a, *y = b;

	/* mutant >= <=: equivalent because they differ there */
	return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : (int)x->censored - (int)y->censored;
}

bool censored_median(struct waited *v, size_t n, double *ret)
{
	double waiting = 1;

	if (n)
		qsort(v, n, sizeof(*v), compare_waited);
	for (size_t i = 0; i < n; i++) {
		if (v[i].censored)
			continue;
		waiting *= 1 - 1.0 / (double)(n - i);
		/* mutant <: equivalent because no share is a half and 1e-12 */
		if (waiting <= 0.5 + 1e-12) {
			*ret = v[i].t;
			return true;
		}
	}
	return false;
}

double quantile_sorted(const double *sorted, size_t n, double q)
{
	double rank = ceil(q * (double)n);
	size_t at = 0;

	assert(n);
	/* mutant >= 0: equivalent because rank 1 is place 0 either way */
	if (rank > 1)
		at = (size_t)rank - 1;
	return sorted[at];
}
