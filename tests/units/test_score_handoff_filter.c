/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters, of keys and of what lacks one over time: never no to one that they have, seldom yes to
 * one that they have not. */
#include <criterion/criterion.h>

#include "scoring/handoff_filter.h"
#include "scoring/handoff_keyless.h"

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

/* Short windows of tags 0 to 31, the last moment of 32, all of 33; over a time that is just not,
 * and just is a multiple of all parts, and a nanosecond more. */
static struct window lacking(uint32_t tag, const struct window *time)
{
	uint64_t t = time->t0 + (time->t1 - time->t0) * tag / 32;

	return tag == 33 ? *time : tag == 32 ? (struct window){t, t} : (struct window){t, t + 30};
}

Test(score_handoff_filter, knows_when_what_lacks_a_key_is_there)
{
	enum { TAGS = 34, PART_MAX = 8 };
	static struct {
		struct keyless k;
		uint64_t behind; /* the parts, and full: what is looked up there is found */
	} x = {.behind = UINT64_MAX};
	struct keyless *k = &x.k;

	for (uint64_t span = 4 * KEYLESS_PARTS - 1; span <= 4 * KEYLESS_PARTS + 1; span++) {
		const struct window time = {1000, 1000 + span};
		unsigned wrong = 0;

		keyless_init(k, &time);
		for (uint32_t tag = 0; tag < TAGS; tag++) {
			struct window w = lacking(tag, &time);

			keyless_add(k, tag, &w);
		}
		for (uint64_t t = time.t0; t <= time.t1; t++)
			for (uint32_t tag = 0; tag < TAGS; tag++) {
				struct window w = lacking(tag, &time);
				bool there = w.t0 <= t && t <= w.t1;

				cr_assert(!there || keyless_may(k, tag, t), "%u at %lu", tag, t);
				wrong += !there && keyless_may(k, tag, t);
			}
		cr_expect(wrong <= TAGS * 2 * PART_MAX, "%u", wrong);
		for (uint64_t t = time.t0; t <= time.t1 + (uint64_t)KEYLESS_PARTS * PART_MAX; t++)
			cr_assert(!keyless_may(k, TAGS, t), "nobody's, at %lu", t);
	}
}
