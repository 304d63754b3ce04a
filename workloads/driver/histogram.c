/* SPDX-License-Identifier: BSD-2-Clause */
/* Log-linear histogram of latencies. */
#include "workloads/driver/histogram.h"

#include <math.h>

/* Values below 64 have a bucket each; above, every power of two is cut into 64. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned exponent;

	if (ns < HISTOGRAM_SUB)
		return (unsigned)ns;
	exponent = 63u - (unsigned)__builtin_clzll(ns); /* ≥ 6 */
	return (exponent - 5) * HISTOGRAM_SUB + (unsigned)((ns >> (exponent - 6)) - HISTOGRAM_SUB);
}

static uint64_t bucket_upper(unsigned b)
{
	unsigned exponent = b / HISTOGRAM_SUB + 5;

	if (b < HISTOGRAM_SUB)
		return b;
	return ((uint64_t)(b % HISTOGRAM_SUB + HISTOGRAM_SUB + 1) << (exponent - 6)) - 1;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	h->cnt++;
	h->max = ns > h->max ? ns : h->max;
	h->bucket[bucket_of(ns)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	into->cnt += from->cnt;
	into->max = from->max > into->max ? from->max : into->max;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->cnt), seen = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS && h->cnt; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			uint64_t upper = bucket_upper(i);

			return upper < h->max ? upper : h->max;
		}
	}
	return h->max;
}
