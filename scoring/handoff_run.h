/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One scoring of handoffs in progress. Internal to scoring/.
 *
 * Each stretch is scored by one of several workers with memory of its own, the rest by the first of
 * them at the end. Counts are sums, lists are settled in an order of their own, so nothing depends
 * on which worker judged what. What stretches share is read-only, but for verdicts, each written
 * by whoever judges the claim or counts the handoff.
 */
#ifndef ASSAY_SCORING_HANDOFF_RUN_H
#define ASSAY_SCORING_HANDOFF_RUN_H

#include "scoring/handoff.h"
#include "scoring/handoff_cuts.h"
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
enum { HEARD_ROW = 8 }; /* handoffs of which what was heard is looked at together */
enum heard {
	HEARD_ORPHANS = (1u << SOURCE_CNT) - 1,
	HEARD_TWO = 1u << 5,
	HEARD_JOINED = 1u << 6,
	HEARD_COUNTED = HEARD_ORPHANS | HEARD_JOINED /* nothing is counted where neither was */
};

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

/* Levels at which claims come to the same: bits. */
enum levels {
	ON_CONTEXT = 1u << LEVEL_CONTEXT,
	ON_IDENTITY = 1u << LEVEL_IDENTITY,
	ON_BOTH = ON_CONTEXT | ON_IDENTITY,
	ON_CNT
};

struct bids {
	struct bid *v;
	size_t cnt, cap;
	struct list to;
};

struct run {
	const struct truth *t;
	const struct claims *c;
	struct mem mem; /* of what is shared */
	struct ground ground;
	struct cuts cuts;
	struct handoff_verdicts verdicts;
	bool asked;		/* for any verdict */
	uint32_t *key_tags;	/* of each record of truth with a comparable key: key_tag */
	struct used_keys *used; /* of the keys in doubt; set before what hangs on it is judged */
	struct tally tally[LEVEL_CNT];
	unsigned workers;
	struct score_shape shape;
	bool sort;	/* truth is not in the order of time */
	bool amb_apart; /* amb groups are left to the rest: some lie in several stretches */
};

/* One src observation: type, key value, tid, t. */
struct seen {
	uint64_t v, t;
	uint32_t tid, place, group;
	uint8_t type;
	bool comparable;
	bool mixed; /* its bids mean several handoffs */
	bool free;
};

/* A handoff at stake. */
struct stake {
	uint32_t h, best; /* best: bid, HX_NONE: none */
	bool hard;
};

/* The bids of one level, or of both alike, while they are settled; kept for its room. */
struct book {
	struct worker *w;
	unsigned levels;
	enum score_level level; /* the first of them */
	struct tally *tally;
	struct bids *bids; /* once entered, `to` holds places of stakes */
	struct seen *seen;
	struct stake *stake;
	size_t seen_cnt, seen_cap, stake_cnt, stake_cap;
	uint32_t *slot; /* of seen, open addressing: place + 1 */
	size_t slots;
};

/* An amb group met in a stretch: a hash, and whether the stretch settled it. */
struct amb_met {
	uint64_t group;
	bool settled;
};

/* Who has the handoff to himself: claim + 1, 0: nobody. */
struct owner {
	uint32_t of[LEVEL_CNT];
};

struct worker {
	struct run *r;
	/* the stretch */
	struct mem mem;
	struct hx x;
	struct window time;  /* claims of the stretch have all their known ends in it */
	uint64_t reached;    /* first time of the handoff that was entered last */
	uint32_t reaching;   /* how many handoffs, the first, began in earlier ones */
	struct owner *owner; /* by handoff, as what follows */
	uint8_t *heard[LEVEL_CNT];
	size_t place; /* on the line of time, of the last plain claim */
	struct ends ends;
	struct list whole;	/* of the S ∩ D at hand, what has two ends */
	struct list slow, late; /* late: found, not settled (struct late) */
	struct book book;
	struct bids bids[ON_CNT]; /* by levels */
	struct hx_time *times;
	size_t times_cnt, times_cap;
	/* for the end */
	struct list rest_claims, rest_truth; /* rest_truth: records, some twice */
	struct list doubts;		     /* claims that match nothing, of a key in doubt */
	struct amb_met *amb_met;	     /* groups that had an own handoff in a stretch */
	size_t amb_cnt, amb_cap;
	struct tally plain; /* of both levels */
	struct tally tally[LEVEL_CNT];
	struct handoff_score heard_sum; /* what handoffs had said of them */
	uint64_t copies[COPIES];	/* by copy: claims with an end in a decoy */
};

/* ---- handoff_stretch.c ---- */

/* Scores stretch k; what is loose goes to the worker's rest. 0 or -errno; -EAGAIN: truth is not in
 * the order of time. Groups of amb are taken to lie in one stretch where nothing says otherwise:
 * amb_check. */
int score_stretch(struct worker *w, uint32_t k);

/* Scores all in one stretch, with the first worker. */
int score_all(struct worker *w);

/* Scores what is left, with the first worker: records of truth by first time, and claims. 0 or
 * -errno. */
int score_rest(struct worker *w, const struct list *truth, const struct list *claims);

/* Surveys all of truth as one stretch. */
int survey_all(struct worker *w);

/* Indexes every window if, for so many look-ups, that pays. 0 or -errno. */
int prepare_any(struct worker *w, size_t looks);

/* ---- handoff_loose.c ---- */

/* Leaves the claim to the rest, with what decides its far end by being there. 0 or -ENOMEM. */
int set_aside(struct worker *w, uint32_t claim);

/* Finds all that is loose, leaves it to the rest, and takes back what it was credited with in
 * passing. visits: as in cuts.visit. 0 or -ENOMEM. */
int cut_loose(struct worker *w, const struct list *visits);

/* ---- handoff_amb.c ---- */

/* Notes the groups of the stretch. 0 or -ENOMEM. */
int amb_note(struct worker *w);

/* When all stretches are scored: 0; -EXDEV: one settled a group that others met as well. Or
 * -ENOMEM. */
int amb_check(const struct run *r, const struct worker *w);

/* The place behind the run of the group that begins at i in hx.amb. */
static inline size_t amb_next(const struct hx_amb *a, size_t i)
{
	size_t end = i + 1; /* mutant 0: equivalent because the first is of its own group */

	while (end < a->cnt && a->v[end].type == a->v[i].type && a->v[end].amb == a->v[i].amb)
		end++;
	return end;
}

/* ---- handoff_judge.c ---- */

enum late_flag {
	LATE_DOUBT = 1u << 0, /* waits to know whether its key is used at all */
	LATE_LOOSE = 1u << 1,
	LATE_CONTEXT = 1u << 2, /* its known ends lie on threads */
};

/* A claim in worker.late: these, then the handoffs found near, then far. */
enum { LATE_CLAIM, LATE_FLAGS, LATE_NEAR, LATE_FAR, LATE_FOUND };

static inline uint32_t late_near(const uint32_t *late)
{
	return late[LATE_NEAR] == NEAR_UNASKED ? 0 : late[LATE_NEAR];
}

static inline uint32_t late_found(const uint32_t *late)
{
	return late_near(late) + late[LATE_FAR];
}

/* The entry after that at i. */
static inline size_t late_next(const struct list *late, size_t i)
{
	return i + LATE_FOUND + late_found(late->v + i);
}

/* Finds what a slow claim matches: listed as late, or in doubt. 0 or -ENOMEM. */
int find(struct worker *w, uint32_t claim, const struct probe *p);

/* Settles what is late and not loose: every batch is ranked, every key known. 0 or -ENOMEM. */
int judge_late(struct worker *w);

/* Settles a claim that was found to match nothing. 0 or -ENOMEM. */
int judge_nothing(struct worker *w, uint32_t claim);

/* The flag TALLY_BLIND if the handoff cannot be seen at the level. */
static inline unsigned tally_blind(const struct hx *x, enum score_level level, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);

	/* mutant 1: equivalent because that flag is set anyway */
	return r->marks & x->g->blind[level][r->type] ? TALLY_BLIND : 0;
}

static inline void tally_add(struct tally *y, uint8_t type, uint8_t source, uint8_t outcome,
			     unsigned flags, uint16_t marks, int64_t by)
{
	y->n[type][source][outcome][flags] += (uint64_t)by;
	for (unsigned m = marks; m; m &= m - 1)
		y->mark[__builtin_ctz(m)][outcome][flags] += (uint64_t)by;
}

void verdict_note(struct run *r, enum score_level level, uint32_t claim, uint8_t outcome,
		  uint32_t credited);

static inline void verdict_set(struct run *r, enum score_level level, uint32_t claim,
			       uint8_t outcome, uint32_t credited)
{
	if (r->asked)
		verdict_note(r, level, claim, outcome, credited);
}

/* May another claim of the src observation of claim c, which means h, mean another handoff? */
bool shares_src(struct worker *w, const struct claim *c, const struct probe *p, uint32_t h);

/* The claim's S ∩ D is h alone, which has two ends and no amb group, and its src observation is not
 * shared: credits it if h is free, else bids for it. flags: of the tally if right. 0 or -ENOMEM. */
int contend_for(struct worker *w, enum score_level level, uint32_t claim, uint32_t h,
		unsigned flags);

/* The same at both levels; contend_apart: at each by itself. */
int contend_apart(struct worker *w, uint32_t claim, uint32_t h, unsigned flags);

static inline int contend_both(struct worker *w, uint32_t claim, uint32_t h, unsigned flags)
{
	const struct claim *c = &w->r->c->v[claim];
	unsigned blind = tally_blind(&w->x, LEVEL_CONTEXT, h);
	struct owner *owner = &w->owner[h];

	/* plain is counted at both levels alike */
	if (blind != tally_blind(&w->x, LEVEL_IDENTITY, h) || owner->of[LEVEL_CONTEXT] ||
	    owner->of[LEVEL_IDENTITY])
		return contend_apart(w, claim, h, flags);
	owner->of[LEVEL_CONTEXT] = owner->of[LEVEL_IDENTITY] = claim + 1;
	tally_add(&w->plain, c->type, c->source, OUT_RIGHT, flags | blind, hx_rec(&w->x, h)->marks,
		  1);
	for (int l = 0; l < LEVEL_CNT; l++)
		verdict_set(w->r, (enum score_level)l, claim, OUT_RIGHT, w->x.order[h]);
	return 0;
}

/* ---- handoff_plain.c ---- */

/* Settles the claim if it is of the stretch and plain, else lists it as slow. 0 or -ENOMEM. */
int judge_plain(struct worker *w, uint32_t claim);

/* ---- handoff_keys.c ---- */

/* Which of the keys in doubt does a handoff of truth use? Those of all workers, and of what is late
 * with the first. NULL if memory fails. */
struct used_keys *used_keys_new(const struct run *r, const struct worker *w);
void used_keys_free(struct used_keys *u);
bool used_keys_has(const struct used_keys *u, const struct probe *p);

/* ---- handoff_credit.c ---- */

/* Enters a bid of claim c for all of `to`. 0 or -ENOMEM. */
int bid_for(struct bids *b, const struct bid *bid, const struct claim *c, const uint32_t *to,
	    size_t cnt);
void bids_free(struct bids *b);
void book_free(struct book *k);

/* Settles all bids by the maximum matching. 0 or -ENOMEM. */
int credit(struct worker *w);

/* ---- handoff_copies.c ---- */

/* Do the claims hit more decoys than any of their copies? hits: those at context level, not 0. w:
 * all workers; the last thing done, for what they held is forgotten. 0 or -errno. */
int judge_cheating(struct worker *w, uint64_t hits, bool *ret);

/* ---- handoff_count.c ---- */

/* Adds what was said of the handoffs of the stretch that are not loose. */
void count_heard(struct worker *w, enum score_level level);

/* From the sums of all workers to the score. */
void count_all(struct run *r, const struct worker *w, struct handoff_score *ret);

#endif
