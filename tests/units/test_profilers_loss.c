/* SPDX-License-Identifier: BSD-2-Clause */
/* What is missing from the evidence: gaps that nobody told, and stamps that forbid wrong joins. */
#include "profilers/adapter/sequence.h"
#include "tests/units/test_profilers.h"

static struct stream s;
static struct sequence *q;

static void open_causal(void)
{
	stream_open(&s, &joiner_causal);
}

static void open_sequence(void)
{
	q = sequence_new();
	cr_assert_not_null(q);
}

static void close_sequence(void)
{
	sequence_free(q);
}

/* ---- sequence ---- */

/* The number of records that are missing by now, of all gaps. */
static uint64_t number(unsigned cpu, unsigned seq, uint64_t t)
{
	struct ev_rec lost_rec;
	uint64_t sum = 0;

	cr_assert_eq(sequence_record(q, &(struct ev_rec){.kind = EV_IO_ENTER,
							 .cpu = (uint16_t)cpu,
							 .seq = (uint16_t)seq,
							 .t = t}),
		     0);
	while (sequence_take(q, false, &lost_rec))
		sum += lost_rec.a;
	return sum;
}

static uint64_t numbers(unsigned cpu, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned i = from; i <= to; i++)
		sum += number(cpu, i, i * 10);
	return sum;
}

Test(sequence, finds_nothing_where_nothing_is_missing, .init = open_sequence,
     .fini = close_sequence)
{
	struct ev_rec r;

	cr_expect_eq(numbers(0, 65500, 65535), 0);
	cr_expect_eq(numbers(0, 1, 40), 0, "the count goes round to 1");
	cr_expect_eq(numbers(3, 7, 40), 0, "another CPU begins anywhere");
	cr_expect_not(sequence_take(q, true, &r));
}

Test(sequence, tells_a_gap_with_the_times_around_it, .init = open_sequence, .fini = close_sequence)
{
	struct ev_rec r;

	numbers(1, 1, 5);
	cr_expect_eq(number(1, 9, 500), 0, "not certain yet");
	cr_assert(sequence_take(q, true, &r));
	cr_expect_eq(r.kind, EV_LOST);
	cr_expect_eq(r.a, 3);
	cr_expect_eq(r.b, 50);
	cr_expect_eq(r.t, 500);
	cr_expect_eq(r.cpu, 1);
	cr_expect_not(sequence_take(q, true, &r));
}

Test(sequence, is_certain_after_a_few_more_records, .init = open_sequence, .fini = close_sequence)
{
	numbers(0, 1, 5);
	cr_expect_eq(numbers(0, 8, 8 + SEQUENCE_PATIENCE - 1), 0);
	cr_expect_eq(number(0, 8 + SEQUENCE_PATIENCE, 900), 2);
}

Test(sequence, waits_for_neighbours_that_were_swapped, .init = open_sequence,
     .fini = close_sequence)
{
	struct ev_rec r;

	numbers(0, 1, 5);
	number(0, 7, 70);
	number(0, 6, 71);
	cr_expect_eq(numbers(0, 8, 40), 0);
	cr_expect_not(sequence_take(q, true, &r));
}

Test(sequence, counts_no_loss_twice_that_was_told, .init = open_sequence, .fini = close_sequence)
{
	struct ev_rec r;

	numbers(0, 1, 5);
	sequence_record(q, &(struct ev_rec){.kind = EV_LOST, .a = 4});
	cr_expect_eq(numbers(0, 10, 40), 0);
	cr_expect_eq(numbers(0, 43, 80), 2, "and hides none that was not");
	cr_expect_not(sequence_take(q, true, &r));
}

Test(sequence, knows_holes_of_several_at_once, .init = open_sequence, .fini = close_sequence)
{
	struct ev_rec r;
	uint64_t sum = 0;

	for (unsigned i = 1; i < 200; i += 2)
		sum += number(0, i, i);
	while (sequence_take(q, true, &r))
		sum += r.a;
	cr_expect_eq(sum, 99);
}

/* The gap that a record leaves which the next one says was so long before it. */
static struct ev_rec gap_before(unsigned missing, uint64_t t, uint8_t scale, uint8_t ago)
{
	struct ev_rec r = {.kind = EV_IO_ENTER,
			   .seq = (uint16_t)(6 + missing),
			   .t = t,
			   .ago_scale = scale,
			   .ago = ago};

	numbers(0, 1, 5); /* the last at 50 */
	cr_assert_eq(sequence_record(q, &r), 0);
	cr_assert(sequence_take(q, true, &r));
	cr_expect_eq(r.a, missing);
	return r;
}

static void expect_gap(unsigned missing, uint64_t t, uint8_t scale, uint8_t ago, uint64_t from,
		       uint64_t to)
{
	struct ev_rec r;

	open_sequence();
	r = gap_before(missing, t, scale, ago);
	cr_expect(r.b == from && r.t == to, "%u missing, %u << %u before %lu: %lu to %lu", missing,
		  ago, scale, (unsigned long)t, (unsigned long)r.b, (unsigned long)r.t);
	close_sequence();
}

Test(sequence, says_when_the_last_that_is_missing_came)
{
	expect_gap(1, 500, 1, 200, 300, 300);
	expect_gap(3, 500, 1, 200, 50, 300);
	expect_gap(1, 10000, 2, 255, 10000 - 511, 10000 - 511);
	expect_gap(1, 10000, 4, 44, 10000 - 1203, 10000 - 1200); /* 1,200 to 1,203 before it */
	expect_gap(1, 500, 1, 0, 500, 500);
}

Test(sequence, does_not_believe_what_cannot_be)
{
	expect_gap(1, 500, 1, 255, 245, 245);
	expect_gap(1, 500, 2, 200, 50, 500); /* before the one before the gap */
	expect_gap(1, 300, 3, 255, 50, 300); /* before time began */
	expect_gap(1, 500, EV_AGO_SCALES + 1, 1, 50, 500);
	expect_gap(1, 500, EV_AGO_SCALES, 1, 50, 500);
}

/* ---- gaps ---- */

static uint64_t numbered(unsigned seq, uint64_t step)
{
	s.now += step - 1000;
	return feed(&s, (struct ev_rec){.kind = EV_IO_ENTER, .tid = OTHER, .seq = (uint16_t)seq});
}

Test(gaps, begin_where_the_first_that_is_missing_may_be_expected, .init = open_causal)
{
	uint64_t before = numbered(1, 1000), behind = numbered(5, 6000);

	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	cr_expect_eq(s.claims[0].kind, CLAIM_GAP);
	cr_expect_eq(s.claims[0].gap.from, before + 2000, "%lu", s.claims[0].gap.from);
	cr_expect_eq(s.claims[0].gap.to, behind);
	cr_expect_eq(s.claims[0].gap.lost, 3);
}

Test(gaps, begin_where_they_were_told_to, .init = open_causal)
{
	uint64_t began = s.now + 500, to = lost(&s, 3);

	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	cr_expect_eq(s.claims[0].gap.from, began);
	cr_expect_eq(s.claims[0].gap.to, to);
}

/* ---- io ---- */

static uint64_t submit_stamped(uint64_t req, uint64_t v, uint64_t stamp)
{
	return feed(&s, (struct ev_rec){.kind = EV_IO_SUBMIT,
					.tid = APP,
					.a = RING_A,
					.b = req,
					.c = v,
					.d = IORING_OP_READ,
					.e = stamp << EV_IO_STAMP | UINT64_C(2) << EV_IO_NUMBER});
}

static uint64_t complete_stamped(uint64_t req, uint64_t v, uint64_t stamp)
{
	return feed(&s, (struct ev_rec){.kind = EV_IO_COMPLETE,
					.tid = REAPER,
					.a = RING_A,
					.b = req,
					.c = v,
					.e = stamp << EV_IO_STAMP});
}

Test(stamps, join_a_cqe_with_its_submission_across_a_loss, .init = open_causal)
{
	uint64_t src = submit_stamped(REQ(1), 5, 11), dst;

	lost(&s, 3);
	dst = complete_stamped(REQ(1), 5, 11);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[1], APP, src, REAPER, dst);
	expect_key(&s.claims[1], KEY_USER_DATA, 5, 2);
	cr_expect_gt(s.claims[1].handoff.conf, 0.999);
}

/* The end of one use and the begin of the next were lost, and nobody says so. */
Test(stamps, make_orphans_of_two_uses_of_one_address, .init = open_causal)
{
	uint64_t src = submit_stamped(REQ(1), 5, 11), dst = complete_stamped(REQ(1), 5, 12);

	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], APP, src, 0, 0);
	expect_ends(&s.claims[1], 0, 0, REAPER, dst);
}

Test(stamps, let_a_message_be_no_older_than_the_newest_of_its_name, .init = open_causal)
{
	const uint64_t mask = (UINT64_C(1) << EV_IO_STAMP_BITS) - 1;
	uint64_t src, older, dst;

	create(&s, RING_B, 9, 0);
	wait_for_cqe(&s, OTHER, RING_B);
	src = feed(&s, (struct ev_rec){.kind = EV_IO_MSG,
				       .tid = APP,
				       .seq = 1,
				       .a = RING_A,
				       .b = REQ(1),
				       .c = 5,
				       .d = 9,
				       .e = RING_B});
	lost(&s, 2);
	older = feed(&s, (struct ev_rec){.kind = EV_IO_COMPLETE,
					 .tid = OTHER,
					 .a = RING_B,
					 .c = 5,
					 .e = ((src + 1) & mask) << EV_IO_STAMP});
	dst = feed(&s, (struct ev_rec){.kind = EV_IO_COMPLETE,
				       .tid = OTHER,
				       .a = RING_B,
				       .c = 5,
				       .e = (src & mask) << EV_IO_STAMP});
	stream_finish(&s);
	cr_assert_eq(s.cnt, 3);
	expect_ends(&s.claims[1], 0, 0, OTHER, older);
	expect_ends(&s.claims[2], APP, src, OTHER, dst);
}

Test(stamps, number_a_ring_whose_creation_was_lost, .init = open_causal)
{
	submit_stamped(REQ(1), 5, 11);
	complete_stamped(REQ(1), 5, 11);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_key(&s.claims[0], KEY_USER_DATA, 5, 2);
}

/* ---- wake ---- */

enum { WAKE_BEGAN = 77, WAIT_BEGAN = 55 };

static uint64_t woke(uint64_t wait_began)
{
	return feed(&s, (struct ev_rec){.kind = EV_SCHED_WAKING,
					.tid = APP,
					.seq = 1,
					.a = REAPER,
					.b = PID,
					.c = WAKE_BEGAN,
					.d = wait_began,
					.e = WORD});
}

static uint64_t waited(uint64_t began, uint64_t woken)
{
	return feed(&s, (struct ev_rec){.kind = EV_FUTEX_EXIT,
					.tid = REAPER,
					.seq = 2,
					.a = WORD,
					.b = FUTEX_WAIT | FUTEX_PRIVATE_FLAG | woken << 32,
					.d = began << 32});
}

Test(stamps, join_a_wake_whose_calls_were_not_seen_to_begin, .init = open_causal)
{
	uint64_t dst;

	woke(WAIT_BEGAN);
	dst = waited(WAIT_BEGAN, 1);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, WAKE_BEGAN, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, WORD, 0);
}

Test(stamps, make_orphans_of_a_wake_and_the_end_of_another_wait, .init = open_causal)
{
	uint64_t dst;

	woke(WAIT_BEGAN);
	dst = waited(WAIT_BEGAN + 500, 1);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	cr_expect_eq(s.claims[0].has & HAS_KEY, 0, "it may have been requeued");
	expect_ends(&s.claims[1], APP, WAKE_BEGAN, 0, 0);
}

Test(stamps, take_no_wait_for_unseen_whose_waking_was_lost, .init = open_causal)
{
	uint64_t dst;

	/* a call that woke one which had not slept yet would fit */
	futex(&s, APP, WORD, FUTEX_WAKE, 1, 0);
	dst = waited(s.now - 500, 1);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	futex_end(&s, APP, WORD, FUTEX_WAKE, 1);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	cr_expect_eq(s.claims[1].has & HAS_DST, 0);
}

static uint64_t on_cpu(unsigned cpu, unsigned seq, struct ev_rec r)
{
	r.cpu = (uint16_t)cpu;
	r.seq = (uint16_t)seq;
	return feed(&s, r);
}

/* A wake and a wait that fit, and perhaps the waking of that wait among what another CPU lost. */
static void wake_unseen_beside(bool loses)
{
	const struct ev_rec wait = {.tid = REAPER, .a = WORD, .b = FUTEX_WAIT | FUTEX_PRIVATE_FLAG};
	const struct ev_rec wake = {
		.tid = APP, .a = WORD, .b = FUTEX_WAKE | FUTEX_PRIVATE_FLAG, .c = 1};
	struct ev_rec enter = wait, exit = wait, call = wake, ret = wake;
	const struct ev_rec other = {.kind = EV_IO_ENTER, .tid = OTHER};
	uint64_t began;

	enter.kind = call.kind = EV_FUTEX_ENTER;
	exit.kind = ret.kind = EV_FUTEX_EXIT;
	on_cpu(1, 1, other);
	began = on_cpu(0, 1, enter);
	on_cpu(0, 2, call);
	on_cpu(0, 3, ret);
	on_cpu(0, 4, exit);
	if (loses)
		feed(&s, (struct ev_rec){.kind = EV_LOST, .cpu = 1, .a = 3, .b = began + 10});
	on_cpu(1, loses ? 5 : 2, other);
	stream_finish(&s);
}

Test(loss, forbids_a_wake_that_was_not_seen_though_it_is_told_later, .init = open_causal)
{
	wake_unseen_beside(true);
	cr_assert_eq(s.cnt, 3);
	cr_expect_eq(s.claims[0].kind, CLAIM_GAP);
	cr_expect_eq(s.claims[1].has & HAS_DST, 0);
	cr_expect_eq(s.claims[2].has & HAS_SRC, 0);
}

Test(loss, that_did_not_happen_forbids_nothing, .init = open_causal)
{
	wake_unseen_beside(false);
	cr_assert_eq(s.cnt, 1);
	cr_expect_eq(s.claims[0].has & (HAS_SRC | HAS_DST), HAS_SRC | HAS_DST);
}
