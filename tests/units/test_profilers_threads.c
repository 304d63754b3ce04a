/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU time by thread: what the kernel's account grew by while a thread was watched, once. */
#include "tests/units/test_profilers.h"

static struct stream s;

static void open_causal(void)
{
	stream_open(&s, &joiner_causal);
}

static void attached(uint32_t tid, uint64_t ns)
{
	feed(&s, (struct ev_rec){.kind = EV_PROC_CPU, .tid = tid, .a = ns});
}

static void at_end(uint32_t tid, uint64_t ns)
{
	feed(&s, (struct ev_rec){.kind = EV_PROC_CPU, .tid = tid, .a = ns, .b = 1});
}

static void exits(uint32_t tid, uint64_t ns)
{
	feed(&s, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = tid, .b = ns});
}

/* All that is claimed, ns, in so many claims. */
static void expect(size_t cnt, uint64_t ns)
{
	uint64_t sum = 0;
	size_t n = 0;

	stream_finish(&s);
	for (size_t i = 0; i < s.cnt; i++)
		if (s.claims[i].kind == CLAIM_PROFILE) {
			cr_expect_eq(s.claims[i].type, BY_THREAD);
			cr_expect_eq(s.claims[i].has & HAS_IP, 0);
			sum += s.claims[i].profile.v;
			n++;
		}
	cr_expect_eq(n, cnt, "%zu claims", n);
	cr_expect_eq(sum, ns, "%lu ns", sum);
}

TestSuite(threads, .init = open_causal);

Test(threads, life_before_the_attach_is_not_claimed)
{
	attached(APP, 5000);
	at_end(APP, 7000);
	expect(1, 2000);
}

Test(threads, thread_born_under_watch_is_claimed_whole_at_its_exit)
{
	exits(OTHER, 900);
	expect(1, 900);
}

Test(threads, exit_behind_the_last_look_adds_what_came_since)
{
	attached(APP, 100);
	at_end(APP, 900);
	exits(APP, 950);
	expect(2, 850);
}

Test(threads, exit_that_says_less_than_the_last_look_adds_nothing)
{
	at_end(APP, 900);
	exits(APP, 850);
	expect(1, 900);
}

Test(threads, number_that_is_used_again_is_another_thread)
{
	attached(OTHER, 600);
	exits(OTHER, 900);
	exits(OTHER, 300);
	expect(2, 600);
}

Test(threads, thread_that_execs_takes_its_account_to_the_leader)
{
	attached(PID, 4000);
	attached(APP, 1000);
	exits(PID, 4100);
	feed(&s, (struct ev_rec){.kind = EV_PROC_EXEC, .tid = PID, .a = APP});
	at_end(PID, 1500);
	expect(2, 600);
}

Test(threads, leader_that_execs_goes_on)
{
	attached(PID, 4000);
	feed(&s, (struct ev_rec){.kind = EV_PROC_EXEC, .tid = PID, .a = PID});
	at_end(PID, 4500);
	expect(1, 500);
}

Test(threads, nothing_told_is_nothing_claimed)
{
	exits(OTHER, 0);
	feed(&s, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = APP, .b = 0, .flags = EV_F_CUT});
	attached(APP, 700);
	at_end(APP, 700);
	expect(0, 0);
}

Test(threads, io_workers_are_no_threads_of_the_application)
{
	feed(&s,
	     (struct ev_rec){.kind = EV_PROC_EXIT, .tid = WORKER, .b = 800, .flags = EV_F_KERNEL});
	expect(0, 0);
}

Test(threads, without_room_nothing_is_claimed_whose_beginning_is_not_known)
{
	for (uint32_t i = 0; i < 1 << 14; i++)
		attached(1000 + i, 5);
	attached(OTHER, 500);
	exits(OTHER, 900);
	exits(1000, 30);
	exits(1000, 30);
	expect(1, 25);
}
