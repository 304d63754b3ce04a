/* SPDX-License-Identifier: BSD-2-Clause */
/* msg, work and timer handoffs: positions, heads, reads that come before their writes, losses. */
#include "profilers/causal/streams.h"
#include "tests/units/test_profilers.h"

enum { PIPE = 900, HEAD = 7 };
#define WORK_ITEM UINT64_C(0xffff888300000018)

static struct stream s;

static struct ev_rec moved(unsigned kind, uint32_t tid, uint64_t name, uint64_t pos, uint64_t units,
			   unsigned what, uint32_t head)
{
	return (struct ev_rec){.kind = (uint8_t)kind,
			       .tid = tid,
			       .a = name,
			       .b = pos,
			       .c = units,
			       .d = 5 | (uint64_t)PIPE << 32,
			       .e = what | (uint64_t)head << 32};
}

enum { BORN_PIPE = EV_STREAM_PIPE | EV_STREAM_BORN << 8 };

static uint64_t wrote_head(uint32_t tid, uint64_t pos, uint64_t units, uint32_t head)
{
	return feed(&s, moved(EV_STREAM_WRITE, tid, PIPE, pos, units, BORN_PIPE, head));
}

static uint64_t read_head(uint32_t tid, uint64_t pos, uint64_t units, uint32_t head)
{
	return feed(&s, moved(EV_STREAM_READ, tid, PIPE, pos, units, BORN_PIPE, head));
}

static uint64_t wrote(uint32_t tid, uint64_t pos, uint64_t units)
{
	return wrote_head(tid, pos, units, 0);
}

static uint64_t was_read(uint32_t tid, uint64_t pos, uint64_t units)
{
	return read_head(tid, pos, units, 0);
}

static void open_causal(void)
{
	stream_open(&s, &joiner_causal);
}

/* Lets more time pass than anything waits. */
static void pass(void)
{
	s.now += CAUSAL_STREAM_NS;
	feed(&s, moved(EV_STREAM_WRITE, OTHER, 1, 0, 1, BORN_PIPE, 0));
}

static void expect_count(size_t cnt)
{
	cr_assert_eq(s.cnt, cnt, "%zu claims", s.cnt);
}

Test(streams, joins_a_write_and_the_read_that_took_it, .init = open_causal)
{
	uint64_t src = wrote(APP, 0, 10), dst = was_read(REAPER, 0, 10);

	stream_finish(&s);
	expect_count(1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_FD, 5, PIPE);
	cr_expect_eq(s.claims[0].type, HANDOFF_MSG);
}

Test(streams, joins_every_write_that_one_read_took, .init = open_causal)
{
	uint64_t a = wrote(APP, 0, 10), b = wrote(OTHER, 10, 3), dst = was_read(REAPER, 0, 13);

	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], APP, a, REAPER, dst);
	expect_ends(&s.claims[1], OTHER, b, REAPER, dst);
}

Test(streams, joins_a_long_write_with_the_read_of_its_end, .init = open_causal)
{
	uint64_t src = wrote(APP, 0, 100), dst;

	was_read(REAPER, 0, 60);
	dst = was_read(OTHER, 60, 40);
	stream_finish(&s);
	expect_count(1);
	expect_ends(&s.claims[0], APP, src, OTHER, dst);
}

Test(streams, waits_for_a_write_that_is_seen_after_its_read, .init = open_causal)
{
	uint64_t dst = was_read(REAPER, 0, 10), src;

	expect_count(0);
	src = wrote(APP, 0, 10);
	expect_count(1);
	stream_finish(&s);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
}

Test(streams, says_an_orphan_where_a_write_was_lost, .init = open_causal)
{
	uint64_t dst, src;

	dst = was_read(REAPER, 0, 10); /* of [0, 10) nothing is seen */
	src = wrote(APP, 10, 10);
	pass();
	expect_count(1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	dst = was_read(REAPER, 10, 10);
	stream_finish(&s);
	expect_ends(&s.claims[1], APP, src, REAPER, dst);
}

Test(streams, says_an_orphan_where_a_read_was_lost, .init = open_causal)
{
	uint64_t lost_one = wrote(APP, 0, 10), src = wrote(APP, 10, 10);
	uint64_t dst = was_read(REAPER, 10, 10);

	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_ends(&s.claims[1], APP, lost_one, 0, 0);
}

Test(streams, joins_what_is_known_of_a_read_and_says_that_more_was_lost, .init = open_causal)
{
	uint64_t src = wrote(APP, 4, 6), dst = was_read(REAPER, 0, 10);

	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	expect_ends(&s.claims[1], APP, src, REAPER, dst);
}

Test(streams, says_nothing_of_what_nobody_read, .init = open_causal)
{
	wrote(APP, 0, 10);
	pass();
	stream_finish(&s);
	expect_count(0);
}

Test(streams, lets_the_head_decide_between_writes_that_overlapped, .init = open_causal)
{
	uint64_t a = wrote_head(APP, 0, 10, HEAD), b = wrote_head(OTHER, 10, 12, HEAD + 1);
	uint64_t first = read_head(REAPER, 0, 12, HEAD + 1),
		 second = read_head(REAPER, 12, 10, HEAD);

	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], OTHER, b, REAPER, first);
	expect_ends(&s.claims[1], APP, a, REAPER, second);
}

Test(streams, joins_nothing_where_no_head_fits, .init = open_causal)
{
	uint64_t dst;

	wrote_head(APP, 0, 10, HEAD);
	dst = read_head(REAPER, 0, 10, HEAD + 1);
	pass();
	expect_count(1);
	expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	stream_finish(&s);
}

/* A thread that loses its CPU on the way out of its call is numbered behind who wrote later. */
Test(streams, waits_for_the_head_of_a_write_that_is_under_way, .init = open_causal)
{
	uint64_t a = wrote_head(APP, 0, 10, HEAD), first = read_head(REAPER, 0, 10, HEAD + 1);
	uint64_t second = read_head(REAPER, 10, 10, HEAD);
	uint64_t b = wrote_head(OTHER, 10, 10, HEAD + 1);

	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], OTHER, b, REAPER, first);
	expect_ends(&s.claims[1], APP, a, REAPER, second);
}

/* A writer was kept on its way out, so that what its reader wrote later is numbered before. */
Test(streams, joins_no_read_with_what_its_own_thread_wrote_later, .init = open_causal)
{
	uint64_t first, second, late, own;

	first = read_head(REAPER, 0, 10, HEAD);
	own = wrote_head(REAPER, 0, 10, HEAD);
	expect_count(0);
	late = wrote_head(OTHER, 10, 10, HEAD);
	second = read_head(REAPER, 10, 10, HEAD);
	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], OTHER, late, REAPER, first);
	expect_ends(&s.claims[1], REAPER, own, REAPER, second);
}

Test(streams, takes_no_later_write_of_the_reader_among_others, .init = open_causal)
{
	uint64_t a = wrote(APP, 0, 10), dst = was_read(REAPER, 0, 20);

	wrote(REAPER, 10, 10);
	pass();
	stream_finish(&s);
	cr_assert_geq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, a, REAPER, dst);
	for (size_t i = 1; i < s.cnt; i++)
		cr_expect_neq(s.claims[i].has & (HAS_SRC | HAS_DST), HAS_SRC | HAS_DST);
}

/* One read took the first message and that of APP, whose call ended after that of OTHER. */
Test(streams, knows_by_what_the_next_read_begins_with_what_a_read_took, .init = open_causal)
{
	uint64_t first, second, a, b, c;

	a = wrote_head(APP, 0, 54, HEAD);
	first = read_head(REAPER, 0, 119, HEAD);
	b = wrote_head(OTHER, 54, 53, HEAD + 1);
	second = read_head(REAPER, 119, 53, HEAD + 1);
	expect_count(0);
	c = wrote_head(APP, 107, 65, HEAD + 2);
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[0], APP, a, REAPER, first);
	expect_ends(&s.claims[1], APP, c, REAPER, first);
	expect_ends(&s.claims[2], OTHER, b, REAPER, second);
}

Test(streams, knows_it_where_both_have_one_length, .init = open_causal)
{
	uint64_t first, second, a, b, c;

	a = wrote_head(APP, 0, 10, HEAD);
	b = wrote_head(OTHER, 10, 10, HEAD + 1);
	first = read_head(REAPER, 0, 20, HEAD);
	c = wrote_head(APP, 20, 10, HEAD + 2);
	second = read_head(REAPER, 20, 10, HEAD + 1);
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[0], APP, a, REAPER, first);
	expect_ends(&s.claims[1], APP, c, REAPER, first);
	expect_ends(&s.claims[2], OTHER, b, REAPER, second);
}

/* The end of a long message begins like it: that is no reason to take the order for wrong. */
Test(streams, keeps_the_order_where_heads_are_alike, .init = open_causal)
{
	uint64_t first, second, a, b;

	a = wrote_head(APP, 0, 20, HEAD);
	b = wrote_head(OTHER, 20, 10, HEAD);
	first = read_head(REAPER, 0, 10, HEAD);
	second = read_head(REAPER, 10, 20, HEAD);
	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], APP, a, REAPER, second);
	expect_ends(&s.claims[1], OTHER, b, REAPER, second);
	cr_expect_lt(first, second);
}

Test(streams, waits_for_no_other_read_too_long, .init = open_causal)
{
	uint64_t a = wrote_head(APP, 0, 10, HEAD), b = wrote_head(OTHER, 10, 10, HEAD + 1);
	uint64_t dst = read_head(REAPER, 0, 20, HEAD);

	expect_count(0);
	pass();
	expect_count(2);
	expect_ends(&s.claims[0], APP, a, REAPER, dst);
	expect_ends(&s.claims[1], OTHER, b, REAPER, dst);
	stream_finish(&s);
}

Test(streams, is_done_with_what_was_read_where_an_address_is_used_again, .init = open_causal)
{
	uint64_t a = wrote_head(APP, 0, 10, HEAD), b = wrote_head(OTHER, 10, 10, HEAD + 1);
	uint64_t first = read_head(REAPER, 0, 20, HEAD), second, c;

	c = wrote_head(APP, 0, 4, HEAD + 2);
	second = read_head(REAPER, 0, 4, HEAD + 2);
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[0], APP, a, REAPER, first);
	expect_ends(&s.claims[1], OTHER, b, REAPER, first);
	expect_ends(&s.claims[2], APP, c, REAPER, second);
}

Test(streams, keeps_a_read_that_is_seen_before_the_write_with_which_its_address_is_used_again,
     .init = open_causal)
{
	uint64_t dst, src;

	wrote_head(APP, 0, 10, HEAD);
	wrote_head(OTHER, 10, 10, HEAD + 1);
	read_head(REAPER, 0, 20, HEAD);
	dst = read_head(REAPER, 0, 4, HEAD + 2);
	src = wrote_head(APP, 0, 4, HEAD + 2);
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[2], APP, src, REAPER, dst);
}

Test(streams, finds_the_offset_of_a_stream_that_was_there_before, .init = open_causal)
{
	const unsigned old = EV_STREAM_PIPE;
	uint64_t a, b, before, first, second;

	/* ten bytes lay in the stream: reads are counted ten ahead */
	a = feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 0, 10, old, HEAD));
	b = feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 10, 10, old, HEAD + 1));
	before = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 0, 10, old, HEAD + 9));
	first = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 10, 10, old, HEAD));
	second = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 20, 10, old, HEAD + 1));
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[0], 0, 0, REAPER, before);
	expect_ends(&s.claims[1], APP, a, REAPER, first);
	expect_ends(&s.claims[2], APP, b, REAPER, second);
}

/* Such a stream is not taken for one whose reads are counted from elsewhere. */
Test(streams, takes_the_order_for_wrong_where_an_offset_would_reach_what_was_not_written,
     .init = open_causal)
{
	const unsigned old = EV_STREAM_PIPE;
	uint64_t a, b, c, first, second;

	a = feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 0, 12, old, HEAD));
	b = feed(&s, moved(EV_STREAM_WRITE, OTHER, PIPE, 12, 10, old, HEAD + 1));
	first = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 0, 22, old, HEAD + 1));
	c = feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 22, 10, old, HEAD + 2));
	second = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 22, 10, old, HEAD + 2));
	stream_finish(&s);
	expect_count(3);
	expect_ends(&s.claims[0], OTHER, b, REAPER, first);
	expect_ends(&s.claims[1], APP, a, REAPER, first);
	expect_ends(&s.claims[2], APP, c, REAPER, second);
}

Test(streams, begins_anew_where_an_address_is_used_again, .init = open_causal)
{
	uint64_t src, dst;

	wrote(APP, 0, 10);
	was_read(REAPER, 0, 10);
	src = wrote(OTHER, 0, 4);
	dst = was_read(REAPER, 0, 4);
	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[1], OTHER, src, REAPER, dst);
}

/* It was there before the collector and held a byte: reads are counted from another beginning. */
static void settle_old_stream(void)
{
	feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 0, 10, EV_STREAM_PIPE, HEAD));
	feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, 10, 10, EV_STREAM_PIPE, HEAD + 1));
	feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 1, 10, EV_STREAM_PIPE, HEAD));
	feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, 11, 10, EV_STREAM_PIPE, HEAD + 1));
}

Test(streams, keeps_what_it_knows_of_one_that_is_used_while_many_others_come, .init = open_causal)
{
	uint64_t src, dst;

	settle_old_stream();
	expect_count(2);
	for (unsigned i = 0, at = 20; i < 2 * CAUSAL_STREAMS_MAX; i++) {
		feed(&s, moved(EV_STREAM_READ, OTHER, 100000 + i, 0, 1, EV_STREAM_PIPE, 0));
		if (i % 1000)
			continue;
		s.cnt = 0;
		src = feed(&s, moved(EV_STREAM_WRITE, APP, PIPE, at, 4, EV_STREAM_PIPE, 0));
		dst = feed(&s, moved(EV_STREAM_READ, REAPER, PIPE, at + 1, 4, EV_STREAM_PIPE, 0));
		expect_count(1);
		expect_ends(&s.claims[0], APP, src, REAPER, dst);
		at += 4;
	}
	stream_finish(&s);
}

Test(streams, joins_what_is_moved_after_long_silence, .init = open_causal)
{
	uint64_t src, dst;

	wrote(APP, 0, 10);
	was_read(REAPER, 0, 10);
	for (unsigned i = 0; i < 10; i++) {
		s.now += CAUSAL_STREAM_QUIET_NS;
		feed(&s, moved(EV_STREAM_WRITE, OTHER, 100000 + i, 0, 1, BORN_PIPE, 0));
	}
	src = wrote(APP, 10, 4);
	dst = was_read(REAPER, 10, 4);
	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[1], APP, src, REAPER, dst);
}

/* As to a peer that is not watched. */
Test(streams, says_nothing_of_writes_that_nobody_watched_reads_however_many, .init = open_causal)
{
	for (unsigned i = 0; i < CAUSAL_WRITES_MAX + 100; i++)
		wrote(APP, 10 * i, 10);
	stream_finish(&s);
	expect_count(0);
}

Test(streams, names_the_work_item_of_a_pty, .init = open_causal)
{
	uint64_t src = feed(&s, moved(EV_STREAM_WRITE, APP, WORK_ITEM, 0, 4, EV_STREAM_PTY, HEAD));
	uint64_t dst =
		feed(&s, moved(EV_STREAM_READ, REAPER, WORK_ITEM, 0, 4, EV_STREAM_PTY, HEAD));

	stream_finish(&s);
	expect_count(1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_WORK, WORK_ITEM, 0);
	cr_expect_eq(s.claims[0].type, HANDOFF_WORK);
}

/* ---- timers ---- */

static uint64_t timer_taken(unsigned what, uint64_t armed, uint32_t by)
{
	return feed(&s, (struct ev_rec){.kind = EV_TIMER_TAKE,
					.tid = REAPER,
					.a = WORK_ITEM,
					.b = 9,
					.c = armed,
					.d = 1,
					.e = what | (uint64_t)by << 32});
}

Test(timers, joins_an_expiry_with_the_arming_that_it_names, .init = open_causal)
{
	uint64_t dst = timer_taken(EV_TIMER_FD, 77, APP);

	stream_finish(&s);
	expect_count(1);
	expect_ends(&s.claims[0], APP, 77, REAPER, dst);
	expect_key(&s.claims[0], KEY_TIMERFD, 9, 0);
}

Test(timers, has_no_key_for_a_posix_timer_and_an_orphan_for_one_unknown, .init = open_causal)
{
	uint64_t dst = timer_taken(EV_TIMER_POSIX, 77, APP), lone;

	lone = timer_taken(EV_TIMER_POSIX, 0, 0);
	stream_finish(&s);
	expect_count(2);
	expect_ends(&s.claims[0], APP, 77, REAPER, dst);
	cr_expect_eq(s.claims[0].has & HAS_KEY, 0);
	expect_ends(&s.claims[1], 0, 0, REAPER, lone);
}
