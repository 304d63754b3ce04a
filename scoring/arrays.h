/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of a size that is known beforehand, zeroed; of nothing too, so that NULL means failure.
 * And sorting, and the search in what is sorted.
 */
#ifndef ASSAY_SCORING_ARRAYS_H
#define ASSAY_SCORING_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>
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

static inline int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* In ascending order, each once; returns how many are left. */
static inline size_t sort_unique_u32(uint32_t *v, size_t cnt)
{
	size_t n = 0; /* mutant: equivalent because the first is kept, and nobody asks with none */

	qsort(v, cnt, sizeof(*v), compare_u32);
	for (size_t i = 0; i < cnt; i++)
		if (!n || v[n - 1] != v[i])
			v[n++] = v[i];
	return n;
}

#endif
