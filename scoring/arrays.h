/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of a size that is known beforehand, zeroed; of nothing too, so that NULL means failure.
 * And the search in one that is sorted.
 */
#ifndef ASSAY_SCORING_ARRAYS_H
#define ASSAY_SCORING_ARRAYS_H

#include <stdbool.h>
#include <stdlib.h>

/* NULL and errno on failure; free(3). */
static inline void *array_new(size_t cnt, size_t size)
{
	/* mutant 0 2: equivalent because no memory is no failure in glibc, and more does no harm */
	return calloc(cnt ? cnt : 1, size);
}

/* The first place for which `before` is false, cnt if there is none; it is true of all places up
 * to some point and of none after it. */
static inline size_t partition_point(size_t cnt, bool (*before)(const void *arg, size_t i),
				     const void *arg)
{
	size_t lo = 0, hi = cnt;

	while (lo < hi) {
		/* mutant 3: equivalent because any place from lo to below hi halves soon enough */
		size_t mid = lo + (hi - lo) / 2;

		if (before(arg, mid))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
