/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Seeded randomness: one stream a thread, equal seeds give equal streams.
 *
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
 * Not for secrets.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_RNG_H
#define ASSAY_WORKLOADS_DRIVER_RNG_H

#include <math.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Stream number `stream` of a seed. */
static inline struct rng rng_stream(uint64_t seed, uint64_t stream)
{
	struct rng r = {seed};

	r.state = rng_next(&r) ^ (stream * UINT64_C(0xd1342543de82ef95));
	return r;
}

/* 0 … n-1; n > 0 and small beside 2^32, so that the bias does not matter. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

/* Exponential with the given mean: the gap between two arrivals of a Poisson process. */
static inline double rng_exponential(struct rng *r, double mean)
{
	double u = ((double)(rng_next(r) >> 11) + 1.0) * 0x1.0p-53; /* (0, 1] */

	return -log(u) * mean;
}

#endif
