/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where may an end meet a handoff without a comparable key? Says no of nearly all ends of which
 * that is so, and never where it is not.
 *
 * Where truth gives keys at all few handoffs lack one, and few ends are near any of them; all
 * others need be compared by key alone. A filter over the time of a stretch: for each of many parts
 * of it, 64 bits by type and thread. What is there long is so in every part. Filled by one thread,
 * then read-only.
 */
#ifndef ASSAY_SCORING_HANDOFF_KEYLESS_H
#define ASSAY_SCORING_HANDOFF_KEYLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"

enum { KEYLESS_PARTS = 512, KEYLESS_LONG = 16 /* parts */ };

struct keyless {
	uint64_t from;
	unsigned shift; /* time to parts */
	uint64_t every, part[KEYLESS_PARTS];
};

/* Empty, for windows within `time`. */
void keyless_init(struct keyless *k, const struct window *time);

/* tag: of type and thread. */
void keyless_add(struct keyless *k, uint32_t tag, const struct window *w);

static inline bool keyless_may(const struct keyless *k, uint32_t tag, uint64_t t)
{
	uint64_t at = (t - k->from) >> k->shift;
	uint64_t part = at < KEYLESS_PARTS ? k->part[at] : 0;

	return (part | k->every) >> tag % 64 & 1;
}

#endif
