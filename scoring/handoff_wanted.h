/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which windows will be looked up: those in which a claim that is not plain has an end.
 *
 * Three filters over time, in each a row of 64 bits for a stretch of it: ends with a key by the tag
 * of the key, near and far; far ends looked up by thread by type and thread. They may say yes too
 * often, never no too often. Laid out by time, so that passing over truth in order stays in cache.
 */
#ifndef ASSAY_SCORING_HANDOFF_WANTED_H
#define ASSAY_SCORING_HANDOFF_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "scoring/handoff_mem.h"

enum wanted_what { WANT_NEAR, WANT_FAR, WANT_THREAD, WANT_CNT };

/* A stretch of time. */
struct wanted_cell {
	uint64_t bits[WANT_CNT];
};

struct wanted {
	struct wanted_cell *cell;
	uint64_t from;
	size_t cells;
	unsigned shift; /* time to cells */
	bool all;	/* no filter: every window is wanted */
};

/* For about `claims` claims in `scored`. 0 or -errno. */
int wanted_init(struct wanted *w, const struct window *scored, size_t claims, struct mem *m);

static inline void wanted_add(struct wanted *w, enum wanted_what what, uint32_t tag, uint64_t t)
{
	w->cell[(t - w->from) >> w->shift].bits[what] |= UINT64_C(1) << tag % 64;
}

/* All that is wanted in a window. */
struct wanted_cell wanted_over(const struct wanted *w, const struct window *in);

static inline bool wanted_in(const struct wanted *w, enum wanted_what what, uint32_t tag,
			     const struct window *in)
{
	return wanted_over(w, in).bits[what] >> tag % 64 & 1;
}

#endif
