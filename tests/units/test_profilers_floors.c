/* SPDX-License-Identifier: BSD-2-Clause */
/* Floors: each guesses as its name says, on the observations that causal gets. */
#include "profilers/adapter/table.h"
#include "tests/units/test_profilers.h"

/* Three submissions, one key twice; completions in the order 2, 1, 3. */
struct trial {
	struct stream s;
	uint64_t src[3], dst[3];
};

static void run(struct trial *t, const struct joiner *j)
{
	struct stream *s = &t->s;

	stream_open(s, j);
	create(s, RING_A, 5, 0);
	wait_for_cqe(s, REAPER, RING_A);
	t->src[0] = submit(s, APP, RING_A, REQ(1), 7);
	t->src[1] = submit(s, APP, RING_A, REQ(2), 7);
	t->src[2] = submit(s, REAPER, RING_A, REQ(3), 9);
	t->dst[0] = complete(s, APP, RING_A, REQ(2), 7);
	t->dst[1] = complete(s, APP, RING_A, REQ(1), 7);
	t->dst[2] = complete(s, APP, RING_A, REQ(3), 9);
	stream_finish(s);
}

static void expect_guesses(const struct joiner *j, const unsigned char guess[3])
{
	struct trial t;

	run(&t, j);
	cr_assert_eq(t.s.cnt, 3);
	for (unsigned i = 0; i < 3; i++) {
		unsigned g = guess[i];

		expect_ends(&t.s.claims[i], g == 2 ? REAPER : APP, t.src[g], REAPER, t.dst[i]);
		cr_expect_eq(t.s.claims[i].handoff.conf, 1.0);
	}
}

Test(profilers_floors, fifo_pairs_the_oldest_of_the_key)
{
	expect_guesses(&joiner_fifo, (const unsigned char[]){0, 1, 2});
}

Test(profilers_floors, pointer_names_the_last_of_the_key)
{
	expect_guesses(&joiner_pointer, (const unsigned char[]){1, 1, 2});
}

Test(profilers_floors, nearest_names_the_last_of_all)
{
	expect_guesses(&joiner_nearest, (const unsigned char[]){2, 2, 2});
}

Test(profilers_floors, thread_names_the_last_of_the_receiver)
{
	expect_guesses(&joiner_thread, (const unsigned char[]){2, 2, 2});
}

Test(profilers_floors, null_says_nothing)
{
	struct trial t;

	run(&t, &joiner_null);
	cr_expect_eq(t.s.cnt, 0);
}

Test(profilers_floors, uring_only_names_the_request_and_passes_over_who_has_none)
{
	struct stream s;
	struct trial t;
	uint64_t src, dst;

	run(&t, &joiner_uring_only);
	cr_assert_eq(t.s.cnt, 3);
	expect_ends(&t.s.claims[0], APP, t.src[1], REAPER, t.dst[0]);
	expect_ends(&t.s.claims[1], APP, t.src[0], REAPER, t.dst[1]);
	expect_ends(&t.s.claims[2], REAPER, t.src[2], REAPER, t.dst[2]);
	stream_open(&s, &joiner_uring_only);
	create(&s, RING_A, 5, 0);
	wait_for_cqe(&s, REAPER, RING_A);
	src = submit(&s, APP, RING_A, REQ(1), 7);
	complete(&s, APP, RING_A, 0, 7);
	dst = complete(&s, APP, RING_A, REQ(1), 7);
	complete(&s, APP, RING_A, REQ(2), 7); /* submitted before it was there */
	stream_finish(&s);
	cr_assert_eq(s.cnt, 1);
	expect_ends(&s.claims[0], APP, src, REAPER, dst);
}

Test(profilers_floors, random_names_every_earlier_src_about_equally_often)
{
	unsigned hits[3] = {0};
	struct stream s;
	uint64_t src[3];

	stream_open(&s, &joiner_random);
	wait_for_cqe(&s, REAPER, RING_A);
	for (unsigned i = 0; i < 3; i++)
		src[i] = submit(&s, APP, RING_A, REQ(i), 7);
	for (unsigned i = 0; i < 240; i++) {
		complete(&s, APP, RING_A, REQ(0), 7);
		for (unsigned k = 0; k < 3; k++)
			hits[k] += s.claims[i].handoff.src_t == src[k];
	}
	stream_finish(&s);
	cr_expect_eq(hits[0] + hits[1] + hits[2], 240);
	for (unsigned k = 0; k < 3; k++) /* 80 expected, standard deviation 7.3 */
		cr_expect(hits[k] > 40 && hits[k] < 120, "%u", hits[k]);
}

Test(profilers_floors, leave_an_orphan_when_there_is_nothing_to_guess)
{
	const struct joiner *const all[] = {&joiner_random, &joiner_thread, &joiner_nearest,
					    &joiner_fifo, &joiner_pointer};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct stream s;
		uint64_t dst;

		stream_open(&s, all[i]);
		wait_for_cqe(&s, REAPER, RING_A);
		dst = complete(&s, APP, RING_A, REQ(1), 7);
		stream_finish(&s);
		cr_assert_eq(s.cnt, 1);
		expect_ends(&s.claims[0], 0, 0, REAPER, dst);
	}
}

Test(profilers_floors, table_forgets_the_oldest_when_a_queue_is_full)
{
	struct table t = {0};
	struct observation o = {.type = HANDOFF_IO, .v = 7};
	const struct observation *got;

	for (o.t = 1; o.t <= TABLE_QUEUE_MAX + 5; o.t++)
		cr_assert_eq(table_push(&t, table_key_of(&o), &o), 0);
	got = table_newest(&t, table_key_of(&o));
	cr_assert_not_null(got);
	cr_expect_eq(got->t, TABLE_QUEUE_MAX + 5);
	got = table_pop_oldest(&t, table_key_of(&o));
	cr_assert_not_null(got);
	cr_expect_eq(got->t, 6);
	table_clear(&t);
}
