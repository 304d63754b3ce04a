/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the handoff scorer: what does not fit goes to disk, and reads the same. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scoring/handoff_mem.h"

Test(score_handoff_mem, arrays_beyond_the_limit_are_spilled)
{
	struct mem m;
	uint64_t *a, *b;

	mem_init(&m, 4096);
	a = mem_array(&m, 256, 8);
	b = mem_array(&m, 100000, 8);
	cr_assert(a && b);
	cr_expect_eq(m.used, 2048);
	cr_expect_eq(m.spilled, 800000);
	for (size_t i = 0; i < 100000; i++) {
		cr_assert_eq(b[i], 0);
		b[i] = i * i;
	}
	for (size_t i = 0; i < 100000; i++)
		cr_assert_eq(b[i], i * i);
	mem_free(&m);
	cr_expect_eq(m.used + m.spilled, 0);
}

/* What was kept is dealt out whatever else is in use, and leaves no room then. */
Test(score_handoff_mem, nothing_fits_where_more_than_the_limit_is_in_use)
{
	struct mem m;

	mem_init(&m, 1000);
	cr_assert(mem_array(&m, 800, 1));
	mem_reset(&m);
	cr_assert(mem_array(&m, 500, 1));
	cr_assert(mem_array(&m, 490, 1)); /* not of what was kept */
	cr_assert(mem_array(&m, 400, 1));
	cr_expect_eq(m.used, 1390);
	cr_assert(mem_array(&m, 100000, 1));
	cr_expect_eq(m.used, 1390);
	cr_expect_eq(m.spilled, 100000);
	mem_free(&m);
}

Test(score_handoff_mem, a_spill_without_a_place_fails)
{
	struct mem m;

	mem_init(&m, 4096);
	setenv("TMPDIR", "/nowhere/at/all", 1);
	cr_expect_null(mem_array(&m, 100000, 8));
	cr_expect_not_null(mem_array(&m, 100, 8));
	mem_free(&m);
}

Test(score_handoff_mem, an_impossible_size_fails)
{
	struct mem m;

	mem_init(&m, 0);
	cr_expect_null(mem_array(&m, SIZE_MAX / 4, 8));
	mem_free(&m);
}

/* From the heap to disk at 64 MiB, and once more. */
Test(score_handoff_mem, a_growing_vector_keeps_its_content_on_its_way_to_disk)
{
	enum { N = 40 << 20 };
	struct list l = {0};

	for (uint32_t i = 0; i < N; i++)
		cr_assert_eq(list_push(&l, i ^ 0x5a5a), 0);
	cr_assert_eq(l.cnt, (size_t)N);
	for (uint32_t i = 0; i < N; i++)
		cr_assert(l.v[i] == (i ^ 0x5a5a));
	list_free(&l);
	cr_expect_eq(l.cnt, 0);
}

Test(score_handoff_mem, a_vector_that_cannot_grow_is_kept)
{
	size_t cap = 0;
	uint64_t *v = vec_grow(NULL, &cap, 1000, sizeof(*v));

	cr_assert_not_null(v);
	v[999] = 7;
	setenv("TMPDIR", "/nowhere/at/all", 1);
	cr_expect_null(vec_grow(v, &cap, 100000000, sizeof(*v)));
	cr_expect_eq(v[999], 7);
	vec_free(v, cap, sizeof(*v));
}

Test(score_handoff_mem, an_array_that_just_fits_is_not_spilled)
{
	struct mem m;

	mem_init(&m, 0);
	cr_expect_eq(m.limit, UINT64_C(1) << 30, "the default is 1 GiB");
	mem_init(&m, 4096);
	cr_assert(mem_array(&m, 512, 8));
	cr_expect_eq(m.spilled, 0);
	cr_assert(mem_array(&m, 1, 1));
	cr_expect_eq(m.spilled, 1);
	mem_free(&m);
}

/* A program without standard input opens its first file as 0. */
Test(score_handoff_mem, a_spill_may_be_descriptor_0)
{
	struct mem m;
	char *a;

	close(0);
	mem_init(&m, 4096);
	a = mem_array(&m, 100000, 8);
	cr_assert(a);
	a[799999] = 1;
	mem_free(&m);
}

/* Three rounds of arrays in pages that the one before has written to. */
Test(score_handoff_mem, what_is_dealt_out_again_is_zero)
{
	struct mem m;
	uint64_t *kept = NULL;

	mem_init(&m, 1 << 20);
	for (unsigned round = 0; round < 3; round++) {
		uint64_t *a = mem_array(&m, 1000 + round, 8), *b = mem_array(&m, 3000, 8);

		cr_assert(a && b && a != b);
		for (size_t i = 0; i < 3000; i++) {
			cr_assert_eq(b[i], 0, "round %u, place %zu", round, i);
			b[i] = 7;
		}
		for (size_t i = 0; i < 1000 + round; i++) {
			cr_assert_eq(a[i], 0, "round %u, place %zu", round, i);
			a[i] = 7;
		}
		cr_expect_eq(m.used, 8u * (4000 + round));
		cr_expect(round < 2 || a == kept, "nothing new was asked for");
		kept = a;
		mem_reset(&m);
		cr_expect_eq(m.used, 0u);
	}
	cr_expect_not_null(mem_array(&m, 100000, 8), "beyond what is kept");
	mem_free(&m);
}

Test(score_handoff_mem, more_than_the_limit_is_not_kept)
{
	struct mem m;

	mem_init(&m, 4096);
	cr_assert_not_null(mem_array(&m, 500, 8));
	mem_reset(&m);
	cr_expect_eq(m.kept_bytes, 0u);
	cr_assert_not_null(mem_array(&m, 100000, 8));
	cr_expect_eq(m.spilled, 800000u);
	mem_reset(&m);
	cr_expect_eq(m.spilled, 0u);
	mem_free(&m);
}
