/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: io handoffs from records by hand. */
#include "tests/units/test_profilers.h"

static void open_causal(struct stream *s)
{
	stream_open(s, &joiner_causal);
	create(s, RING_A, 5, 0);
}

Test(profilers_io, joins_by_request_when_completions_overtake)
{
	struct stream s;
	uint64_t s1, s2, d1, d2;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	s1 = submit(&s, APP, RING_A, REQ(1), 7);
	s2 = submit(&s, APP, RING_A, REQ(2), 7);
	d2 = complete(&s, APP, RING_A, REQ(2), 7);
	d1 = complete(&s, APP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, s2, REAPER, d2);
	expect_ends(&s.claims[1], APP, s1, REAPER, d1);
	expect_key(&s.claims[0], KEY_USER_DATA, 7, 1);
	cr_expect_eq(s.claims[0].how, HOW_RECONSTRUCTED, "the receiver is inferred");
}

Test(profilers_io, counts_generations_when_an_address_is_used_again)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	wait_for_cqe(&s, APP, RING_A);
	for (uint64_t i = 1; i <= 3; i++) {
		src = submit(&s, APP, RING_A, REQ(1), 40 + i);
		dst = complete(&s, APP, RING_A, REQ(1), 40 + i);
		expect_ends(&s.claims[i - 1], APP, src, APP, dst);
		cr_expect_eq(s.claims[i - 1].handoff.gen, i);
		cr_expect_eq(s.claims[i - 1].how, HOW_OBSERVED);
	}
	stream_finish(&s);
	cr_expect_eq(s.cnt, 3);
}

Test(profilers_io, waits_for_the_consumer_when_completions_come_first)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	dst = complete(&s, WORKER, RING_A, REQ(1), 7);
	cr_expect_eq(s.cnt, 0);
	wait_for_cqe(&s, REAPER, RING_A);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	cr_expect_not(s.claims[0].has & HAS_DST_KERNEL);
	stream_finish(&s);
}

Test(profilers_io, names_the_completing_context_when_nobody_ever_waits)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	dst = complete(&s, WORKER, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, WORKER, dst);
	cr_expect(s.claims[0].has & HAS_DST_KERNEL);
}

Test(profilers_io, names_the_completing_context_when_two_threads_wait)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	wait_for_cqe(&s, OTHER, RING_A);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	dst = complete(&s, APP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, APP, dst);
}

Test(profilers_io, says_kernel_when_the_sqpoll_thread_submits)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit(&s, SQP, RING_A, REQ(1), 7);
	dst = complete(&s, SQP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], SQP, src, REAPER, dst);
	cr_expect(s.claims[0].has & HAS_SRC_KERNEL);
	cr_expect_not(s.claims[0].has & HAS_DST_KERNEL);
}

Test(profilers_io, joins_every_cqe_of_a_multishot_request)
{
	struct stream s;
	uint64_t src, dst[3];

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_POLL_ADD);
	submit(&s, APP, RING_A, REQ(2), 7); /* same key, but cannot repeat */
	dst[0] = complete_with(&s, APP, RING_A, 0, 7, 1, CQE_MORE);
	dst[1] = complete_with(&s, APP, RING_A, 0, 7, 1, CQE_MORE);
	dst[2] = complete_with(&s, APP, RING_A, REQ(1), 7, -125, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 4);
	for (unsigned i = 0; i < 3; i++)
		expect_ends(&s.claims[i], APP, src, REAPER, dst[i]);
	cr_expect_eq(s.claims[0].how, HOW_RECONSTRUCTED);
	cr_expect_not(s.claims[3].has & HAS_DST, "the read is left over");
}

Test(profilers_io, leaves_an_orphan_when_two_multishot_requests_share_a_key)
{
	struct stream s;
	uint64_t dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_POLL_ADD);
	submit_op(&s, APP, RING_A, REQ(2), 7, IORING_OP_ACCEPT);
	dst = complete_with(&s, APP, RING_A, 0, 7, 1, CQE_MORE);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	cr_expect_eq(s.claims[0].how, HOW_UNKNOWN);
	stream_finish(&s);
}

Test(profilers_io, joins_a_message_to_its_sender_with_the_key_of_the_target)
{
	struct stream s;
	uint64_t own, sent, came, done;

	open_causal(&s);
	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, APP, RING_A);
	wait_for_cqe(&s, REAPER, RING_B);
	own = submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_MSG_RING);
	sent = message(&s, APP, RING_A, REQ(1), RING_B, 99);
	came = complete_with(&s, APP, RING_B, 0, 99, 77, 0);
	done = complete(&s, APP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, sent, REAPER, came);
	expect_key(&s.claims[0], KEY_USER_DATA, 99, 2);
	expect_ends(&s.claims[1], APP, own, APP, done);
	expect_key(&s.claims[1], KEY_USER_DATA, 7, 1);
}

Test(profilers_io, tells_equal_messages_of_two_senders_apart_by_the_posting_thread)
{
	struct stream s;
	uint64_t first, second, came_second, came_first;

	open_causal(&s);
	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, REAPER, RING_B);
	submit_op(&s, APP, RING_A, REQ(1), 1, IORING_OP_MSG_RING);
	first = message(&s, APP, RING_A, REQ(1), RING_B, 99);
	submit_op(&s, OTHER, RING_A, REQ(2), 2, IORING_OP_MSG_RING);
	second = message(&s, OTHER, RING_A, REQ(2), RING_B, 99);
	came_second = complete_with(&s, OTHER, RING_B, 0, 99, 77, 0);
	came_first = complete_with(&s, APP, RING_B, 0, 99, 77, 0);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], OTHER, second, REAPER, came_second);
	expect_ends(&s.claims[1], APP, first, REAPER, came_first);
	stream_finish(&s);
}

Test(profilers_io, leaves_an_orphan_when_another_thread_posts_one_of_two_equal_messages)
{
	struct stream s;
	uint64_t came;

	open_causal(&s);
	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, REAPER, RING_B);
	message(&s, APP, RING_A, REQ(1), RING_B, 99);
	message(&s, OTHER, RING_A, REQ(2), RING_B, 99);
	came = complete_with(&s, REAPER, RING_B, 0, 99, 77, 0);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, REAPER, came);
	stream_finish(&s);
}

Test(profilers_io, claims_no_message_when_the_sender_failed)
{
	struct stream s;

	open_causal(&s);
	wait_for_cqe(&s, APP, RING_A);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_MSG_RING);
	message(&s, APP, RING_A, REQ(1), RING_B, 99);
	complete_with(&s, APP, RING_A, REQ(1), 7, -9, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	cr_expect_eq(s.claims[0].handoff.key_v, 7);
}

Test(profilers_io, leaves_orphans_when_a_submission_or_completion_is_missing)
{
	struct stream s;
	uint64_t dst, src;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	dst = complete(&s, APP, RING_A, REQ(1), 7);
	src = submit(&s, APP, RING_A, REQ(1), 8);
	submit(&s, APP, RING_A, REQ(1), 9);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	expect_ends(&s.claims[1], APP, src, 0, 0);
	stream_finish(&s);
	cr_expect_eq(s.cnt, 3, "what is in flight at the end is said");
}

Test(profilers_io, joins_nothing_when_the_key_of_a_request_has_changed_unseen)
{
	struct stream s;
	uint64_t dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	submit(&s, APP, RING_A, REQ(1), 7);
	dst = complete(&s, APP, RING_A, REQ(1), 8);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	stream_finish(&s);
}

Test(profilers_io, says_what_is_lost_and_is_less_sure_after_it)
{
	struct stream s;

	open_causal(&s);
	wait_for_cqe(&s, APP, RING_A);
	submit(&s, APP, RING_A, REQ(1), 7);
	lost(&s, 12);
	complete(&s, APP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	cr_expect_eq(s.claims[0].kind, CLAIM_GAP);
	cr_expect_eq(s.claims[0].gap.lost, 12);
	cr_expect_eq(s.claims[0].gap.from + 500, s.claims[0].gap.to);
	cr_expect_lt(s.claims[1].handoff.conf, 0.5, "12 lost of about 16");
}

Test(profilers_io, gives_no_scope_when_rings_were_there_before_the_collector)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	feed(&s, (struct ev_rec){.kind = EV_PROC_FORK, .a = PID, .b = PID, .c = 1, .d = 1});
	create(&s, RING_B, 6, 0);
	wait_for_cqe(&s, APP, RING_B);
	submit(&s, APP, RING_B, REQ(1), 7);
	complete(&s, APP, RING_B, REQ(1), 7);
	submit(&s, APP, RING_A, REQ(2), 8);
	complete(&s, APP, RING_A, REQ(2), 8);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_key(&s.claims[0], KEY_USER_DATA, 7, 0);
	expect_key(&s.claims[1], KEY_USER_DATA, 8, 0);
}

Test(profilers_io, begins_anew_when_a_ring_takes_the_address_of_an_old_one)
{
	struct stream s;
	uint64_t dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	submit(&s, APP, RING_A, REQ(1), 7);
	create(&s, RING_A, 5, 0);
	wait_for_cqe(&s, OTHER, RING_A);
	dst = complete(&s, APP, RING_A, REQ(1), 7);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, OTHER, dst);
	expect_key(&s.claims[0], KEY_USER_DATA, 7, 2);
	stream_finish(&s);
}

Test(profilers_io, takes_a_timer_of_the_same_key_for_no_source_of_poll_events)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_TIMEOUT);
	src = submit_op(&s, APP, RING_A, REQ(2), 7, IORING_OP_POLL_ADD);
	dst = complete_with(&s, APP, RING_A, 0, 7, 1, CQE_MORE);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	stream_finish(&s);
}

Test(profilers_io, tells_messages_of_one_key_apart_by_their_result)
{
	struct stream s;
	uint64_t sent, came;

	open_causal(&s);
	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, REAPER, RING_B);
	message(&s, APP, RING_A, REQ(1), RING_B, 99);
	feed(&s,
	     (struct ev_rec){.kind = EV_IO_COMPLETE, .tid = REAPER, .a = RING_B, .c = 99, .d = 78});
	cr_assert_eq(s.cnt, 1);
	cr_expect_not(s.claims[0].has & HAS_SRC, "no message said 78");
	sent = message(&s, OTHER, RING_A, REQ(2), RING_A, 50);
	came = complete_with(&s, WORKER, RING_A, 0, 50, 77, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 3);
	expect_ends(&s.claims[2], OTHER, sent, WORKER, came);
}

Test(profilers_io, names_no_receiver_when_the_consumer_cancels_as_it_ends)
{
	struct stream s;
	uint64_t src;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	feed(&s, (struct ev_rec){.kind = EV_IO_COMPLETE,
				 .tid = REAPER,
				 .a = RING_A,
				 .b = REQ(1),
				 .c = 7,
				 .d = (uint64_t)-125,
				 .e = EV_CQE_DYING});
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, 0, 0);
	stream_finish(&s);
}

Test(profilers_io, names_the_consumer_when_another_thread_cancels_as_it_ends)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	dst = feed(&s, (struct ev_rec){.kind = EV_IO_COMPLETE,
				       .tid = APP,
				       .a = RING_A,
				       .b = REQ(1),
				       .c = 7,
				       .d = (uint64_t)-125,
				       .e = EV_CQE_DYING});
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	stream_finish(&s);
}

Test(profilers_io, names_no_receiver_after_the_consumer_has_ended)
{
	struct stream s;
	uint64_t src;

	open_causal(&s);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	feed(&s, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = REAPER});
	complete(&s, WORKER, RING_A, REQ(1), 7);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, 0, 0);
	stream_finish(&s);
}

Test(profilers_io, takes_the_only_user_for_the_receiver_when_nobody_ever_waits)
{
	struct stream s;
	uint64_t src, dst;

	open_causal(&s);
	feed(&s, (struct ev_rec){.kind = EV_IO_ENTER, .tid = APP, .b = 1, .e = RING_A});
	src = submit(&s, APP, RING_A, REQ(1), 7);
	dst = complete(&s, WORKER, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, APP, dst);
	cr_expect_leq(s.claims[0].handoff.conf, 0.9);
}

Test(profilers_io, forgets_numbers_when_a_ring_turns_up_whose_creation_is_missing)
{
	struct stream s;

	open_causal(&s);
	wait_for_cqe(&s, APP, RING_B);
	wait_for_cqe(&s, APP, RING_A);
	submit(&s, APP, RING_A, REQ(1), 7);
	complete(&s, APP, RING_A, REQ(1), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_key(&s.claims[0], KEY_USER_DATA, 7, 0);
}

Test(profilers_io, gives_up_a_message_when_its_sender_completes_before_its_cqe_is_seen)
{
	struct stream s;
	uint64_t first, second, came;

	open_causal(&s);
	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, APP, RING_A);
	wait_for_cqe(&s, REAPER, RING_B);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_MSG_RING);
	first = message(&s, APP, RING_A, REQ(1), RING_B, 99);
	complete(&s, APP, RING_A, REQ(1), 7);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, first, 0, 0);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_MSG_RING);
	second = message(&s, APP, RING_A, REQ(1), RING_B, 99);
	came = complete_with(&s, APP, RING_B, 0, 99, 77, 0);
	cr_assert_eq(s.cnt, 3);
	expect_ends(&s.claims[2], APP, second, REAPER, came);
	stream_finish(&s);
}

Test(profilers_io, keeps_a_message_to_a_deferring_ring_when_its_sender_completes_first)
{
	struct stream s;
	uint64_t sent, came;

	open_causal(&s);
	create(&s, RING_B, 9, IORING_SETUP_DEFER_TASKRUN);
	wait_for_cqe(&s, APP, RING_A);
	wait_for_cqe(&s, REAPER, RING_B);
	submit_op(&s, APP, RING_A, REQ(1), 7, IORING_OP_MSG_RING);
	sent = message(&s, APP, RING_A, REQ(1), RING_B, 99);
	complete(&s, APP, RING_A, REQ(1), 7);
	came = complete_with(&s, REAPER, RING_B, 0, 99, 77, 0);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[1], APP, sent, REAPER, came);
	stream_finish(&s);
}
