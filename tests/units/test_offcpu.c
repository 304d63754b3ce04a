/* SPDX-License-Identifier: BSD-2-Clause */
/* offcpu: which switches and wakes make an edge, and what is summed up. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "profilers/offcpu/offcpu.h"

enum { APP = 100, PREEMPTED = 0, ASLEEP = 1, UNINTERRUPTIBLE = 2 };

static struct ev_rec off(uint64_t t, uint32_t tid, uint32_t next, unsigned state)
{
	return (struct ev_rec){
		.kind = EV_SCHED_SWITCH, .t = t, .tid = tid, .tgid = APP, .a = next, .b = state};
}

static struct ev_rec back(uint64_t t, uint32_t tid)
{
	return (struct ev_rec){.kind = EV_SCHED_SWITCH, .t = t, .flags = EV_F_OTHER, .a = tid};
}

static struct ev_rec wakes(uint64_t t, uint32_t tid, uint32_t wakee, uint8_t flags)
{
	return (struct ev_rec){
		.kind = EV_SCHED_WAKING, .t = t, .tid = tid, .flags = flags, .a = wakee};
}

/* The claims that the records lead to; free with claims_free. */
static struct claims claims_of(const struct ev_rec *v, size_t cnt)
{
	const struct claims_header h = {.profiler = "offcpu",
					.version = "1",
					.declares = 1u << HANDOFF_WAKE | DECLARES_PROFILE |
						    DECLARES_GAP};
	char path[] = "/tmp/offcpu-XXXXXX";
	struct diag d = {0};
	struct claims_writer *w;
	struct offcpu *o;
	struct claims c;

	close(mkstemp(path));
	w = claims_writer_open(path, CLAIMS_JSON, &h, &d);
	cr_assert_not_null(w, "%s", d.reason);
	o = offcpu_new(w);
	for (size_t i = 0; i < cnt; i++)
		cr_assert_eq(offcpu_record(o, &v[i]), 0);
	cr_assert_eq(offcpu_finish(o), 0);
	offcpu_free(o);
	cr_assert_eq(claims_writer_close(w, &d), 0, "%s", d.reason);
	cr_assert_eq(claims_load(path, &c, &d), 0, "%s", d.reason);
	unlink(path);
	return c;
}

static size_t count(const struct claims *c, unsigned kind)
{
	size_t n = 0;

	for (size_t i = 0; i < c->cnt; i++)
		n += c->v[i].kind == kind;
	return n;
}

Test(offcpu, joins_the_first_wake_of_a_sleep_to_the_return)
{
	const struct ev_rec v[] = {
		wakes(5, 102, 101, 0), /* it is not known to sleep */
		off(10, 101, 0, ASLEEP), wakes(20, 102, 101, 0),
		wakes(25, 103, 101, 0),	 back(30, 101),
	};
	struct claims c = claims_of(v, 5);

	cr_assert_eq(count(&c, CLAIM_HANDOFF), 1);
	cr_assert_eq(c.v[0].type, HANDOFF_WAKE);
	cr_assert_eq(c.v[0].handoff.src_tid, 102);
	cr_assert_eq(c.v[0].handoff.src_t, 20);
	cr_assert_eq(c.v[0].handoff.dst_tid, 101);
	cr_assert_eq(c.v[0].handoff.dst_t, 30);
	claims_free(&c);
}

Test(offcpu, sums_up_all_that_a_thread_was_off_the_cpu)
{
	const struct ev_rec v[] = {
		back(5, 101), /* since when it was off is not known */
		off(10, 101, 102, PREEMPTED),
		off(14, 102, 101, ASLEEP), /* 101 is back */
		off(20, 101, 0, UNINTERRUPTIBLE),
		back(50, 101),
	};
	struct claims c = claims_of(v, 5);

	cr_assert_eq(count(&c, CLAIM_HANDOFF), 0);
	cr_assert_eq(count(&c, CLAIM_PROFILE), 2);
	cr_assert_str_eq(strtab_get(c.strings, c.v[0].profile.key_str), "101");
	cr_assert_eq(c.v[0].profile.v, 34);
	cr_assert_eq(c.v[1].profile.v, 0, "102 has not come back");
	claims_free(&c);
}

Test(offcpu, makes_no_edge_where_no_thread_of_the_application_woke)
{
	const struct ev_rec v[] = {
		off(10, 101, 0, ASLEEP),
		wakes(20, 0, 101, EV_F_IRQ),
		wakes(21, 102, 101, 0), /* comes too late */
		back(30, 101),
		off(40, 101, 0, ASLEEP),
		wakes(45, 7, 101, EV_F_OTHER),
		back(50, 101),
		off(60, 101, 102, PREEMPTED),
		wakes(65, 102, 101, 0),
		back(70, 101),
	};
	struct claims c = claims_of(v, sizeof(v) / sizeof(v[0]));

	cr_assert_eq(count(&c, CLAIM_HANDOFF), 0);
	claims_free(&c);
}

Test(offcpu, leaves_out_kernel_threads)
{
	struct ev_rec v[] = {off(10, 101, 0, ASLEEP), wakes(20, 102, 101, 0), back(30, 101)};
	struct claims c;

	v[0].flags = EV_F_KERNEL;
	c = claims_of(v, 3);
	cr_assert_eq(c.cnt, 0);
	claims_free(&c);
}

Test(offcpu, forgets_what_was_under_way_when_records_were_lost)
{
	const struct ev_rec v[] = {
		off(10, 101, 0, ASLEEP),
		wakes(12, 102, 101, 0),
		{.kind = EV_LOST, .a = 7, .b = 15, .t = 25},
		back(30, 101),
	};
	struct claims c = claims_of(v, 4);

	cr_assert_eq(count(&c, CLAIM_HANDOFF), 0);
	cr_assert_eq(count(&c, CLAIM_GAP), 1);
	cr_assert_eq(c.v[0].gap.from, 15);
	cr_assert_eq(c.v[0].gap.to, 25);
	cr_assert_eq(c.v[0].gap.lost, 7);
	cr_assert_eq(c.v[1].profile.v, 0);
	claims_free(&c);
}

/* What is claimed of a pair; UINT64_MAX: nothing. */
static uint64_t blocked(const struct claims *c, const char *pair)
{
	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_PROFILE && c->v[i].type == BY_PAIR &&
		    strcmp(strtab_get(c->strings, c->v[i].profile.key_str), pair) == 0)
			return c->v[i].profile.v;
	return UINT64_MAX;
}

Test(offcpu, sums_up_sleeps_by_who_ended_them)
{
	const struct ev_rec v[] = {
		off(10, 101, 0, ASLEEP),	  wakes(20, 102, 101, 0),	 back(35, 101),
		off(40, 101, 0, UNINTERRUPTIBLE), wakes(45, 7, 101, EV_F_OTHER), back(50, 101),
		off(60, 101, 0, ASLEEP),	  wakes(67, 0, 101, EV_F_IRQ),	 back(70, 101),
		off(80, 101, 102, PREEMPTED),	  wakes(85, 102, 101, 0),	 back(90, 101),
		off(100, 101, 0, ASLEEP),	  wakes(103, 102, 101, 0),	 back(104, 101),
	};
	struct claims c = claims_of(v, sizeof(v) / sizeof(v[0]));

	cr_expect_eq(blocked(&c, "102>101"), 10 + 3);
	cr_expect_eq(blocked(&c, "7>101"), 5);
	cr_expect_eq(blocked(&c, "0>101"), 7);
	cr_expect_eq(count(&c, CLAIM_PROFILE), 1 + 3);
	claims_free(&c);
}
