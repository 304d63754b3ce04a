/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The book of one level's bids: claims that compete for handoffs. Internal to handoff_credit.c and
 * handoff_hard.c.
 */
#ifndef ASSAY_SCORING_HANDOFF_BOOK_H
#define ASSAY_SCORING_HANDOFF_BOOK_H

#include "scoring/handoff_run.h"
#include "scoring/match.h"

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

/* In run.owner: the handoff is at stake, the rest is its place in book.stake. */
enum { STAKED = 1u << 31 };

struct book {
	struct run *r;
	enum score_level level;
	struct bids *bids; /* once entered, `to` holds places of stakes */
	struct seen *seen;
	struct stake *stake;
	size_t seen_cnt, seen_cap, stake_cnt, stake_cap;
	uint32_t *slot; /* of seen, open addressing: place + 1 */
	size_t slots;
};

/* The order of preference (scoring/handoff.h) without the last resort, the order of the file. */
int compare_preference(const struct claim *a, const struct claim *b);

/* Counts the bid as right about the stake at a place, or as duplicate (MATCH_NONE). */
void close_bid(struct book *k, const struct bid *b, uint32_t place);

/* Settles the hard bids by the matching. 0 or -ENOMEM. */
int close_hard(struct book *k);

#endif
