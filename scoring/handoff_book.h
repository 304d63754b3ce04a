/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The book of one level's bids: claims that compete for handoffs. Internal to handoff_credit.c and
 * handoff_hard.c.
 */
#ifndef ASSAY_SCORING_HANDOFF_BOOK_H
#define ASSAY_SCORING_HANDOFF_BOOK_H

#include "scoring/handoff_run.h"
#include "scoring/match.h"

/* A claim with S ∩ D not empty. */
struct bid {
	double conf;
	size_t edge; /* first of its handoffs with two ends: places in book.handoff */
	uint32_t claim, edge_cnt;
	uint32_t seen;	/* its src observation; HX_NONE: which means no other handoff */
	uint32_t group; /* of the matching, if hard */
	uint16_t marks;
	bool by_ready;
	bool free; /* all of S ∩ D is multishot, coalesced or fanout */
	bool hard; /* goes through the matching */
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

/* In run.owner: the handoff is at stake, the rest is its place in book.handoff. */
enum { STAKED = 1u << 31 };

struct book {
	struct run *r;
	struct worker *w; /* for its place on the line of time */
	enum score_level level;
	struct ends ends;
	struct bid *bid;
	struct seen *seen;
	struct stake *stake;
	size_t cnt, cap, seen_cnt, seen_cap, stake_cnt, stake_cap;
	uint32_t *slot; /* of seen, open addressing: place + 1 */
	size_t slots;
	struct list to; /* edges of all bids: places of stakes */
};

double bid_conf(const struct claim *c);

/* The order of preference (scoring/handoff.h) without the last resort, the order of the file. */
int compare_preference(const struct claim *a, const struct claim *b);

/* Counts the bid as right about the stake at a place, or as duplicate (MATCH_NONE). */
void close_bid(struct book *k, const struct bid *b, uint32_t place);

/* Settles the hard bids by the matching. 0 or -ENOMEM. */
int close_hard(struct book *k);

#endif
