/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random runs that are long beside what is in flight: many blocks, epochs and cells of time, lives
 * of which most are short and some reach over much of the run, keys that come back. The same seed
 * gives the same run.
 *
 * Of the claims at most LONG_BIDS have two ends, for the naive scorer tries all matchings.
 */
#ifndef ASSAY_TESTS_LONG_RUN_H
#define ASSAY_TESTS_LONG_RUN_H

#include <stdint.h>

#include "scoring/score.h"
#include "tests/naive/naive_handoff.h"

enum { LONG_MAX = NAIVE_MAX, LONG_THREADS = 4, LONG_BIDS = 9 };

struct long_run {
	uint64_t rng, scale, now;
	unsigned stray; /* one life in so many is long */
	unsigned two_ended;
	struct truth truth;
	struct claims claims;
	uint32_t threads[LONG_THREADS];
	struct truth_handoff handoffs[LONG_MAX];
	struct claim v[LONG_MAX];
};

/* The run of a seed: `handoffs` of them, as many claims; at most LONG_MAX. */
void long_run(struct long_run *d, uint64_t seed, size_t handoffs);

#endif
