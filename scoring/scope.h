/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies in `scored`, and ratios that may have nothing below the line (contracts §5, top).
 *
 * A window is scored if both bounds lie in `scored`; a claim is, unless a known end of it lies
 * outside. 0/0, and anything else over 0, is no number: `has` is false and the printer writes
 * null. All functions are pure.
 */
#ifndef ASSAY_SCORING_SCOPE_H
#define ASSAY_SCORING_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

#define SCOPE_NONE UINT32_MAX /* no record */

struct ratio {
	double v;
	bool has;
};

/* The greatest figure of all, far beyond any that means something, and so far below what a double
 * holds that squares and sums over cells are finite. A claim of 2^64 with an ip of 5e-324 weighs
 * more than a double holds, and what is not finite is refused in scores.csv: a single claim would
 * leave a run without scores. */
#define FIGURE_MOST 1e100

static inline double figure_bound(double v)
{
	return v > FIGURE_MOST ? FIGURE_MOST : v < -FIGURE_MOST ? -FIGURE_MOST : v;
}

static inline struct ratio ratio_known(double v)
{
	return (struct ratio){.v = figure_bound(v), .has = true};
}

static inline struct ratio ratio_of(double num, double den)
{
	num = figure_bound(num);
	den = figure_bound(den);
	return den > 0 ? ratio_known(num / den) : (struct ratio){.has = false};
}

static inline bool window_holds(const struct window *w, uint64_t t)
{
	return w->t0 <= t && t <= w->t1;
}

static inline bool time_scored(const struct truth *t, uint64_t x)
{
	return window_holds(&t->scored, x);
}

static inline bool window_scored(const struct truth *t, const struct window *w)
{
	return time_scored(t, w->t0) && time_scored(t, w->t1);
}

/* Two ends, both in `scored`: the denominator of contracts §5.1 (never asks for `ready`). */
static inline bool handoff_scored(const struct truth *t, const struct truth_handoff *h)
{
	return h->has & TH_SRC && h->has & TH_DST && window_scored(t, &h->src_t) &&
	       window_scored(t, &h->dst_t);
}

static inline size_t claims_count(const struct claims *c, enum claim_kind kind)
{
	size_t cnt = 0;

	for (size_t i = 0; i < c->cnt; i++)
		cnt += c->v[i].kind == kind;
	return cnt;
}

/* Three-way comparison for sorting. */
#define CMP3(a, b) (((a) > (b)) - ((a) < (b)))

#endif
