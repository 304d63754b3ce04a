/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap gives what is in it in order. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scoring/heap.h"

enum { ITEMS = 40 };

/* By key, then tie, then number: few of each, so that all three decide. */
static int item_cmp(const void *pa, const void *pb)
{
	const struct heap_item *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key > b->key ? 1 : -1;
	if (a->tie != b->tie)
		return a->tie > b->tie ? 1 : -1;
	return a->i > b->i ? 1 : -1;
}

Test(heap, gives_back_in_order)
{
	unsigned seed = 7;

	for (int run = 0; run < 200; run++) {
		struct heap_item put[ITEMS];
		struct heap h = {.v = calloc(ITEMS, sizeof(*h.v))};

		for (uint32_t i = 0; i < ITEMS; i++) {
			put[i] = (struct heap_item){.key = (unsigned)rand_r(&seed) % 9,
						    .tie = (unsigned)rand_r(&seed) % 3,
						    .i = ITEMS - i};
			heap_push(&h, put[i]);
		}
		qsort(put, ITEMS, sizeof(*put), item_cmp);
		for (uint32_t i = 0; i < ITEMS; i++) {
			cr_assert_eq(h.cnt, ITEMS - i);
			cr_assert_eq(h.v[0].i, put[i].i, "run %d, place %u", run, i);
			heap_pop(&h);
		}
		free(h.v);
	}
}

/* What comes and goes in turns: the least of what is there at each moment. */
Test(heap, keeps_the_least_on_top_while_others_come)
{
	struct heap_item room[8];
	struct heap h = {.v = room};

	heap_push(&h, (struct heap_item){.key = 5, .i = 1});
	heap_push(&h, (struct heap_item){.key = 3, .i = 2});
	heap_push(&h, (struct heap_item){.key = 4, .i = 3});
	heap_push(&h, (struct heap_item){.key = 3, .tie = 1, .i = 0});
	cr_assert_eq(h.v[0].i, 2);
	heap_pop(&h);
	cr_assert_eq(h.v[0].i, 0);
	heap_push(&h, (struct heap_item){.key = 1, .i = 4});
	cr_assert_eq(h.v[0].i, 4);
	heap_pop(&h);
	heap_pop(&h);
	cr_assert_eq(h.v[0].i, 3);
	heap_pop(&h);
	cr_assert_eq(h.v[0].i, 1);
	heap_pop(&h);
	cr_assert_eq(h.cnt, 0);
}
