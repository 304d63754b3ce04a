/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The book of one level's bids: claims that compete for handoffs. Internal to handoff_credit.c and
 * handoff_hard.c.
 */
#ifndef ASSAY_SCORING_HANDOFF_BOOK_H
#define ASSAY_SCORING_HANDOFF_BOOK_H

#include "scoring/handoff_run.h"
#include "scoring/match.h"

/* In an owner: the handoff is at stake, the rest is its place in book.stake. */
enum { STAKED = 1u << 31 };

/* The order of preference (scoring/handoff.h) without the last resort, the order of the file. */
int compare_preference(const struct claim *a, const struct claim *b);

/* Counts the bid as right about the stake at a place, or as duplicate (MATCH_NONE). */
void close_bid(struct book *k, const struct bid *b, uint32_t place);

/* Settles the hard bids by the matching. 0 or -ENOMEM. */
int close_hard(struct book *k);

#endif
