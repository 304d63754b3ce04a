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

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y); /* mutant >= <=: equivalent because nobody tells equals apart */
}

/* All 2^n signed sums, sorted. */
static double *signed_sums(const double *v, size_t n)
{
	/* mutant 2: equivalent because more room does no harm */
	double *sums = calloc((size_t)1 << n, sizeof(*sums));
	size_t cnt = 1;

	if (!sums)
		return NULL;
	for (size_t i = 0; i < n; i++, cnt *= 2)
		for (size_t s = 0; s < cnt; s++) {
			sums[cnt + s] = sums[s] - v[i];
			sums[s] += v[i];
		}
	qsort(sums, cnt, sizeof(*sums), compare_doubles);
	return sums;
}

/* Pairs, one of each, whose sum is at least `from`: as one rises the other may sink. */
static double count_above(const double *a, size_t na, const double *b, size_t nb, double from)
{
	double cnt = 0;
	size_t j = nb;

	for (size_t i = 0; i < na; i++) {
		/* mutant >: equivalent because no sum lies within rounding of the bound */
		while (j && a[i] + b[j - 1] >= from)
			j--;
		cnt += (double)(nb - j);
	}
	return cnt;
}

int paired_permutation(const double *difference, size_t n, double *ret_p)
{
	double seen = 0, size = 0, *low, *high, cnt;
	size_t half = n / 2; /* mutant 1 3: equivalent because any two parts count the same */

	if (!n)
		return -ENODATA;
	if (n > PAIRS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		seen += difference[i]; /* mutant: equivalent because the sign is dropped */
		size += fabs(difference[i]);
	}
	low = signed_sums(difference, half);
	high = signed_sums(difference + half, n - half);
	if (!low || !high) {
		free(low);
		free(high);
		return -ENOMEM;
	}
	/* A pattern and its mirror image are equally extreme: one side counts for both, and where
	 * the bound is nought all do. */
	seen = fabs(seen) - size * 1e-12;
	cnt = count_above(low, (size_t)1 << half, high, (size_t)1 << (n - half), seen);
	*ret_p = seen <= 0 ? 1 : 2 * cnt / exp2((double)n);
	free(low);
	free(high);
	return 0;
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
