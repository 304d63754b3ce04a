/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: wake handoffs between processes, through words that each has at an address of its own. */
#include "tests/units/test_profilers.h"

enum { CHILD = PID + 100, INODE = 77, PAGE_BYTES = 4096 };

static const uint64_t HERE = 0x7f0000001040, THERE = 0x550000005040, OFFSET = 0x3040;

static void page(struct stream *s, uint32_t tid, uint32_t tgid, uint64_t word, uint64_t inode,
		 uint64_t offset)
{
	feed(s, (struct ev_rec){.kind = EV_FUTEX_PAGE,
				.tid = tid,
				.tgid = tgid,
				.a = word & ~(uint64_t)(PAGE_BYTES - 1),
				.b = inode,
				.c = offset & ~(uint64_t)(PAGE_BYTES - 1)});
}

static uint64_t call(struct stream *s, uint32_t tid, uint32_t tgid, uint64_t word, uint64_t op)
{
	return feed(s, (struct ev_rec){.kind = EV_FUTEX_ENTER,
				       .tid = tid,
				       .tgid = tgid,
				       .a = word,
				       .b = op,
				       .c = 1});
}

static uint64_t call_end(struct stream *s, uint32_t tid, uint32_t tgid, uint64_t word, uint64_t op,
			 uint64_t ret)
{
	return feed(s, (struct ev_rec){.kind = EV_FUTEX_EXIT,
				       .tid = tid,
				       .tgid = tgid,
				       .a = word,
				       .b = op,
				       .c = ret});
}

static void wakes(struct stream *s, uint32_t wakee, uint32_t tgid)
{
	feed(s, (struct ev_rec){
			.kind = EV_SCHED_WAKING, .tid = APP, .tgid = PID, .a = wakee, .b = tgid});
}

static void both_pages(struct stream *s)
{
	page(s, APP, PID, HERE, INODE, OFFSET);
	page(s, REAPER, CHILD, THERE, INODE, OFFSET);
}

/* A child waits at THERE, its parent wakes at HERE; whether the kernel shows whom. */
static void wake_child(struct stream *s, uint64_t op, bool seen, uint64_t *src, uint64_t *dst)
{
	call(s, REAPER, CHILD, THERE, FUTEX_WAIT | op);
	*src = call(s, APP, PID, HERE, FUTEX_WAKE | op);
	if (seen)
		wakes(s, REAPER, CHILD);
	call_end(s, APP, PID, HERE, FUTEX_WAKE | op, 1);
	*dst = call_end(s, REAPER, CHILD, THERE, FUTEX_WAIT | op, 0);
}

Test(profilers_shared, names_a_word_by_file_and_offset)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	both_pages(&s);
	wake_child(&s, 0, true, &src, &dst);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, OFFSET, INODE);
}

Test(profilers_shared, joins_by_the_shared_word_when_the_waiter_had_not_slept_yet)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	both_pages(&s);
	wake_child(&s, 0, false, &src, &dst);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, OFFSET, INODE);
}

Test(profilers_shared, does_not_join_words_of_two_files)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	page(&s, APP, PID, HERE, INODE, OFFSET);
	page(&s, REAPER, CHILD, THERE, INODE + 1, OFFSET);
	wake_child(&s, 0, false, &src, &dst);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 2);
	for (size_t i = 0; i < s.cnt; i++)
		cr_expect_neq(!!(s.claims[i].has & HAS_SRC), !!(s.claims[i].has & HAS_DST));
}

Test(profilers_shared, does_not_join_equal_addresses_of_two_processes_that_share_nothing)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	call(&s, REAPER, CHILD, HERE, FUTEX_WAIT_PRIVATE);
	call(&s, APP, PID, HERE, FUTEX_WAKE_PRIVATE);
	wakes(&s, REAPER, CHILD);
	call_end(&s, APP, PID, HERE, FUTEX_WAKE_PRIVATE, 0);
	call_end(&s, REAPER, CHILD, HERE, FUTEX_WAIT_PRIVATE, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	cr_expect_not(s.claims[0].has & HAS_SRC);
}

Test(profilers_shared, claims_no_key_where_the_page_is_not_known)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	wake_child(&s, 0, true, &src, &dst);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	cr_expect_not(s.claims[0].has & HAS_KEY);
}

Test(profilers_shared, takes_the_newest_that_is_said_of_a_page)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	page(&s, APP, PID, HERE, INODE + 1, 0);
	both_pages(&s);
	wake_child(&s, 0, true, &src, &dst);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_key(&s.claims[0], KEY_UADDR, OFFSET, INODE);
}

Test(profilers_shared, names_a_word_of_ones_own_memory_by_its_address)
{
	struct stream s;
	uint64_t src, dst;

	stream_open(&s, &joiner_causal);
	page(&s, APP, PID, HERE, 0, 0);
	call(&s, REAPER, PID, HERE, FUTEX_WAIT);
	src = call(&s, APP, PID, HERE, FUTEX_WAKE);
	wakes(&s, REAPER, PID);
	call_end(&s, APP, PID, HERE, FUTEX_WAKE, 1);
	dst = call_end(&s, REAPER, PID, HERE, FUTEX_WAIT, 0);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
	expect_key(&s.claims[0], KEY_UADDR, HERE, 0);
}
