/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two runs, or two profilers, figure by figure (contracts §5.8).
 *
 * Cells are paired that differ in nothing but the side: workload, variant, regime, binding, seed
 * and, where only runs are named, profiler. Figures of unchanged programs are compared seed by
 * seed, one comparison a workload; what was found out of mutants is compared quad by quad, each
 * with the mean over its seeds, since the unit there is the mutation. From PAIRS_MIN pairs on a
 * comparison has an exact paired permutation p, adjusted by Holm over all of them; with fewer, and
 * where there are too many to be permuted, it has ranges alone.
 *
 * A third side made like A (an A/A run) gives a noise floor for each comparison: the farther bound
 * of the 95 % bootstrap interval of its mean difference to A. Where it is given and has fewer than
 * PAIRS_MIN pairs with A, the floor is not known, and no difference is beyond it.
 */
#ifndef ASSAY_HARNESS_COMPARE_H
#define ASSAY_HARNESS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/diag.h"
#include "lib/files.h"

enum { PAIRS_MIN = 12 };
#define COMPARE_ALPHA 0.05

struct compare_metric {
	char metric[64], scope[64];
};

/* One figure of one cell. */
struct compare_figure {
	char *key;	    /* workload, variant, regime, binding, profiler: what must agree */
	unsigned long seed; /* of quads 0: the mean over seeds */
	char *row;	    /* what a comparison is about: a workload, all mutants, all twins */
	bool of_quad;
	double value;
	size_t metric;
};

/* One side: the figures of a run, or of one profiler of it. Owned. */
struct compare_side {
	char profiler[256]; /* "": all */
	struct compare_figure *v;
	size_t cnt, room;
};

/*
 * "RUN" or "RUN:PROFILER" ("RUN:causal live" for one that ran live). -ENOENT where there is no such
 * run or no figure of that profiler, -EINVAL where its scores are malformed.
 */
int compare_load(const char *word, const struct compare_metric *metrics, size_t cnt,
		 struct compare_side *ret, struct diag *d);
void compare_side_free(struct compare_side *s);

struct comparison {
	char *row;
	size_t metric, pairs;
	double a, b;		       /* means over the pairs */
	double a_lo, a_hi, b_lo, b_hi; /* ranges */
	bool has_p;		       /* PAIRS_MIN pairs at least, and not too_many */
	bool too_many;		       /* pairs, to be permuted exactly */
	double p, holm;
	bool wants_noise; /* there was a third side */
	bool has_noise;
	double noise;
};

struct comparisons {
	struct comparison *v;
	size_t cnt;
};

/* noise may be NULL. -ENOMEM. */
int compare_sides(const struct compare_side *a, const struct compare_side *b,
		  const struct compare_side *noise, struct comparisons *ret, struct diag *d);
void comparisons_free(struct comparisons *c);

/* The difference is beyond chance (Holm at most 0.05) and, with a third side, beyond the noise. */
bool comparison_differs(const struct comparison *c);

/* Of a figure of scores.csv: 1 where more is better, -1 where less is, 0 where neither is, as of
 * counts of what there was. */
int compare_sense(const char *metric, const char *scope);

#endif
