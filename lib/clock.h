/* SPDX-License-Identifier: BSD-2-Clause */
/* The one clock of truth, evidence and claims: CLOCK_MONOTONIC in ns. Thread-safe. */
#ifndef ASSAY_LIB_CLOCK_H
#define ASSAY_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
