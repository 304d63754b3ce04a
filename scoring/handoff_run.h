/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One scoring of handoffs in progress. Internal to scoring/.
 *
 * Claims are judged by several workers over one read-only index; what they share is marked. Every
 * worker counts for itself; counts are sums, lists are settled in an order of their own, so nothing
 * depends on which worker judged what.
 */
#ifndef ASSAY_SCORING_HANDOFF_RUN_H
#define ASSAY_SCORING_HANDOFF_RUN_H

#include <stdatomic.h>

#include "scoring/handoff.h"
#include "scoring/handoff_workers.h"

enum { OUTCOME_CNT = 8, COPIES = 200 };

enum tally_flag {
	TALLY_TWO_ENDED = 1,
	TALLY_BY_READY = 2,
	TALLY_DECOY = 4,
	TALLY_BLIND = 8, /* right about a handoff that cannot be seen */
	TALLY_FLAGS = 16,
};

struct tally {
	uint64_t n[HANDOFF_TYPE_CNT][SOURCE_CNT][OUTCOME_CNT][TALLY_FLAGS];
	uint64_t mark[MARK_CNT][OUTCOME_CNT][TALLY_FLAGS];
};

/* Bits of `heard`: orphans by source below, then these. */
enum heard { HEARD_ORPHANS = (1u << SOURCE_CNT) - 1, HEARD_TWO = 1u << 5, HEARD_JOINED = 1u << 6 };

struct used_keys;

/* A claim with S ∩ D not empty that is not credited in passing; its handoffs are those of S ∩ D
 * with two ends. With what is asked of the claim often, so that it is seldom read again. */
struct bid {
	size_t edge; /* first of its handoffs in bids.to */
	double conf;
	uint32_t claim, edge_cnt;
	uint32_t seen; /* its src observation; HX_NONE: which means no other handoff */
	uint16_t marks;
	uint8_t type, source;
	bool by_ready;
	bool shared; /* another claim of its src observation may mean another handoff */
	bool free;   /* all of S ∩ D is multishot, coalesced or fanout */
	bool hard;   /* goes through the matching */
};

struct bids {
	struct bid *v;
	size_t cnt, cap;
	struct list to;
};

struct run {
	const struct truth *t;
	const struct claims *c;
	struct mem mem;
	struct hx x;
	struct handoff_verdicts verdicts;
	/* shared by workers, relaxed: who has each handoff alone (claim + 1, 32 bits a level), and
	   what was heard */
	_Atomic(uint64_t) *owner;
	_Atomic(uint8_t) *heard[LEVEL_CNT];
	struct used_keys *used; /* keys asked for by late claims; set before they are judged */
	struct tally tally[LEVEL_CNT];
	struct list slow;
	unsigned workers;
	uint32_t epoch; /* as asked for */
};

struct worker {
	struct run *r;
	struct ends ends;
	size_t place;	    /* on the line of time, of the last plain claim */
	struct tally plain; /* of both levels */
	struct tally tally[LEVEL_CNT];
	struct list slow, late;
	struct bids bids[LEVEL_CNT];
	struct hx_time *times;
	size_t times_cnt, times_cap;
	uint64_t copy_hits[COPIES];
};

static inline uint32_t owner_of(const struct run *r, enum score_level level, uint32_t h)
{
	return (uint32_t)(atomic_load_explicit(&r->owner[h], memory_order_relaxed) >> 32 * level);
}

/* For one thread a level. */
static inline void owner_set(struct run *r, enum score_level level, uint32_t h, uint32_t who)
{
	uint64_t was = owner_of(r, level, h);

	atomic_fetch_xor_explicit(&r->owner[h], (was ^ who) << 32 * level, memory_order_relaxed);
}

/* ---- handoff_judge.c ---- */

/* Of a claim in worker.late: it waits to know whether its key is used at all, not for a rank. */
enum { KEY_IN_DOUBT = 1u << 31 };

/* The entry after that at i: a claim and its flag, how many were found near, those, far, those. */
static inline size_t late_next(const struct list *late, size_t i)
{
	i += 2 + late->v[i + 1];
	return i + 1 + late->v[i];
}

/* Settles the claim or puts it off. 0 or -ENOMEM. */
int judge(struct worker *w, uint32_t claim);

/* Settles what was put off: every batch is ranked, every key known. 0 or -ENOMEM. */
int judge_late(struct worker *w, const struct list *late);

/* The flag TALLY_BLIND if the handoff cannot be seen at the level. */
static inline unsigned tally_blind(const struct hx *x, enum score_level level, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];

	return r->marks & x->blind[level][r->type] ? TALLY_BLIND : 0;
}

void tally_add(struct tally *y, uint8_t type, uint8_t source, uint8_t outcome, unsigned flags,
	       uint16_t marks, int64_t by);
void verdict_set(struct run *r, enum score_level level, uint32_t claim, uint8_t outcome,
		 uint32_t credited);

/* May another claim of the src observation of claim c, which means h, mean another handoff? */
bool shares_src(struct worker *w, const struct claim *c, const struct probe *p, uint32_t h);

/* The claim's S ∩ D is h alone, which has two ends and no amb group, and its src observation is not
 * shared: credits it if h is free, else bids for it. flags: of the tally if right. 0 or -ENOMEM. */
int contend_for(struct worker *w, enum score_level level, uint32_t claim, uint32_t h,
		unsigned flags);

/* The same at both levels. */
int contend_both(struct worker *w, uint32_t claim, uint32_t h, unsigned flags);

/* ---- handoff_plain.c ---- */

/* The handoff that is S ∩ D of a plain claim at both levels; HX_NONE: the claim is not plain. */
uint32_t plain_match(struct worker *w, const struct claim *c);

/* Settles the claim if it is plain; else judges it if no index is needed, or lists it as slow. 0 or
 * -ENOMEM. */
int judge_plain(struct worker *w, uint32_t claim);

/* ---- handoff_keys.c ---- */

/* Which of the keys in doubt does a handoff of truth use? NULL if memory fails. */
struct used_keys *used_keys_new(const struct run *r, const struct worker *w);
void used_keys_free(struct used_keys *u);
bool used_keys_has(const struct used_keys *u, const struct probe *p);

/* ---- handoff_credit.c ---- */

/* Enters a bid of claim c for all of `to`. 0 or -ENOMEM. */
int bid_for(struct bids *b, const struct bid *bid, const struct claim *c, const uint32_t *to,
	    size_t cnt);
void bids_free(struct bids *b);

/* Settles all bids of a level by the maximum matching; those of the workers move to the first. Both
 * levels may be settled at once. 0 or -ENOMEM. */
int credit(struct run *r, struct worker *w, enum score_level level);

/* ---- handoff_copies.c ---- */

/* Do the claims hit more decoys than any of their copies? hits: those at context level. */
int judge_cheating(struct run *r, struct worker *w, uint64_t hits, bool *ret);

/* ---- handoff_score.c ---- */

/* fn for stretches of 0…cnt - 1 with the array of workers; the first error. */
int claims_each(struct run *r, struct worker *w, size_t cnt,
		int (*fn)(void *workers, unsigned worker, size_t from, size_t to));

/* ---- handoff_count.c ---- */

void count_all(const struct run *r, struct handoff_score *ret);

#endif
