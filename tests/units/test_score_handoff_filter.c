/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of keys: never no to one that it has, seldom yes to one that it has not. */
#include <criterion/criterion.h>

#include "scoring/handoff_filter.h"

enum { KEYS = 8000, OTHERS = 20000 };

Test(score_handoff_filter, knows_what_it_has_and_little_else)
{
	struct key_filter f;
	unsigned wrong = 0;

	cr_assert_eq(filter_init(&f, KEYS), 0);
	for (uint64_t i = 0; i < KEYS; i++)
		filter_add(&f, (uint8_t)(i % 3), UINT64_C(0x7f0000000000) + 64 * i);
	for (uint64_t i = 0; i < KEYS; i++)
		cr_assert(filter_may_have(&f, (uint8_t)(i % 3), UINT64_C(0x7f0000000000) + 64 * i));
	for (uint64_t i = 0; i < OTHERS; i++)
		wrong += filter_may_have(&f, 1, UINT64_C(0x7f0000000001) + 64 * i);
	cr_expect_lt(wrong, OTHERS / 500, "%u", wrong);
	filter_free(&f);
}

Test(score_handoff_filter, has_a_size_between_bounds)
{
	struct key_filter f;

	cr_assert_eq(filter_init(&f, 0), 0);
	cr_expect_eq(f.mask, FILTER_WORDS_MIN - 1u);
	cr_expect_not(filter_may_have(&f, 1, 5), "nothing is in it");
	filter_free(&f);
	cr_assert_eq(filter_init(&f, SIZE_MAX), 0);
	cr_expect_eq(f.mask, FILTER_WORDS_MAX - 1u);
	filter_free(&f);
}
