/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be said beyond the cells that were run (contracts §5.8).
 *
 *   exact interval   Clopper & Pearson 1934, Biometrika 26(4): the bounds are the p at which as
 *                    many successes, or as few, would still be seen with probability
 *                    (1 − level)/2; quantiles of beta distributions, found by bisection of the
 *                    regularised incomplete beta function (Lentz's continued fraction, DLMF
 *                    §8.17(v))
 *   bootstrap        percentile intervals (Efron 1979, Ann. Stat. 7(1)); with levels, each is
 *                    drawn anew with replacement inside what was drawn above it (Davison &
 *                    Hinkley 1997, "Bootstrap Methods and their Application", §3.8)
 *   paired           Fisher's permutation: under no difference the sign of each paired
 *                    difference is a coin; p is the share of all 2^n sign patterns whose |sum| is
 *                    at least the one seen
 *   Holm             Holm 1979, Scand. J. Stat. 6(2): step-down, for the family-wise error
 *
 * Pure functions: the same input gives the same bytes, the bootstrap included (its stream of random
 * numbers is seeded by the caller). Thread-safe. Levels of confidence are shares such as 0.95.
 */
#ifndef ASSAY_SCORING_STATISTICS_H
#define ASSAY_SCORING_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	double lo, hi;
};

/* Of a share, from k of n; 0…1 where n is 0. k ≤ n. */
struct interval exact_interval(uint64_t k, uint64_t n, double level);

/* The t below which Student's distribution with df degrees of freedom has the share p: where x is
 * the quantile of the beta distribution (df/2, 1/2) at 2·min(p, 1−p), t² = df·(1−x)/x. 0 < p < 1,
 * df >= 1. */
double student_quantile(double p, double df);

/* One observation and where it hangs: levels from the widest (class) to the narrowest (seed). */
enum { BOOT_LEVELS_MAX = 3 };
struct boot_unit {
	uint32_t of[BOOT_LEVELS_MAX]; /* its unit at each level; compared inside the one above */
	uint32_t index;		      /* the caller's, handed to its statistic */
};

/*
 * What the statistic of a resample is: draws[0 … cnt) are the indexes of what was drawn, repeats
 * included. False: it has no value (0/0), and the resample does not count.
 */
typedef bool (*boot_statistic)(const uint32_t *draws, size_t cnt, void *arg, double *ret);

struct boot_options {
	unsigned levels; /* 1 … BOOT_LEVELS_MAX; the narrowest is drawn from as well */
	unsigned rounds;
	uint64_t seed;
	double level;
};

/*
 * The percentile interval of a statistic. units are sorted by the function. -ENODATA: nothing was
 * given or no resample had a value; -ENOMEM.
 */
int boot_interval(struct boot_unit *units, size_t cnt, const struct boot_options *o,
		  boot_statistic statistic, void *arg, struct interval *ret);

/*
 * The same for several statistics of one resample, such as the bins of a diagram: fill writes
 * `wide` values, NAN where it has none. ret holds `wide` intervals, NAN where no resample had a
 * value.
 */
typedef void (*boot_fill)(const uint32_t *draws, size_t cnt, void *arg, double *ret);
int boot_intervals(struct boot_unit *units, size_t cnt, const struct boot_options *o,
		   boot_fill fill, void *arg, size_t wide, struct interval *ret);

/*
 * Two-sided p of n paired differences. Exact: the distinct sums of both halves are made, with how
 * many patterns have each, and counted against each other. Sums that differ by less than rounding
 * can make them differ count as equal. Up to PAIRS_MAX pairs always; of more where their sums
 * coincide, as those of ranks and shares do, else -E2BIG. -ENODATA where n is 0, -ENOMEM.
 */
enum { PAIRS_MAX = 40 };
int paired_permutation(const double *difference, size_t n, double *ret_p);

/* Adjusts n p-values in place, their order kept. -ENOMEM. */
int holm(double *p, size_t n);

/* By nearest rank: the ⌈q·n⌉-th of n sorted values, the first for q = 0. n > 0. */
double quantile_sorted(const double *sorted, size_t n, double q);

/* A waiting time; censored: it had not ended when nobody looked any more. */
struct waited {
	double t;
	bool censored;
};

/*
 * The median by Kaplan and Meier (1958, J. Am. Stat. Assoc. 53): the first time at which the
 * estimated share that still waits is at most a half. False: half of them never ended, or n is 0.
 * Sorts v.
 */
bool censored_median(struct waited *v, size_t n, double *ret);

#endif
