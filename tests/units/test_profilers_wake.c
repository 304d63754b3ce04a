/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: wake handoffs from records by hand. */
#include "tests/units/test_profilers.h"

Test(profilers_wake, joins_the_waking_call_to_the_end_of_the_wait)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	src = futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	waking(&s, APP, REAPER);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, WORD, 0);
	cr_expect_eq(s.claims[0].how, HOW_OBSERVED);
}

Test(profilers_wake, joins_all_waiters_to_the_one_call_that_woke_them)
{
	struct stream s;
	uint64_t src, dst[2];

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT_BITSET, 0, 0);
	futex(&s, OTHER, WORD, FUTEX_WAIT, 0, 0);
	src = futex(&s, APP, WORD, FUTEX_WAKE, 99, 0);
	waking(&s, APP, REAPER);
	waking(&s, APP, OTHER);
	dst[1] = futex_end(&s, OTHER, WORD, FUTEX_WAIT, 0);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 2);
	dst[0] = futex_end(&s, REAPER, WORD, FUTEX_WAIT_BITSET, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, src, OTHER, dst[1]);
	expect_ends(&s.claims[1], APP, src, REAPER, dst[0]);
}

Test(profilers_wake, claims_nothing_when_a_wait_times_out_or_is_interrupted)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	waking(&s, APP, REAPER); /* an interrupt that hit APP: it is in no futex call */
	futex_end(&s, REAPER, WORD, FUTEX_WAIT, -110);
	stream_finish(&s);
	cr_expect_eq(s.cnt, 0);
}

static uint64_t futex_bits(struct stream *s, uint32_t tid, int op, uint64_t cnt, uint32_t bits)
{
	return feed(s, (struct ev_rec){.kind = EV_FUTEX_ENTER,
				       .tid = tid,
				       .a = WORD,
				       .b = (uint64_t)(op | FUTEX_PRIVATE_FLAG),
				       .c = cnt,
				       .d = bits});
}

/* On one word the bits say who is meant; whoever else wakes while the call lasts is not it. */
Test(profilers_wake, does_not_blame_a_call_with_other_bits_for_an_interrupt)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex_bits(&s, REAPER, FUTEX_WAIT_BITSET, 0, 2);
	futex_bits(&s, OTHER, FUTEX_WAIT_BITSET, 0, 5);
	src = futex_bits(&s, APP, FUTEX_WAKE_BITSET, 1, 1);
	waking(&s, APP, OTHER);
	waking(&s, APP, REAPER);
	futex_end(&s, APP, WORD, FUTEX_WAKE_BITSET, 1);
	dst = futex_end(&s, OTHER, WORD, FUTEX_WAIT_BITSET, 0);
	futex_end(&s, REAPER, WORD, FUTEX_WAIT_BITSET, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, src, OTHER, dst);
	cr_expect_not(s.claims[1].has & HAS_SRC);
}

Test(profilers_wake, does_not_blame_a_call_on_another_word_for_an_interrupt)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	futex(&s, APP, WORD_TWO, FUTEX_WAKE, 1, 0);
	waking(&s, APP, REAPER);
	futex_end(&s, APP, WORD_TWO, FUTEX_WAKE, 0);
	futex_end(&s, REAPER, WORD, FUTEX_WAIT, -110);
	stream_finish(&s);
	cr_expect_eq(s.cnt, 0);
}

Test(profilers_wake, leaves_an_orphan_when_nobody_is_seen_to_wake)
{
	struct stream s;
	uint64_t dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	waking(&s, APP, REAPER);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	cr_expect_eq(s.claims[0].how, HOW_UNKNOWN);
}

Test(profilers_wake, follows_a_waiter_that_was_requeued)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT_BITSET, 0, 0);
	futex(&s, APP, WORD, FUTEX_CMP_REQUEUE, 0, WORD_TWO);
	futex_end(&s, APP, WORD, FUTEX_CMP_REQUEUE, 1);
	src = futex(&s, OTHER, WORD_TWO, FUTEX_WAKE, 1, 0);
	waking(&s, OTHER, REAPER);
	futex_end(&s, OTHER, WORD_TWO, FUTEX_WAKE, 1);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT_BITSET, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], OTHER, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, WORD_TWO, 0);
}

Test(profilers_wake, joins_by_word_when_the_waiter_had_not_slept_yet)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	src = futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	cr_expect_eq(s.cnt, 0, "the call has not said yet that it woke one");
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	cr_expect_eq(s.claims[0].how, HOW_RECONSTRUCTED);
	stream_finish(&s);
}

Test(profilers_wake, joins_by_word_also_when_the_call_ends_before_the_wait)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	src = futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	stream_finish(&s);
}

Test(profilers_wake, leaves_orphans_when_two_calls_may_have_ended_a_wait)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	futex(&s, OTHER, WORD, FUTEX_WAKE, 1, 0);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	futex_end(&s, OTHER, WORD, FUTEX_WAKE, 1);
	futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 3);
	for (unsigned i = 0; i < 3; i++)
		cr_expect_neq(s.claims[i].has & (HAS_SRC | HAS_DST), HAS_SRC | HAS_DST);
}

Test(profilers_wake, counts_moved_waiters_as_moved_when_a_requeue_reports_them)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	futex(&s, OTHER, WORD, FUTEX_WAIT, 0, 0);
	futex(&s, APP, WORD, FUTEX_REQUEUE, 1, WORD_TWO);
	waking(&s, APP, REAPER);
	futex_end(&s, APP, WORD, FUTEX_REQUEUE, 2);
	futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1, "one woken, one moved, none unseen");
}

Test(profilers_wake, goes_on_with_a_wait_that_a_signal_interrupted)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	futex_end(&s, REAPER, WORD, FUTEX_WAIT, -516);
	feed(&s, (struct ev_rec){.kind = EV_FUTEX_ENTER, .tid = REAPER, .b = EV_FUTEX_RESTART});
	src = futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	waking(&s, APP, REAPER);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	dst = feed(&s,
		   (struct ev_rec){.kind = EV_FUTEX_EXIT, .tid = REAPER, .b = EV_FUTEX_RESTART});
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, WORD, 0);
}

Test(profilers_wake, keeps_the_first_waker_when_a_wait_is_woken_twice)
{
	struct stream s;
	uint64_t first, second, dst;

	stream_open(&s, &joiner_causal);
	futex(&s, REAPER, WORD, FUTEX_WAIT, 0, 0);
	first = futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	second = futex(&s, OTHER, WORD, FUTEX_WAKE, 1, 0);
	waking(&s, APP, REAPER);
	waking(&s, OTHER, REAPER);
	dst = futex_end(&s, REAPER, WORD, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], OTHER, second, 0, 0);
	expect_ends(&s.claims[1], APP, first, REAPER, dst);
}
