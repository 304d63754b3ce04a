/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of a size that is known beforehand, zeroed; of nothing too, so that NULL means failure.
 */
#ifndef ASSAY_SCORING_ARRAYS_H
#define ASSAY_SCORING_ARRAYS_H

#include <stdlib.h>

/* NULL and errno on failure; free(3). */
static inline void *array_new(size_t cnt, size_t size)
{
	return calloc(cnt ? cnt : 1, size);
}

#endif
