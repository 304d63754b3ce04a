/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs of one type and key value whose lives meet, found in one pass in order of first time.
 *
 * A hash table holds, for each (type, value), the last cluster and how far it reaches. A bucket has
 * few places, and what no later handoff can meet any more gives its place away, so the table stays
 * as small as the number of handoffs in flight. Where a bucket is full of such as can, the next one
 * takes what comes; the table grows where that happens often.
 * Only clusters of at least two are put out, as pairs at equal places of two lists.
 */
#ifndef ASSAY_SCORING_HANDOFF_OPEN_H
#define ASSAY_SCORING_HANDOFF_OPEN_H

#include <stdint.h>

#include "groundtruth/truth.h"
#include "scoring/handoff_mem.h"

enum { OPENS_WAYS = 4 };

struct open_bucket {
	uint64_t v[OPENS_WAYS], end[OPENS_WAYS];
	uint32_t first[OPENS_WAYS];
	uint32_t cluster[OPENS_WAYS]; /* UINT32_MAX while it has one member */
	uint8_t type[OPENS_WAYS];     /* + 1; 0: the place is free */
	uint8_t full;		      /* was, and may have been passed over */
};

struct opens {
	struct open_bucket *bucket;
	uint32_t mask, passed, clusters; /* passed: how often a full bucket was */
	struct list cluster, member;
};

/* Begins anew, with the room that there is; zero-initialised at first. 0 or -ENOMEM. */
int opens_begin(struct opens *o);
void opens_free(struct opens *o);

/* life.t0 never falls from call to call. 0 or -ENOMEM. */
int opens_put(struct opens *o, uint8_t type, uint64_t v, uint32_t tag, const struct window *life,
	      uint32_t h);

#endif
