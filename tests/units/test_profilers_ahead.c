/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking ahead: what was lost is known before the records behind it are. */
#include "profilers/adapter/ahead.h"

#include <criterion/criterion.h>
#include <stdint.h>

enum { SEEN_MAX = 64 };

struct seen {
	uint8_t kind;
	bool found;
	uint64_t t;
};

static struct ahead *a;
static struct seen seen[SEEN_MAX];
static size_t cnt;
static uint64_t last; /* t of what came last */

static int take(void *arg, const struct ev_rec *r, bool found)
{
	cr_assert_null(arg);
	if (cnt < SEEN_MAX)
		seen[cnt] = (struct seen){r->kind, found, r->t};
	cnt++;
	last = r->t;
	return 0;
}

static void open_ahead(void)
{
	a = ahead_new(take, NULL);
	cr_assert_not_null(a);
}

static void close_ahead(void)
{
	ahead_free(a);
}

static void record(unsigned cpu, unsigned seq, uint64_t t)
{
	const struct ev_rec r = {
		.kind = EV_IO_ENTER, .cpu = (uint16_t)cpu, .seq = (uint16_t)seq, .t = t};

	cr_assert_eq(ahead_record(a, &r), 0);
}

static void told(unsigned cpu, uint64_t lost, uint64_t from, uint64_t to)
{
	const struct ev_rec r = {
		.kind = EV_LOST, .cpu = (uint16_t)cpu, .a = lost, .b = from, .t = to};

	cr_assert_eq(ahead_record(a, &r), 0);
}

static void expect(size_t i, uint8_t kind, bool found, uint64_t t)
{
	cr_assert_lt(i, cnt, "only %zu came", cnt);
	cr_expect(seen[i].kind == kind && seen[i].found == found && seen[i].t == t,
		  "%zu: kind %u of %lu", i, seen[i].kind, (unsigned long)seen[i].t);
}

TestSuite(ahead, .init = open_ahead, .fini = close_ahead);

Test(ahead, tells_a_loss_before_what_another_cpu_did_meanwhile)
{
	record(0, 1, 100);
	record(1, 1, 110);
	record(0, 2, 300);
	record(0, 3, 400);
	cr_expect_eq(cnt, 2, "what CPU 1 did since is not known");
	told(1, 7, 200, 250);
	record(1, 9, 500);
	expect(2, EV_LOST, false, 250);
	expect(3, EV_IO_ENTER, false, 300);
	expect(4, EV_IO_ENTER, false, 400);
	cr_expect_eq(cnt, 5);
	cr_assert_eq(ahead_finish(a), 0);
	expect(5, EV_IO_ENTER, false, 500);
	cr_expect_eq(cnt, 6);
}

Test(ahead, tells_what_the_numbers_show_and_says_that_it_was_found)
{
	record(0, 1, 100);
	record(0, 4, 300);
	record(1, 1, 310);
	record(0, 5, 320);
	cr_expect_eq(cnt, 1, "a neighbour may come yet");
	cr_assert_eq(ahead_finish(a), 0);
	expect(1, EV_LOST, true, 300);
	expect(2, EV_IO_ENTER, false, 300);
	expect(3, EV_IO_ENTER, false, 310);
	expect(4, EV_IO_ENTER, false, 320);
	cr_expect_eq(cnt, 5);
}

Test(ahead, keeps_the_order_of_losses_that_come_out_of_it)
{
	record(0, 1, 100);
	record(1, 1, 110);
	record(2, 1, 120);
	told(0, 2, 260, 270);
	record(0, 4, 400);
	told(1, 1, 200, 200);
	record(1, 3, 410);
	record(2, 2, 420);
	cr_assert_eq(ahead_finish(a), 0);
	expect(3, EV_LOST, false, 200);
	expect(4, EV_LOST, false, 270);
	expect(5, EV_IO_ENTER, false, 400);
	cr_expect_eq(cnt, 8);
}

Test(ahead, hands_on_at_once_what_has_no_numbers)
{
	record(0, 0, 100);
	cr_expect_eq(cnt, 1);
	told(0, 1, 150, 160);
	record(0, 0, 200);
	expect(1, EV_LOST, false, 160);
	expect(2, EV_IO_ENTER, false, 200);
}

Test(ahead, tells_a_loss_that_nothing_follows)
{
	record(0, 1, 100);
	told(0, 1, 150, 160);
	cr_assert_eq(ahead_finish(a), 0);
	expect(1, EV_LOST, false, 160);
}

Test(ahead, does_not_wait_for_an_idle_cpu_for_ever)
{
	record(1, 1, 50);
	for (unsigned i = 1; i <= AHEAD_MAX + 10; i++)
		record(0, i, 100 + i);
	cr_expect_eq(cnt, 11);
	cr_expect_eq(last, 110);
	cr_assert_eq(ahead_finish(a), 0);
	cr_expect_eq(cnt, AHEAD_MAX + 11);
}

Test(ahead, makes_room_for_losses_as_they_go)
{
	const size_t rounds = 1000;

	for (unsigned i = 0; i < rounds; i++) {
		record(0, 2 * i + 1, 10 * i + 1);
		told(0, 1, 10 * i + 5, 10 * i + 5);
	}
	cr_assert_eq(ahead_finish(a), 0);
	cr_expect_eq(cnt, 2 * rounds);
	cr_expect_eq(last, 10 * (rounds - 1) + 5);
	for (size_t i = 0; i < SEEN_MAX; i++)
		expect(i, i % 2 ? EV_LOST : EV_IO_ENTER, false, 10 * (i / 2) + (i % 2 ? 5 : 1));
}
