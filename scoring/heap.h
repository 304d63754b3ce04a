/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A binary min-heap of numbered things, ordered by (key, tie, i).
 *
 * The order is total as long as no `i` is in the heap twice, so what comes out never depends on
 * what went in first. The caller owns the array and gives it room. Source: Williams 1964,
 * "Algorithm 232: Heapsort", Comm. ACM 7(6).
 */
#ifndef ASSAY_SCORING_HEAP_H
#define ASSAY_SCORING_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_item {
	uint64_t key, tie;
	uint32_t i;
};

struct heap {
	struct heap_item *v;
	size_t cnt;
};

static inline bool heap_before(const struct heap_item *a, const struct heap_item *b)
{
	if (a->key != b->key)
		return a->key < b->key; /* mutant: equivalent because they differ */
	if (a->tie != b->tie)
		return a->tie < b->tie; /* mutant: equivalent because they differ */
	return a->i < b->i;		/* mutant: equivalent because no i is there twice */
}

static inline void heap_swap(struct heap *h, size_t a, size_t b)
{
	struct heap_item x = h->v[a];

	h->v[a] = h->v[b];
	h->v[b] = x;
}

static inline void heap_push(struct heap *h, struct heap_item x)
{
	size_t i = h->cnt++;

	h->v[i] = x;
	while (i && heap_before(&h->v[i], &h->v[(i - 1) / 2])) {
		heap_swap(h, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

/* Drops the first; the heap must not be empty. */
static inline void heap_pop(struct heap *h)
{
	size_t i = 0;

	h->v[0] = h->v[--h->cnt];
	for (;;) {
		size_t left = 2 * i + 1, right = left + 1, least = i;

		/* mutant <=: equivalent because behind the last stands a copy of v[i] or a greater
		 */
		if (left < h->cnt && heap_before(&h->v[left], &h->v[least]))
			least = left;
		/* mutant <=: equivalent because behind the last stands a copy of v[i] or a greater
		 */
		if (right < h->cnt && heap_before(&h->v[right], &h->v[least]))
			least = right;
		if (least == i)
			return;
		heap_swap(h, i, least);
		i = least;
	}
}

#endif
