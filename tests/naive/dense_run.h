/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random small dense runs: few threads, few keys, times in 0…30, so that ties, batches, amb groups,
 * equal windows, decoys and kernel ends all happen. The same seed gives the same run.
 */
#ifndef ASSAY_TESTS_DENSE_RUN_H
#define ASSAY_TESTS_DENSE_RUN_H

#include <stdint.h>
#include <string.h>

#include "scoring/score.h"

enum { DENSE_HANDOFFS = 7, DENSE_CLAIMS = 7, DENSE_DECOYS = 3 };

struct dense {
	uint64_t rng, scale;
	unsigned keyed, types; /* style of the run: per cent of keys, how many types */
	struct truth truth;
	struct claims claims;
	uint32_t threads[3];
	struct truth_handoff handoffs[DENSE_HANDOFFS];
	struct truth_decoy decoys[DENSE_DECOYS];
	struct claim v[DENSE_CLAIMS];
};

/* The run of a seed. */
void dense_run(struct dense *d, uint64_t seed);

/* How many seeds a test tries: `standard`, or that in proportion to ASSAY_DENSE_RUNS, which stands
 * for the most that a test does, DENSE_RUNS (100000 is the long form). */
enum { DENSE_RUNS = 20000 };
size_t dense_runs(size_t standard);

/* The next number of the run's generator, for what a test does with it; below n. */
unsigned dense_below(struct dense *d, unsigned n);

#endif
