/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latencies of one thread, in buckets at most 1/64 wide, mergeable. ns. Belongs to one thread.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_HISTOGRAM_H
#define ASSAY_WORKLOADS_DRIVER_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_SUB = 64, HISTOGRAM_BUCKETS = 64 * HISTOGRAM_SUB };

struct histogram {
	uint64_t cnt, max;
	uint32_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Upper bound of the bucket that holds the nearest rank of q (0 < q ≤ 1); 0 where empty. */
uint64_t histogram_quantile(const struct histogram *h, double q);

#endif
