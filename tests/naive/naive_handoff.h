/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contracts §5.1 a second time, as slowly and as literally as possible, for small inputs.
 *
 * Shares no code with scoring/: every set is a row of a table, every batch a closure over pairs,
 * every matching the best of all matchings. At most NAIVE_MAX handoffs and claims. Where the
 * contract can be read in two ways it reads as scoring/handoff.h says. Not thread-safe.
 */
#ifndef ASSAY_TESTS_NAIVE_HANDOFF_H
#define ASSAY_TESTS_NAIVE_HANDOFF_H

#include "scoring/score.h"

enum { NAIVE_MAX = 96 };

struct naive {
	const struct truth *t;
	const struct claims *c;
	size_t hn, cn;
	int level;
	bool src_in[NAIVE_MAX], dst_in[NAIVE_MAX];	       /* ends of handoffs in scored */
	bool in[NAIVE_MAX];				       /* claim is scored at this level */
	bool out[NAIVE_MAX];				       /* claim is out of scope */
	bool s[NAIVE_MAX][NAIVE_MAX], d[NAIVE_MAX][NAIVE_MAX]; /* claim, handoff */
	int want[NAIVE_MAX], best[NAIVE_MAX];		       /* claim → handoff, -1 */
	int order[NAIVE_MAX];				       /* claims by preference */
	int found;					       /* best is set */
	uint8_t outcome[NAIVE_MAX];
};

/* ---- naive_sets.c ---- */

bool naive_in(struct window w, uint64_t t);
bool naive_window_scored(const struct truth *t, struct window w);
bool naive_claim_key(const struct naive *n, const struct claim *c);

/* -1: not both give a comparable key, else whether they are equal. */
int naive_keys(const struct naive *n, const struct claim *c, const struct truth_key *k);

/* Is h in D, rank and amb aside? ready: by dst.ready as well as dst.t. */
bool naive_far(const struct naive *n, const struct claim *c, size_t h, bool ready);
bool naive_same_amb(const struct naive *n, size_t a, size_t b);

/* The batch of h: all that a chain of overlaps reaches. member: NAIVE_MAX. */
void naive_batch(const struct naive *n, size_t h, bool src, bool *member);

/* Fills in, out, s and d. */
void naive_init(struct naive *n, const struct truth *t, const struct claims *c, int level);

/* ---- naive_match.c ---- */

bool naive_two_ended(const struct claim *c);
bool naive_any(const struct naive *n, const bool *row);
bool naive_sd_any(const struct naive *n, size_t i);

/* Fills best. */
void naive_match(struct naive *n);

/* ---- naive_handoff.c ---- */

/* §5.1 whole; all arrays of v are needed. */
void naive_score(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		 struct handoff_verdicts *v);

#endif
