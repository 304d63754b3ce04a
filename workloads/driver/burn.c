/* SPDX-License-Identifier: BSD-2-Clause */
/* A calibrated spin. */
#include "workloads/driver/burn.h"

#include "workloads/driver/arrivals.h"
#include "workloads/driver/workload.h"

OPERATOR uint64_t burn_rounds(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++)
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return x;
}

uint64_t burn_calibrate(void)
{
	enum { TRIALS = 40, ROUNDS = 200000 };
	uint64_t best = UINT64_MAX;
	volatile uint64_t sink;

	for (int i = 0; i < TRIALS; i++) {
		uint64_t t0 = arrivals_clock(), t;

		sink = burn_rounds(ROUNDS);
		t = arrivals_clock() - t0;
		best = t < best ? t : best;
	}
	(void)sink;
	return ROUNDS * UINT64_C(1000) / (best ? best : 1) + 1;
}
