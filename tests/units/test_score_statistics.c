/* SPDX-License-Identifier: BSD-2-Clause */
/* Intervals and tests against GSL, against all patterns, and against what is known beforehand. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "scoring/statistics.h"

#define NEAR(a, b, by) cr_expect(fabs((a) - (b)) <= (by), "%.17g is not near %.17g", a, b)

/* ---- exact intervals ---- */

Test(statistics, exact_intervals_are_gsls_beta_quantiles)
{
	static const uint64_t sizes[] = {1, 2, 3, 7, 26, 60, 200, 5000, 1000000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (unsigned part = 0; part <= 20; part++) {
			uint64_t n = sizes[i], k = n * part / 20;
			struct interval r = exact_interval(k, n, 0.95);
			double a = (double)k, b = (double)(n - k);

			if (k)
				NEAR(gsl_cdf_beta_P(r.lo, a, b + 1), 0.025, 1e-8);
			else
				cr_expect(eq(dbl, r.lo, 0));
			if (k < n)
				NEAR(gsl_cdf_beta_P(r.hi, a + 1, b), 0.975, 1e-8);
			else
				cr_expect(eq(dbl, r.hi, 1));
		}
}

/* The definition itself: at the bound, what was seen or more has exactly the tail's probability. */
Test(statistics, exact_bounds_leave_the_tails_that_they_promise)
{
	for (unsigned n = 1; n <= 60; n++)
		for (unsigned k = 0; k <= n; k++) {
			struct interval r = exact_interval(k, n, 0.9);

			if (k)
				NEAR(gsl_cdf_binomial_Q(k - 1, r.lo, n), 0.05, 1e-9);
			if (k < n)
				NEAR(gsl_cdf_binomial_P(k, r.hi, n), 0.05, 1e-9);
		}
}

Test(statistics, exact_interval_of_nothing_is_everything)
{
	struct interval r = exact_interval(0, 0, 0.95);

	cr_expect(eq(dbl, r.lo, 0));
	cr_expect(eq(dbl, r.hi, 1));
	r = exact_interval(0, 10, 0.95);
	NEAR(r.hi, 1 - pow(0.025, 0.1), 1e-12); /* the rule of three, exactly */
}

/* 95 of 100 intervals at least hold the truth: over every outcome, weighted by its probability. */
Test(statistics, exact_intervals_cover_what_they_promise)
{
	for (unsigned step = 1; step < 40; step++) {
		double p = step / 40.0, held = 0;

		for (unsigned k = 0; k <= 30; k++) {
			struct interval r = exact_interval(k, 30, 0.95);

			if (r.lo <= p && p <= r.hi)
				held += gsl_ran_binomial_pdf(k, p, 30);
		}
		cr_expect(held >= 0.95, "p %.3f is held with %.4f", p, held);
	}
}

/* ---- paired permutation ---- */

static double by_all_patterns(const double *v, size_t n)
{
	double seen = 0, size = 0;
	size_t as_extreme = 0;

	for (size_t i = 0; i < n; i++) {
		seen += v[i];
		size += fabs(v[i]);
	}
	for (size_t bits = 0; bits < (size_t)1 << n; bits++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += bits >> i & 1 ? v[i] : -v[i];
		as_extreme += fabs(sum) >= fabs(seen) - 1e-12 * size;
	}
	return (double)as_extreme / (double)((size_t)1 << n);
}

Test(statistics, permutation_counts_all_patterns)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double v[14], p;

	for (unsigned round = 0; round < 400; round++) {
		size_t n = 1 + round % 14;

		/* every third round whole numbers, so that ties abound */
		for (size_t i = 0; i < n; i++)
			v[i] = round % 3 ? gsl_ran_gaussian(rng, 1) + 0.4
					 : (double)gsl_rng_uniform_int(rng, 5) - 1;
		cr_assert(zero(int, paired_permutation(v, n, &p)));
		NEAR(p, by_all_patterns(v, n), 1e-12);
	}
	gsl_rng_free(rng);
}

Test(statistics, permutation_knows_its_extremes)
{
	double same[12] = {0}, up[12], tenths[12], p = 7, many[42];

	/* too many of them add up to a sum of their own */
	for (unsigned i = 0; i < 42; i++)
		many[i] = exp2(i / 43.0) * (i % 2 ? 1 : -1);
	cr_expect(eq(int, paired_permutation(same, 0, &p), -ENODATA));
	cr_expect(eq(int, paired_permutation(many, 42, &p), -E2BIG));
	cr_expect(eq(dbl, p, 7));
	cr_expect(zero(int, paired_permutation(many, PAIRS_MAX, &p)));
	cr_assert(zero(int, paired_permutation(same, 12, &p)));
	cr_expect(eq(dbl, p, 1));
	/* Twelve of twelve on one side: only that pattern and its mirror image are as extreme. */
	for (unsigned i = 0; i < 12; i++) {
		up[i] = 1 + i;
		tenths[i] = 0.1; /* sums of tenths round differently in different orders */
	}
	cr_assert(zero(int, paired_permutation(up, 12, &p)));
	NEAR(p, 2.0 / 4096, 1e-15);
	cr_assert(zero(int, paired_permutation(tenths, 12, &p)));
	NEAR(p, 2.0 / 4096, 1e-15);
}

/* Of three that agree p is 2 of 8, whatever they are measured in, nothing and 1 in all included. */
Test(statistics, permutation_knows_no_unit)
{
	static const double units[] = {1, 1e-15, 1e15, 4};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double v[] = {0.25 / units[i], 0.25 / units[i], 0.5 / units[i]}, p;

		cr_assert(zero(int, paired_permutation(v, 3, &p)));
		NEAR(p, 0.25, 1e-15);
		v[0] = -v[0]; /* three of four patterns reach the half of it */
		cr_assert(zero(int, paired_permutation(v, 3, &p)));
		NEAR(p, 0.75, 1e-15);
		v[2] = 0; /* a sum of nothing is the least extreme one */
		cr_assert(zero(int, paired_permutation(v, 3, &p)));
		NEAR(p, 1.0, 1e-15);
	}
}

Test(statistics, permutation_is_exact_at_its_limit)
{
	double v[PAIRS_MAX], p;

	for (unsigned i = 0; i < PAIRS_MAX; i++)
		v[i] = 1;
	v[0] = -1;
	cr_assert(zero(int, paired_permutation(v, PAIRS_MAX, &p)));
	/* |sum| ≥ 38: none or one of forty signs differs from the rest */
	NEAR(p * exp2(PAIRS_MAX), 2.0 * (1 + 40), 1e-3);
}

/* Quads, of which there are more than can be tried pattern by pattern: all that were found by one
 * and not by the other count 1, the others nothing. So it is a sign test. */
Test(statistics, permutation_is_exact_for_many_pairs_whose_sums_coincide)
{
	double v[116] = {0}, p;

	for (unsigned i = 0; i < 45; i++)
		v[2 * i] = i < 30 ? 1 : -1;
	cr_assert(zero(int, paired_permutation(v, 116, &p)));
	/* of 45 coins at least 30 fall on one side */
	NEAR(p, 2 * gsl_cdf_binomial_Q(29, 0.5, 45), 1e-14);
	/* shares over three seeds: thirds round differently in different orders */
	for (unsigned i = 0; i < 116; i++)
		v[i] /= 3;
	cr_assert(zero(int, paired_permutation(v, 116, &p)));
	NEAR(p, 2 * gsl_cdf_binomial_Q(29, 0.5, 45), 1e-14);
	for (unsigned i = 0; i < 116; i++)
		v[i] = i % 2 ? 1 / 3.0 : 2 / 3.0;
	cr_assert(zero(int, paired_permutation(v, 116, &p)));
	NEAR(p * exp2(115), 1.0, 1e-9);
}

/* ---- Holm ---- */

Test(statistics, holm_steps_down)
{
	double p[] = {0.01, 0.04, 0.03, 0.005}, one = 0.2, large[] = {0.6, 0.7};

	cr_assert(zero(int, holm(p, 4)));
	NEAR(p[3], 0.02, 1e-15);
	NEAR(p[0], 0.03, 1e-15);
	NEAR(p[2], 0.06, 1e-15);
	NEAR(p[1], 0.06, 1e-15); /* never below one with a smaller p */
	cr_assert(zero(int, holm(&one, 1)));
	NEAR(one, 0.2, 1e-15);
	cr_assert(zero(int, holm(large, 2)));
	NEAR(large[0], 1.0, 1e-15);
	cr_assert(zero(int, holm(NULL, 0)));
}

/* ---- bootstrap ---- */

enum { MANY = 200 };

static bool mean_of(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	const double *v = arg;
	double sum = 0;

	for (size_t i = 0; i < cnt; i++)
		sum += v[draws[i]];
	*ret = sum / (double)cnt;
	return true;
}

static bool no_value(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	return false;
}

/* Of a plain mean the interval is the normal one, which GSL knows. */
Test(statistics, bootstrap_of_a_mean_is_normal)
{
	struct boot_options o = {.levels = 1, .rounds = 4000, .seed = 7, .level = 0.95};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct boot_unit units[MANY];
	double v[MANY], mean, error;
	struct interval r;

	for (uint32_t i = 0; i < MANY; i++) {
		v[i] = gsl_ran_gaussian(rng, 3);
		units[i] = (struct boot_unit){.of = {MANY - i}, .index = i};
	}
	cr_assert(zero(int, boot_interval(units, MANY, &o, mean_of, v, &r)));
	mean = gsl_stats_mean(v, 1, MANY);
	error = gsl_stats_sd(v, 1, MANY) / sqrt(MANY);
	NEAR(r.lo, mean + gsl_cdf_ugaussian_Pinv(0.025) * error, 0.1 * error);
	NEAR(r.hi, mean + gsl_cdf_ugaussian_Pinv(0.975) * error, 0.1 * error);
	gsl_rng_free(rng);
}

/* Copies of one quad are no news: a hundred seeds of four quads say as much as four. */
Test(statistics, bootstrap_does_not_take_seeds_for_quads)
{
	struct boot_options o = {.levels = 3, .rounds = 4000, .seed = 7, .level = 0.95};
	static const double quad[] = {0, 0.2, 0.7, 1};
	struct boot_unit flat[4], deep[400], crowd[400];
	double few[4], many[400], means[4];
	struct interval a, b, c;
	double width;

	for (uint32_t i = 0; i < 4; i++) {
		few[i] = means[i] = quad[i];
		flat[i] = (struct boot_unit){.of = {0, i, 1}, .index = i};
	}
	for (uint32_t i = 0; i < 400; i++) {
		many[i] = quad[i % 4];
		deep[i] = (struct boot_unit){.of = {0, i % 4, i}, .index = i};
		crowd[i] = (struct boot_unit){.of = {0, i, 1}, .index = i};
	}
	cr_assert(zero(int, boot_interval(flat, 4, &o, mean_of, few, &a)));
	cr_assert(zero(int, boot_interval(deep, 400, &o, mean_of, many, &b)));
	cr_assert(zero(int, boot_interval(crowd, 400, &o, mean_of, many, &c)));
	width = a.hi - a.lo;
	NEAR(b.hi - b.lo, width, 0.1 * width);
	/* as if they were 400 quads, the interval would be a tenth as wide */
	NEAR(c.hi - c.lo, width / 10, 0.25 * width / 10);
	/* of four, the mean itself: sd = sqrt(Σ(x − x̄)²/4)/2, wide as normal to a fifth */
	NEAR(width, 2 * 1.96 * sqrt(gsl_stats_variance(means, 1, 4) * 3 / 4) / 2, 0.2 * width);
}

/* The tree is found in any order of the units, with branches of unequal size. */
Test(statistics, bootstrap_draws_every_level_and_knows_no_order)
{
	struct boot_options o = {.levels = 3, .rounds = 500, .seed = 3, .level = 0.9};
	struct boot_unit up[9], down[9];
	double v[9];
	struct interval a, b;

	for (uint32_t i = 0; i < 9; i++) {
		v[i] = i * i;
		up[i] = (struct boot_unit){.of = {i < 2 ? 5 : 9, i / 3, i % 3}, .index = i};
		down[8 - i] = up[i];
	}
	cr_assert(zero(int, boot_interval(up, 9, &o, mean_of, v, &a)));
	cr_assert(zero(int, boot_interval(down, 9, &o, mean_of, v, &b)));
	cr_expect(eq(dbl, a.lo, b.lo));
	cr_expect(eq(dbl, a.hi, b.hi));
	cr_expect(lt(dbl, a.lo, a.hi));
	/* the lowest that can be drawn is one class of one quad alone */
	cr_expect(ge(dbl, a.lo, 0));
	cr_expect(le(dbl, a.hi, 64));
}

Test(statistics, bootstrap_of_nothing_has_no_interval)
{
	struct boot_options o = {.levels = 1, .rounds = 10, .seed = 1, .level = 0.95};
	struct boot_unit one = {.index = 0};
	double v = 4;
	struct interval r = {7, 7};

	cr_expect(eq(int, boot_interval(NULL, 0, &o, mean_of, &v, &r), -ENODATA));
	cr_expect(eq(int, boot_interval(&one, 1, &o, no_value, &v, &r), -ENODATA));
	cr_expect(eq(dbl, r.lo, 7));
	cr_assert(zero(int, boot_interval(&one, 1, &o, mean_of, &v, &r)));
	cr_expect(eq(dbl, r.lo, 4));
	cr_expect(eq(dbl, r.hi, 4));
}

Test(statistics, quantiles_are_by_nearest_rank)
{
	static const double v[] = {1, 2, 3, 4};

	cr_expect(eq(dbl, quantile_sorted(v, 4, 0), 1));
	cr_expect(eq(dbl, quantile_sorted(v, 4, 0.5), 2));
	cr_expect(eq(dbl, quantile_sorted(v, 4, 0.51), 3));
	cr_expect(eq(dbl, quantile_sorted(v, 4, 1), 4));
}

Test(statistics, median_counts_those_who_still_wait)
{
	struct waited plain[] = {{5, false}, {1, false}, {3, false}, {4, false}};
	struct waited half[] = {{1, false}, {2, false}, {9, true}, {9, true}};
	struct waited most[] = {{1, false}, {9, true}, {9, true}};
	/* By hand: 4/5 wait on after 6; of the two that are left half wait on after 8: 2/5. */
	struct waited early[] = {{6, false}, {7, true}, {8, false}, {6.5, true}, {10, false}};
	/* Of the same time those that ended come first: 2/3 wait on, and nobody else ends. */
	struct waited together[] = {{3, true}, {3, false}, {5, true}};
	struct waited swapped[] = {{3, false}, {3, true}, {5, true}};
	double t = 0;

	cr_expect(not(censored_median(together, 3, &t)));
	cr_expect(not(censored_median(swapped, 3, &t)));
	cr_assert(censored_median(plain, 4, &t));
	cr_expect(eq(dbl, t, 3));
	cr_assert(censored_median(half, 4, &t));
	cr_expect(eq(dbl, t, 2));
	cr_expect(not(censored_median(most, 3, &t)));
	cr_expect(not(censored_median(NULL, 0, &t)));
	cr_expect(eq(dbl, t, 2));
	cr_assert(censored_median(early, 5, &t));
	cr_expect(eq(dbl, t, 8));
}

/* What docs/scoring.md says in words; its other examples are tested above. */
Test(statistics, page_shows_what_is_computed)
{
	struct waited w[] = {{10, false}, {20, false}, {30, false},
			     {500, true}, {500, true}, {500, true}};
	double up[12], p, median = 0;

	NEAR(exact_interval(9, 9, 0.95).lo, 0.664, 0.0005);
	cr_assert(censored_median(w, 6, &median));
	cr_expect(eq(dbl, median, 30));
	for (unsigned i = 0; i < 12; i++)
		up[i] = 0.002;
	cr_assert(zero(int, paired_permutation(up, 12, &p)));
	NEAR(p, 0.0005, 0.00002);
}
