/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims that wait for the thread which takes a ring's completions, where nobody is seen to wait.
 */
#include <criterion/criterion.h>
#include <linux/io_uring.h>
#include <malloc.h>

#include "profilers/adapter/rings.h"

enum { RINGS = 3, PID = 100, USER = 200, WORKER = 300 };

struct rig {
	struct outlet out;
	struct rings *rings;
	unsigned long of_user[RINGS], of_others;
};

static int put(void *arg, const struct claim *c)
{
	struct rig *r = arg;
	uint32_t i = c->handoff.dst_tid - USER;

	*(i < RINGS ? &r->of_user[i] : &r->of_others) += 1;
	return 0;
}

static int64_t word(void *arg, const char *w)
{
	return arg && *w ? 1 : -1;
}

static uint64_t address(unsigned ring)
{
	return UINT64_C(0xffff888100000000) + ring * 4096u;
}

/* Each ring has one thread that submits and never waits. */
static void setup(struct rig *r)
{
	*r = (struct rig){.out = {.put = put, .str = word, .arg = r}};
	r->rings = rings_new(&r->out);
	cr_assert_not_null(r->rings);
	for (unsigned i = 0; i < RINGS; i++) {
		const struct ev_rec made = {
			.kind = EV_IO_CREATE, .tgid = PID, .a = address(i), .b = i};
		const struct ev_rec entered = {
			.kind = EV_IO_ENTER, .tgid = PID, .tid = USER + i, .e = address(i)};

		cr_assert_eq(rings_record(r->rings, &made), 0);
		cr_assert_eq(rings_record(r->rings, &entered), 0);
	}
}

static void complete(struct rig *r, unsigned ring, unsigned cnt)
{
	struct claim c = {.kind = CLAIM_HANDOFF, .how = HOW_OBSERVED};
	struct ring *x;

	c.handoff.dst_tid = WORKER;
	for (unsigned i = 0; i < cnt; i++) {
		cr_assert_eq(rings_get(r->rings, address(ring), PID, &x), 0);
		cr_assert_eq(rings_put(r->rings, x, &c), 0);
	}
}

Test(profilers_rings, name_the_only_user_of_a_ring_when_another_has_filled_the_room)
{
	struct rig r;

	setup(&r);
	complete(&r, 0, RINGS_PENDING_MAX);
	complete(&r, 1, 10);
	cr_assert_eq(rings_finish(r.rings), 0);
	cr_expect_eq(r.of_user[0], RINGS_PENDING_MAX);
	cr_expect_eq(r.of_user[1], 10);
	cr_expect_eq(r.of_others, 0);
	rings_free(r.rings);
}

Test(profilers_rings, keep_no_room_for_claims_of_rings_that_nobody_is_seen_to_wait_on)
{
	size_t before;
	struct rig r;

	setup(&r);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (unsigned ring = 0; ring < RINGS; ring++)
		complete(&r, ring, RINGS_PENDING_MAX + 1);
	cr_expect_leq(mallinfo2().uordblks + mallinfo2().hblkhd, before);
	for (unsigned ring = 0; ring < RINGS; ring++)
		cr_expect_eq(r.of_user[ring], RINGS_PENDING_MAX + 1);
	rings_free(r.rings);
}

Test(profilers_rings, name_who_waits_at_last_even_if_claims_had_stopped_waiting_for_it)
{
	const struct ev_rec waits = {.kind = EV_IO_ENTER,
				     .tgid = PID,
				     .tid = USER + 1,
				     .c = 1,
				     .d = IORING_ENTER_GETEVENTS,
				     .e = address(0)};
	struct rig r;

	setup(&r);
	complete(&r, 0, RINGS_PENDING_MAX + 1);
	cr_assert_eq(rings_record(r.rings, &waits), 0);
	complete(&r, 0, 10);
	cr_expect_eq(r.of_user[0], RINGS_PENDING_MAX + 1);
	cr_expect_eq(r.of_user[1], 10);
	rings_free(r.rings);
}
