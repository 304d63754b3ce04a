/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs of one type and key value whose lives meet, found in one pass in order of first time.
 *
 * A hash table holds, for each (type, value), the last cluster and how far it reaches. Entries that
 * no later handoff can meet any more are thrown out when the table fills, so it stays as small as
 * the number of handoffs in flight. Only clusters of at least two are put out, as pairs at equal
 * places of two lists.
 */
#ifndef ASSAY_SCORING_HANDOFF_OPEN_H
#define ASSAY_SCORING_HANDOFF_OPEN_H

#include <stdint.h>

#include "groundtruth/truth.h"
#include "scoring/handoff_mem.h"

struct open_slot {
	uint64_t v, end;
	uint32_t first, cluster; /* cluster: UINT32_MAX while it has one member */
	uint8_t type, used;
};

struct opens {
	struct open_slot *slot;
	uint32_t mask, used, clusters;
	struct list cluster, member;
};

int opens_init(struct opens *o);
void opens_free(struct opens *o);

/* life.t0 never falls from call to call. 0 or -ENOMEM. */
int opens_put(struct opens *o, uint8_t type, uint64_t v, uint32_t tag, const struct window *life,
	      uint32_t h);

#endif
