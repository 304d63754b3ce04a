/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity: lives and joins (contracts §5.2), every clause by hand. */
#include "tests/units/score_frames.h"

static struct identity_score identity(struct world *w)
{
	struct event_score s = score(w);
	struct identity_score x = s.identity;

	event_score_free(&s);
	return x;
}

static struct world *two_lives(void)
{
	struct world *w = world_new();

	for (uint64_t life = 1; life <= 2; life++) {
		happened(w, EVENT_ACQUIRE, 1000 * life, 1000 * life + 2, life);
		happened(w, EVENT_USE, 1000 * life + 10, 1000 * life + 12, life);
		happened(w, EVENT_RELEASE, 1000 * life + 20, 1000 * life + 22, life);
		saw(w, EVENT_ACQUIRE, 1000 * life + 1, life);
		saw(w, EVENT_USE, 1000 * life + 11, life);
		saw(w, EVENT_RELEASE, 1000 * life + 21, life);
	}
	return w;
}

Test(score_identity, is_exact_when_each_life_carries_one_identity_of_its_own)
{
	struct world *w = two_lives();
	struct identity_score x = identity(w);

	cr_assert_eq(x.lives, 2);
	cr_assert_eq(x.exact, 2);
	cr_assert_eq(x.true_joins, 4);
	cr_assert_eq(x.found, 4);
	cr_assert_eq(x.claimed_joins, 4);
	cr_assert_eq(x.pure, 4);
	cr_assert_eq(x.lives_all, 2);
	cr_assert_eq(x.events_all, 6);
	world_free(w);
}

Test(score_identity, is_not_exact_when_one_event_is_missed)
{
	struct world *w = two_lives();
	struct identity_score x;

	w->claims[1].event.t = 1009; /* beside its window */
	x = identity(w);
	cr_assert_eq(x.exact, 1);
	cr_assert_eq(x.found, 2); /* both joins of life 1 meet the missed event */
	cr_assert_eq(x.claimed_joins, 4);
	cr_assert_eq(x.pure, 2);
	world_free(w);
}

Test(score_identity, is_not_exact_when_an_event_of_another_life_carries_it)
{
	struct world *w = two_lives();
	struct identity_score x;

	w->claims[5].event.gen = 1; /* the RELEASE of life 2 under gen 1 */
	x = identity(w);
	cr_assert_eq(x.exact, 0);
	cr_assert_eq(x.found, 3);
	cr_assert_eq(x.claimed_joins, 4); /* gen 1: 4 claims, gen 2: 2 claims */
	cr_assert_eq(x.pure, 3);
	world_free(w);
}

Test(score_identity, does_not_care_for_unpaired_claims_that_carry_it)
{
	struct world *w = two_lives();
	struct identity_score x;

	saw(w, EVENT_USE, 5000, 1); /* nothing happened there */
	x = identity(w);
	cr_assert_eq(x.exact, 2);
	cr_assert_eq(x.claimed_joins, 5);
	cr_assert_eq(x.pure, 4);
	world_free(w);
}

Test(score_identity, tells_instances_and_gens_apart_and_a_missing_gen_from_0)
{
	struct world *w = two_lives();

	for (size_t i = 3; i < 6; i++)
		w->claims[i].event.gen = 1;
	cr_assert_eq(identity(w).exact, 0);
	for (size_t i = 3; i < 6; i++)
		w->claims[i].event.instance = 0x56;
	cr_assert_eq(identity(w).exact, 2);
	for (size_t i = 0; i < 6; i++) {
		w->claims[i].event.instance = 0x55;
		w->claims[i].event.gen = 0;
		if (i < 3)
			w->claims[i].has &= (uint16_t)~HAS_GEN;
	}
	cr_assert_eq(identity(w).exact, 2);
	world_free(w);
}

Test(score_identity, takes_an_address_without_gen_for_one_identity)
{
	struct world *w = two_lives();
	struct identity_score x;

	for (size_t i = 0; i < 6; i++) {
		w->claims[i].event.gen = 0;
		w->claims[i].has &= (uint16_t)~HAS_GEN;
	}
	x = identity(w);
	cr_assert_eq(x.exact, 0);
	cr_assert_eq(x.found, 4); /* blind: the joins look perfect */
	cr_assert_eq(x.claimed_joins, 5);
	cr_assert_eq(x.pure, 4);
	world_free(w);
}

Test(score_identity, has_none_without_an_instance)
{
	struct world *w = two_lives();
	struct identity_score x;

	for (size_t i = 0; i < 3; i++) {
		w->claims[i].event.instance = 0;
		w->claims[i].has &= (uint16_t)~HAS_INSTANCE;
	}
	x = identity(w);
	cr_assert_eq(x.exact, 1);
	cr_assert_eq(x.found, 2);
	cr_assert_eq(x.claimed_joins, 2);
	world_free(w);
}

Test(score_identity, asks_lives_of_one_event_nothing_but_their_mean)
{
	struct world *w = two_lives();
	struct identity_score x;

	happened(w, EVENT_USE, 3000, 3002, 3);
	saw(w, EVENT_USE, 3001, 3);
	x = identity(w);
	cr_assert_eq(x.lives, 2);
	cr_assert_eq(x.exact, 2);
	cr_assert_eq(x.true_joins, 4);
	cr_assert_eq(x.lives_all, 3);
	cr_assert_eq(x.events_all, 7);
	/* but a life of one event that carries gen 1 spoils life 1 */
	w->claims[6].event.gen = 1;
	cr_assert_eq(identity(w).exact, 1);
	world_free(w);
}

Test(score_identity, ends_a_life_after_its_only_event)
{
	struct world *w = world_new();
	struct identity_score x;

	happened(w, EVENT_USE, 100, 102, 1);
	happened(w, EVENT_USE, 200, 202, 2);
	happened(w, EVENT_USE, 300, 302, 2);
	happened(w, EVENT_USE, 400, 402, 2);
	x = identity(w);
	cr_assert_eq(x.lives_all, 2);
	cr_assert_eq(x.lives, 1);
	cr_assert_eq(x.true_joins, 2);
	world_free(w);
}

Test(score_identity, hears_the_first_claim_of_an_identity)
{
	struct world *w = two_lives();

	happened(w, EVENT_USE, 10, 12, 3);
	saw(w, EVENT_USE, 11, 1); /* the earliest of gen 1, on another life */
	cr_assert_eq(identity(w).exact, 1);
	world_free(w);
}

Test(score_identity, orders_neighbours_by_time_not_by_file)
{
	struct world *w = world_new();
	struct identity_score x;

	happened(w, EVENT_RELEASE, 300, 302, 1);
	happened(w, EVENT_USE, 200, 202, 1);
	happened(w, EVENT_ACQUIRE, 100, 102, 1);
	saw(w, EVENT_ACQUIRE, 101, 1);
	saw(w, EVENT_USE, 201, 1);
	saw(w, EVENT_RELEASE, 301, 2);
	x = identity(w);
	cr_assert_eq(x.true_joins, 2);
	cr_assert_eq(x.found, 1);
	world_free(w);
}

Test(score_identity, orders_neighbours_by_the_beginning_of_their_windows)
{
	struct world *w = world_new();

	happened(w, EVENT_ACQUIRE, 100, 300, 1);
	happened(w, EVENT_USE, 150, 160, 1);
	happened(w, EVENT_RELEASE, 310, 320, 1);
	saw(w, EVENT_ACQUIRE, 200, 1);
	saw(w, EVENT_USE, 155, 2);
	saw(w, EVENT_RELEASE, 315, 2);
	cr_assert_eq(identity(w).found, 1);
	world_free(w);
}

Test(score_identity, orders_neighbours_that_begin_together_by_their_end)
{
	struct world *w = world_new();

	happened(w, EVENT_RELEASE, 310, 320, 1);
	happened(w, EVENT_ACQUIRE, 100, 300, 1);
	happened(w, EVENT_USE, 100, 160, 1);
	saw(w, EVENT_RELEASE, 315, 2);
	saw(w, EVENT_ACQUIRE, 200, 2);
	saw(w, EVENT_USE, 155, 1);
	cr_assert_eq(identity(w).found, 1);
	w->claims[1].event.gen = 1;
	w->claims[2].event.gen = 2;
	cr_assert_eq(identity(w).found, 0);
	world_free(w);
}
