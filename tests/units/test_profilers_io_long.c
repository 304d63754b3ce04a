/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: io handoffs where more rings and requests have been than it keeps. */
#include "profilers/causal/io.h"
#include "tests/units/test_profilers.h"

/* A ring, of a process of its own that ends or of one that goes on. */
static void use_a_ring(struct stream *s, uint32_t tgid, uint64_t ring, bool ends)
{
	const unsigned kinds[] = {EV_IO_CREATE, EV_IO_ENTER, EV_IO_SUBMIT, EV_IO_COMPLETE,
				  EV_PROC_EXIT};

	for (size_t i = 0; i < 4u + ends; i++)
		feed(s, (struct ev_rec){.kind = (uint8_t)kinds[i],
					.tid = tgid,
					.tgid = tgid,
					.a = i < 4 && i != 1 ? ring : 1,
					.b = i == 2 || i == 3 ? REQ(1) : 0,
					.c = i == 1,
					.d = i == 1 ? IORING_ENTER_GETEVENTS : 0,
					.e = i == 1 ? ring : 0});
}

Test(profilers_io_long, knows_the_rings_of_more_processes_than_there_can_be_at_a_time)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	for (uint32_t i = 0; i < RINGS_MAX + 1000; i++) {
		s.cnt = 0;
		use_a_ring(&s, 1000 + i, RING_A + i * UINT64_C(4096), true);
		cr_assert_eq(s.cnt, 1);
		expect_key(&s.claims[0], KEY_USER_DATA, 0, 1);
	}
	stream_finish(&s);
}

Test(profilers_io_long, forgets_the_oldest_of_more_rings_than_it_can_hold)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	for (uint32_t i = 1; i <= RINGS_MAX + 10; i++) {
		s.cnt = 0;
		use_a_ring(&s, PID, RING_A + i * UINT64_C(4096), false);
		cr_assert_eq(s.cnt, 1);
		expect_key(&s.claims[0], KEY_USER_DATA, 0, i);
	}
	stream_finish(&s);
}

Test(profilers_io_long, keeps_the_number_of_a_ring_that_a_child_goes_on_with)
{
	struct stream s;

	stream_open(&s, &joiner_causal);
	use_a_ring(&s, PID, RING_A, true);
	feed(&s, (struct ev_rec){.kind = EV_IO_ENTER, .tid = APP, .tgid = APP, .e = RING_A});
	for (uint32_t i = 0; i < 2 * RINGS_ENDED_MAX; i++) {
		s.cnt = 0;
		use_a_ring(&s, 1000 + i, RING_B + i * UINT64_C(4096), true);
	}
	s.cnt = 0;
	submit(&s, APP, RING_A, REQ(2), 7);
	complete(&s, APP, RING_A, REQ(2), 7);
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_key(&s.claims[0], KEY_USER_DATA, 7, 1);
}

Test(profilers_io_long, gives_no_generation_twice_to_an_address_that_it_had_forgotten)
{
	enum { ADDRESSES = 4 * CAUSAL_REQUESTS_IDLE };
	static uint64_t last[ADDRESSES];
	struct stream s;

	stream_open(&s, &joiner_causal);
	create(&s, RING_A, 5, 0);
	wait_for_cqe(&s, APP, RING_A);
	for (uint64_t i = 0; i < 3 * ADDRESSES; i++) {
		uint64_t *before = &last[i % ADDRESSES];

		s.cnt = 0;
		submit(&s, APP, RING_A, REQ(i % ADDRESSES), 7);
		complete(&s, APP, RING_A, REQ(i % ADDRESSES), 7);
		cr_assert_eq(s.cnt, 1);
		cr_assert_gt(s.claims[0].handoff.gen, *before);
		*before = s.claims[0].handoff.gen;
	}
	stream_finish(&s);
}
