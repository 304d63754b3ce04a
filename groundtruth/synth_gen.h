/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generator behind synth.h while it runs; private to groundtruth.
 *
 * Times within a round, from its start (each lane adds a jitter of its own):
 *
 *   0 … 511          quiet: no window, an end here matches nothing
 *   512 + 512·s …    slot s = 0 … 3: the windows of one handoff (see slot_handoff), or of a batch
 *   2560 … 3071      quiet again; decoys lie here
 *
 * Decoys and copies. "cheating" compares the decoy hits with those of the claims shifted by 1 to
 * 10 ms. Keys of decoys are used by the claims of their own case alone, and return after
 * DECOY_KEYS rounds, that is 16.8 ms; claims without a key stay on threads 2 and 3 of a lane,
 * decoys on threads 0 and 1. So no shifted claim meets a decoy, and one hit is enough to be
 * cheating.
 */
#ifndef ASSAY_GROUNDTRUTH_SYNTH_GEN_H
#define ASSAY_GROUNDTRUTH_SYNTH_GEN_H

#include "groundtruth/synth.h"
#include "groundtruth/truth.h"

enum {
	ROUND_NS = 4096,
	JITTER_NS = 1000,
	SLOT_NS = 512,
	QUIET_BEFORE = 0,
	QUIET_AFTER = 2560,
	LANE_THREADS = 4,
	DECOY_KEYS = 4096,
};

struct lane {
	uint32_t tid[LANE_THREADS];
	uint32_t kernel_tid; /* never listed */
	uint64_t first_key, decoys_cnt;
	uint64_t op;
	uint32_t op_index;
	uint32_t number;
};

/* A claim with the place that it has in the round. */
struct synth_claim {
	struct claim c;
	uint64_t t;
	uint32_t place;
};

struct synth_handoff {
	struct truth_handoff h;
	uint64_t t;
	uint32_t place;
	bool straddles; /* one end lies outside `scored` */
};

struct gen {
	struct synth_expect e;
	uint64_t random;	      /* state */
	uint64_t ids;		      /* dealt so far */
	uint32_t lanes_cnt, keys_cnt; /* keys of a lane */
	struct lane *lanes;
	struct window scored;
	double reach[SYNTH_CASE_CNT]; /* sums of shares up to each case, out of 1 */
	/* the case being made */
	struct lane *lane;
	uint64_t t; /* its start */
	uint8_t type;
	/* what the round holds */
	struct synth_handoff *handoffs;
	struct synth_claim *claims;
	struct truth_decoy *decoys;
	uint32_t handoffs_cnt, claims_cnt, decoys_cnt;
};

/* ---- synth_expect.c: what is said of a claim ---- */

enum said {
	SAID_RIGHT,
	SAID_DUPLICATE,
	SAID_FALSE_JOIN,
	SAID_HALF,
	SAID_SPURIOUS,
	SAID_ORPHAN,
	SAID_OUT_OF_SCOPE,
};
enum said_flag { SAID_ONE_END = 1u << 0, SAID_BY_READY = 1u << 1, SAID_DECOY = 1u << 2 };
enum { AT_CONTEXT = 1u << SYNTH_CONTEXT, AT_IDENTITY = 1u << SYNTH_IDENTITY, AT_BOTH = 3 };

/* One claim of the type, at these levels; marks as contracts §5.1 files it. */
void expect_claim(struct synth_expect *e, unsigned levels, uint8_t type, enum said said,
		  unsigned flags, uint16_t marks);
/* A truth handoff with both ends in scored. */
void expect_handoff(struct synth_expect *e, uint8_t type, uint16_t marks);
/* A handoff of which orphans alone speak, at both levels. */
void expect_orphan_only(struct synth_expect *e, uint8_t type, uint16_t marks);

/* ---- synth_make.c: the parts of a case ---- */

uint64_t gen_random(struct gen *g);
uint64_t gen_below(struct gen *g, uint64_t n); /* 0 … n - 1 */
uint64_t gen_id(struct gen *g);		       /* unique */
uint8_t gen_type(struct gen *g, uint32_t mask);

/* A key that fits the type, one of the lane's; another: the one after it. */
struct truth_key gen_key(struct gen *g);
struct truth_key gen_key_after(const struct gen *g, struct truth_key k);
struct truth_key gen_decoy_key(struct gen *g, bool used);
struct truth_key gen_foreign_key(struct gen *g);

/* A handoff in a slot, from one of the lane's threads to another; stays valid for the round. */
struct truth_handoff *slot_handoff(struct gen *g, unsigned slot, const struct truth_key *key,
				   unsigned from, unsigned to, uint16_t marks);

/* Moments of a slot's handoff: in src.t; in dst.t; in ready and before dst.t. */
uint64_t src_moment(struct gen *g, const struct truth_handoff *h);
uint64_t dst_moment(struct gen *g, const struct truth_handoff *h);
uint64_t ready_moment(struct gen *g, const struct truth_handoff *h);
uint64_t quiet_before(struct gen *g);
uint64_t quiet_after(struct gen *g);

/* A claim of the case's type; key NULL: none. Stays valid for the round. */
struct claim *make_claim(struct gen *g, const struct truth_key *key, uint32_t src_tid,
			 uint64_t src_t, uint32_t dst_tid, uint64_t dst_t);
/* The same with one end null. */
struct claim *make_src_orphan(struct gen *g, const struct truth_key *key, uint32_t tid, uint64_t t);
struct claim *make_dst_orphan(struct gen *g, const struct truth_key *key, uint32_t tid, uint64_t t);

/* A claim with the handoff's key and threads, right in dst.t. */
struct claim *true_claim(struct gen *g, const struct truth_handoff *h);

struct truth_decoy *make_decoy(struct gen *g, const struct truth_key *key);

/* ---- synth_right.c, synth_levels.c, synth_wrong.c: the cases ---- */

typedef void case_fn(struct gen *g);
case_fn case_right, case_reuse, case_keyless, case_batch, case_batch_swap, case_multishot,
	case_fanout, case_coalesced, case_amb;
case_fn case_kernel, case_receiver, case_stranger;
case_fn case_false_join, case_keyless_false, case_duplicate, case_shared_src, case_half,
	case_spurious, case_orphan, case_orphan_beside, case_missed;
case_fn case_one_ended, case_one_ended_named, case_one_ended_joined, case_out_of_scope, case_decoy,
	case_decoy_hit;

/* The handoffs that straddle the bounds of scored; they set the bounds. */
void straddle_first(struct gen *g);
void straddle_last(struct gen *g);

#endif
