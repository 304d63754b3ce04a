/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of `explain` share. Internal to scoring/.
 *
 * A fit is what one end of a claim and one end of a handoff have to do with each other. The rules
 * are those of contracts §5.1 before rank and amb groups, which are looked at afterwards.
 */
#ifndef ASSAY_SCORING_EXPLAIN_PARTS_H
#define ASSAY_SCORING_EXPLAIN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "scoring/explain.h"
#include "scoring/score.h"

struct explain {
	struct truth t;
	struct claims c;
	bool has_truth, has_claims;
	struct handoff_verdicts v;
	bool cheating; /* more decoys hit than by chance */
	uint64_t decoy_hits;
};

enum end_side { END_SRC = 0, END_DST = 1 };

/* One end of a claim. */
struct claim_end {
	bool known, kernel, listed; /* listed: on a thread of truth */
	uint32_t tid;
	uint64_t t;
};

enum fit_kind {
	FIT_WINDOW = 0,	      /* the time lies in src.t or dst.t, on the handoff's own thread */
	FIT_READY = 1,	      /* in dst.ready, which counts here */
	FIT_ELSEWHERE = 2,    /* another thread, by the key: matches at identity level only */
	FIT_READY_SHARED = 3, /* in dst.ready, without a key, and other ready windows hold it */
	FIT_KEY = 4,	      /* the keys differ */
	FIT_BEFORE = 5,	      /* `off` ns before the window begins */
	FIT_AFTER = 6,	      /* `off` ns after the windows end */
	FIT_MUTE = 7,	      /* on a thread outside `threads`, not said to be the kernel's */
	FIT_NOTHING = 8,      /* no such end in scored, or neither thread nor key in common */
};

struct fit {
	enum fit_kind kind;
	uint64_t off;
};

struct claim_end claim_end(const struct explain *x, const struct claim *c, enum end_side side);
struct fit fit_end(const struct explain *x, const struct claim *c, enum end_side side,
		   const struct truth_handoff *h);
bool fit_at_level(struct fit f, enum score_level level);

/* Both give a key of a listed space; and whether those keys are equal. */
bool keys_comparable(const struct explain *x, const struct claim *c, const struct truth_handoff *h);
bool keys_equal(const struct claim *c, const struct truth_handoff *h);

/* The handoff has that end, and it lies in scored. */
bool end_scored(const struct explain *x, const struct truth_handoff *h, enum end_side side);

/* ---- what is printed ---- */

void print_handoff(const struct truth_handoff *h, FILE *out);
void print_marks(uint32_t marks, FILE *out); /* ", punted, inline" */
void print_window(FILE *out, const struct window *w);
const char *outcome_name(unsigned outcome);

/* The candidates of one end: those that match, then the nearest that do not, with reasons. */
int print_candidates(const struct explain *x, const struct claim *c, enum end_side side, FILE *out);

/* The rank batch of handoff h on one side, and what each time of claims means in it; prints
 * nothing where h is in none or the claim gives no comparable key. */
int print_batch(const struct explain *x, const struct claim *c, enum end_side side,
		const struct truth_handoff *h, FILE *out);

/* Truth's records on a thread around a moment. */
int print_timeline(const struct explain *x, uint32_t tid, uint64_t t, FILE *out);

/* A claim of a kind other than handoff. */
int explain_other(const struct explain *x, const struct claim *c, FILE *out);

#endif
