/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches become stretches on a CPU; a missing one is noticed. */
#include <criterion/criterion.h>

#include "groundtruth/timeline.h"

enum { OUT, IN };

static struct timeline_switch at(uint64_t t, uint32_t tid, int what)
{
	return (struct timeline_switch){.t = t, .tid = tid, .in = what == IN};
}

static struct timeline *made(struct timeline_switch *v, size_t cnt)
{
	struct timeline *x = timeline_make(v, cnt);

	cr_assert_not_null(x);
	return x;
}

/* Two threads on two CPUs, told a CPU at a time; 102 moves and stays. */
static struct timeline *two(void)
{
	struct timeline_switch v[] = {
		at(100, 101, IN), at(200, 101, OUT), at(300, 102, IN), at(400, 102, OUT),
		at(450, 101, IN), at(500, 101, OUT), at(520, 102, IN),
	};

	return made(v, sizeof(v) / sizeof(v[0]));
}

Test(truth_timeline, counts_only_what_ran)
{
	struct timeline *x = two();
	uint64_t cpu = 7;

	cr_assert(timeline_cpu(x, 101, 100, 200, &cpu) && cpu == 100);
	cr_assert(timeline_cpu(x, 101, 150, 460, &cpu) && cpu == 50 + 10);
	cr_assert(timeline_cpu(x, 102, 300, 1000000, &cpu) && cpu == 100 + 1000000 - 520);
	cr_assert(timeline_cpu(x, 102, 350, 350, &cpu) && cpu == 0);
	timeline_free(x);
}

Test(truth_timeline, knows_a_reading_that_cannot_be)
{
	struct timeline *x = two();
	uint64_t cpu = 7;

	cr_assert(!timeline_cpu(x, 101, 99, 200, &cpu), "before it ran");
	cr_assert(!timeline_cpu(x, 101, 100, 201, &cpu), "after it left");
	cr_assert(!timeline_cpu(x, 101, 460, 501, &cpu), "after the last of a thread that left");
	cr_assert(!timeline_cpu(x, 103, 100, 200, &cpu), "a thread that nobody saw");
	cr_assert(!timeline_cpu(x, 100, 100, 200, &cpu));
	cr_assert(cpu == 7);
	timeline_free(x);
}

Test(truth_timeline, takes_a_thread_that_ran_when_the_watch_began)
{
	struct timeline_switch v[] = {at(200, 101, OUT), at(300, 101, IN)};
	struct timeline *x = made(v, 2);
	uint64_t cpu;

	cr_assert(timeline_cpu(x, 101, 50, 350, &cpu) && cpu == 150 + 50);
	timeline_free(x);
}

Test(truth_timeline, forgets_a_thread_whose_switches_do_not_alternate)
{
	struct timeline_switch v[] = {at(100, 101, IN),	 at(150, 102, IN),  at(300, 101, IN),
				      at(320, 102, OUT), at(400, 101, OUT), at(100, 103, OUT),
				      at(200, 103, OUT)};
	struct timeline *x = made(v, sizeof(v) / sizeof(v[0]));
	uint64_t cpu;

	cr_assert(!timeline_cpu(x, 101, 100, 110, &cpu), "no part of it is known for sure");
	cr_assert(!timeline_cpu(x, 103, 50, 60, &cpu));
	cr_assert(timeline_cpu(x, 102, 150, 320, &cpu) && cpu == 170);
	timeline_free(x);
}

Test(truth_timeline, a_switch_away_comes_before_one_to_it_at_the_same_time)
{
	struct timeline_switch v[] = {at(100, 101, IN), at(200, 101, IN), at(200, 101, OUT)};
	struct timeline *x = made(v, 3);
	uint64_t cpu;

	cr_assert(timeline_cpu(x, 101, 100, 300, &cpu) && cpu == 200);
	timeline_free(x);
	x = made(v, 0);
	cr_assert(!timeline_cpu(x, 101, 100, 300, &cpu));
	timeline_free(x);
}

static struct timeline_switch left(uint64_t t, uint32_t tid, uint64_t ran)
{
	return (struct timeline_switch){.t = t, .tid = tid, .ran = ran};
}

Test(truth_timeline, reckons_when_a_thread_came_that_nobody_saw_come)
{
	struct timeline_switch v[] = {at(100, 101, IN), left(200, 101, 1100), left(300, 101, 1130),
				      at(400, 101, IN), left(500, 101, 1230)};
	struct timeline *x = made(v, sizeof(v) / sizeof(v[0]));
	uint64_t cpu;

	cr_assert(timeline_cpu(x, 101, 150, 450, &cpu) && cpu == 50 + 30 + 50);
	cr_assert(timeline_cpu(x, 101, 280, 300, &cpu) && cpu == 20);
	cr_assert(timeline_cpu(x, 101, 250, 300, &cpu) && cpu == 50,
		  "it read the clock: what it ran since is 50 at least");
	cr_assert(timeline_cpu(x, 101, 150, 260, &cpu) && cpu == 50);
	cr_assert(!timeline_cpu(x, 101, 350, 450, &cpu), "it had left");
	timeline_free(x);
}

Test(truth_timeline, reckons_nothing_that_cannot_be)
{
	struct timeline_switch longer[] = {at(100, 101, IN), left(200, 101, 1100),
					   left(300, 101, 1201)};
	struct timeline_switch back[] = {at(100, 101, IN), left(200, 101, 1100),
					 left(300, 101, 1090)};
	struct timeline *x = made(longer, 3), *y = made(back, 3);
	uint64_t cpu;

	cr_assert(!timeline_cpu(x, 101, 110, 120, &cpu));
	cr_assert(!timeline_cpu(y, 101, 110, 120, &cpu));
	timeline_free(x);
	timeline_free(y);
}

Test(truth_timeline, knows_how_long_a_thread_was_kept_from_a_cpu)
{
	struct timeline_switch v[] = {at(100, 101, IN), left(200, 101, 1100), at(400, 101, IN),
				      left(500, 101, 1200), at(600, 101, IN)};
	struct timeline *x;
	uint64_t cpu;

	v[1].delayed = 7000;
	v[3].delayed = 7150; /* of the 200 that it was away */
	x = made(v, 5);
	cr_assert(timeline_knows_delays(x));
	cr_assert(timeline_cpu(x, 101, 150, 450, &cpu) && cpu == 100);
	cr_assert(timeline_delay(x, 101, 150, 450) == 150);
	cr_assert(timeline_delay(x, 101, 150, 200) == 0 && timeline_delay(x, 101, 410, 420) == 0);
	cr_assert(timeline_delay(x, 101, 450, 650) == 0, "it has not been seen to leave since");
	timeline_free(x);
}

Test(truth_timeline, knows_no_delays_where_nobody_counts_them)
{
	struct timeline *x = two();

	cr_assert(!timeline_knows_delays(x));
	timeline_free(x);
}

static void sum_up(void *arg, const struct timeline_absence *a)
{
	struct timeline_absence *sum = arg;

	sum->from += a->from;
	sum->to += a->to;
	sum->sleeps |= a->sleeps && a->from == 200;
}

/* 101 is away from 200 to 450; 102 from 400 to 520, then stays. */
Test(truth_timeline, a_thread_is_absent_until_it_comes_back)
{
	struct timeline_switch v[] = {
		at(100, 101, IN),  at(200, 101, OUT), at(450, 101, IN),
		at(500, 101, OUT), at(300, 102, IN),  at(400, 102, OUT),
		at(520, 102, IN),  at(600, 102, OUT), at(600, 102, IN),
	};
	struct timeline_absence first = {0}, second = {0}, none = {0};
	struct timeline *x;

	v[1].sleeps = true;
	x = made(v, sizeof(v) / sizeof(v[0]));
	timeline_absences(x, 101, sum_up, &first);
	timeline_absences(x, 102, sum_up, &second);
	timeline_absences(x, 100, sum_up, &none);
	timeline_absences(x, 103, sum_up, &none);
	cr_assert(first.from == 200 && first.to == 450 && first.sleeps);
	cr_assert(second.from == 400 && second.to == 520 && !second.sleeps);
	cr_assert(!none.to);
	cr_assert(timeline_knows(x, 101) && timeline_knows(x, 102));
	cr_assert(!timeline_knows(x, 100) && !timeline_knows(x, 103));
	timeline_free(x);
}
