/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads kept from CPUs by others, and those that only crowd one another out. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "profilers/adapter/contention.h"

enum { OURS = 101, SECOND = 102, OTHER = 900, MS = 1000000 };

static const uint64_t start = 1000000000;

static void switched(struct contention *x, uint64_t t, unsigned cpu, uint32_t from, uint32_t to,
		     uint64_t state)
{
	struct ev_rec r = {.t = t,
			   .tid = from,
			   .kind = EV_SCHED_SWITCH,
			   .flags = from == OURS || from == SECOND ? 0 : EV_F_OTHER,
			   .cpu = (uint16_t)cpu,
			   .a = to,
			   .b = state};

	contention_record(x, &r);
}

static void woken(struct contention *x, uint64_t t, uint32_t tid)
{
	struct ev_rec r = {.t = t, .tid = tid, .kind = EV_SCHED_WAKING, .a = tid};

	contention_record(x, &r);
}

/* A thread wakes every 10 ms, waits so long for a CPU, runs 1 ms. */
static uint64_t work(struct contention *x, uint64_t t, unsigned times, uint64_t wait_ns)
{
	for (unsigned i = 0; i < times; i++, t += 10 * MS) {
		woken(x, t, OURS);
		switched(x, t + wait_ns, 0, OTHER, OURS, 0);
		switched(x, t + wait_ns + MS, 0, OURS, OTHER, 1);
	}
	return t;
}

Test(contention, shows_when_a_thread_begins_to_wait_for_cpus_that_it_does_not_use)
{
	struct contention *x = contention_new();
	uint64_t t = work(x, start, 40, MS / 50);

	cr_assert(!contention_shows(x));
	t = work(x, t, 8, 2 * MS);
	cr_assert(!contention_shows(x), "windows in a row must agree");
	t = work(x, t, 40, 2 * MS);
	cr_assert(contention_shows(x));
	work(x, t, 40, MS / 50);
	cr_assert(!contention_shows(x), "and then it is over");
	contention_free(x);
}

Test(contention, is_not_what_was_so_from_the_start)
{
	struct contention *x = contention_new();

	work(x, start, 80, 2 * MS);
	cr_assert(!contention_shows(x));
	contention_free(x);
}

/* Two threads of one's own take turns on one CPU that never rests. */
Test(contention, is_not_what_ones_own_threads_do_to_one_another)
{
	struct contention *x = contention_new();
	uint64_t t = work(x, start, 40, MS / 50);

	switched(x, t, 0, OTHER, OURS, 0);
	for (unsigned i = 0; i < 400; i++, t += MS)
		switched(x, t + MS, 0, i % 2 ? SECOND : OURS, i % 2 ? OURS : SECOND, 0);
	cr_assert(!contention_shows(x));
	contention_free(x);
}

Test(contention, counts_no_delay_whose_end_was_not_seen)
{
	struct contention *x = contention_new();
	uint64_t t = work(x, start, 40, MS / 50);

	for (unsigned i = 0; i < 60; i++, t += 10 * MS) {
		woken(x, t, OURS);
		switched(x, t + 3 * MS, 0, OURS, OTHER, 1);
	}
	cr_assert(!contention_shows(x));
	contention_free(x);
}

Test(contention, begins_anew_after_a_loss)
{
	struct contention *x = contention_new();
	uint64_t t = work(x, start, 40, MS / 50);

	t = work(x, t, 40, 2 * MS);
	cr_assert(contention_shows(x));
	contention_lost(x);
	cr_assert(!contention_shows(x));
	work(x, t, 40, 2 * MS);
	cr_assert(contention_shows(x), "what is usual it still knows");
	contention_free(x);
}
