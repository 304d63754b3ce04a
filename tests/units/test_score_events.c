/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events and identity (contracts §5.2), every clause by hand. */
#include <criterion/criterion.h>

#include "scoring/events.h"
#include "tests/units/score_world.h"

#define FRAME "pool.frame"

static void happened(struct world *w, unsigned kind, uint64_t t0, uint64_t t1, uint64_t life)
{
	add_event(w, (struct truth_event){.kind = (uint8_t)kind,
					  .tid = 101,
					  .t = {t0, t1},
					  .class_str = said(w, FRAME),
					  .life = life,
					  .instance = 0x55,
					  .units = 1,
					  .desc = 1});
}

static struct claim *saw(struct world *w, unsigned kind, uint64_t t, uint64_t gen)
{
	return add_claim(w, (struct claim){.kind = CLAIM_EVENT,
					   .type = (uint8_t)kind,
					   .has = HAS_INSTANCE | HAS_GEN | HAS_UNITS | HAS_DESC,
					   .event = {.t = t,
						     .tid = 101,
						     .class_str = claimed(w, FRAME),
						     .instance = 0x55,
						     .gen = gen,
						     .units = 1,
						     .desc = 1}});
}

static struct event_score score(struct world *w)
{
	struct sealed x = seal(w);
	struct event_score s;
	struct words words;

	cr_assert_eq(words_map(&x.t, &x.c, &words), 0);
	cr_assert_eq(score_events(&x.t, &x.c, &words, &s), 0);
	free(words.of);
	unseal(&x);
	return s;
}

/* Scores, frees, and returns the counts of all; for tests that need nothing else. */
static struct event_counts counts(struct world *w)
{
	struct event_score s = score(w);
	struct event_counts all = s.all;

	event_score_free(&s);
	return all;
}

static struct identity_score identity(struct world *w)
{
	struct event_score s = score(w);
	struct identity_score x = s.identity;

	event_score_free(&s);
	return x;
}

Test(score_events, has_nothing_when_nothing_happened)
{
	struct world *w = world_new();
	struct event_score s = score(w);

	cr_assert_eq(s.all.truth + s.all.claims + s.all.matched, 0);
	cr_assert_eq(s.desc_cnt, 0);
	cr_assert_eq(s.identity.lives_all, 0);
	event_score_free(&s);
	world_free(w);
}

Test(score_events, pairs_on_both_borders_and_not_a_nanosecond_beyond)
{
	static const struct {
		uint64_t t;
		unsigned matched;
	} rows[] = {{99, 0}, {100, 1}, {102, 1}, {103, 0}};

	for (size_t i = 0; i < 4; i++) {
		struct world *w = world_new();

		happened(w, EVENT_USE, 100, 102, 1);
		saw(w, EVENT_USE, rows[i].t, 1);
		cr_assert_eq(counts(w).matched, rows[i].matched, "at %lu", rows[i].t);
		world_free(w);
	}
}

Test(score_events, pairs_only_equal_event_class_and_tid)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 100, 102, 1);
	saw(w, EVENT_RELEASE, 101, 1);
	saw(w, EVENT_USE, 101, 1)->event.tid = 102;
	saw(w, EVENT_USE, 101, 1)->event.class_str = claimed(w, "pool.page");
	cr_assert_eq(counts(w).matched, 0);
	cr_assert_eq(counts(w).claims, 3);
	saw(w, EVENT_USE, 101, 1);
	cr_assert_eq(counts(w).matched, 1);
	cr_assert_eq(counts(w).claims, 4);
	world_free(w);
}

Test(score_events, pairs_one_to_one)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 100, 102, 1);
	saw(w, EVENT_USE, 100, 1);
	saw(w, EVENT_USE, 101, 1);
	cr_assert_eq(counts(w).matched, 1);
	happened(w, EVENT_USE, 100, 102, 1);
	cr_assert_eq(counts(w).matched, 2);
	world_free(w);
}

/* First-come would give 110 the long window and leave 150 without one. */
Test(score_events, finds_the_maximum_where_a_greedy_choice_fails)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 100, 200, 1);
	happened(w, EVENT_USE, 105, 120, 1);
	saw(w, EVENT_USE, 110, 1);
	saw(w, EVENT_USE, 150, 1);
	cr_assert_eq(counts(w).matched, 2);
	world_free(w);
}

Test(score_events, takes_the_window_that_ends_first_among_equals)
{
	struct world *w = world_new();

	/* Units tell which window was taken: 7 ends at 120, 1 at 200. */
	happened(w, EVENT_USE, 100, 200, 1);
	happened(w, EVENT_USE, 105, 120, 2);
	w->events[1].units = 7;
	saw(w, EVENT_USE, 110, 1)->event.units = 7;
	cr_assert_eq(counts(w).units_equal, 1);
	w->claims[0].event.units = 1;
	cr_assert_eq(counts(w).units_equal, 0);
	world_free(w);
}

Test(score_events, takes_the_window_that_begins_first_when_they_end_together)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 105, 120, 1);
	happened(w, EVENT_USE, 100, 120, 2);
	w->events[1].units = 7;
	saw(w, EVENT_USE, 110, 1)->event.units = 7;
	cr_assert_eq(counts(w).units_equal, 1);
	world_free(w);
}

Test(score_events, keeps_to_what_is_scored_to_the_nanosecond)
{
	struct world *w = world_new();

	w->t.scored = (struct window){100, 200};
	happened(w, EVENT_USE, 99, 110, 1);
	happened(w, EVENT_USE, 190, 201, 1);
	cr_assert_eq(counts(w).truth, 0);
	happened(w, EVENT_USE, 100, 110, 1);
	happened(w, EVENT_USE, 190, 200, 1);
	cr_assert_eq(counts(w).truth, 2);
	saw(w, EVENT_USE, 99, 1);
	saw(w, EVENT_USE, 201, 1);
	cr_assert_eq(counts(w).claims, 0);
	saw(w, EVENT_USE, 100, 1);
	saw(w, EVENT_USE, 200, 1);
	cr_assert_eq(counts(w).claims, 2);
	cr_assert_eq(counts(w).matched, 2);
	world_free(w);
}

Test(score_events, counts_units_as_equal_only_where_both_give_them)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 100, 102, 1);
	saw(w, EVENT_USE, 101, 1)->has &= (uint16_t)~HAS_UNITS;
	cr_assert_eq(counts(w).matched, 1);
	cr_assert_eq(counts(w).units_equal, 0);
	w->claims[0].has |= HAS_UNITS;
	cr_assert_eq(counts(w).units_equal, 1);
	w->claims[0].event.units = 2;
	cr_assert_eq(counts(w).units_equal, 0);
	w->claims[0].event.units = 1;
	w->events[0].has &= (uint8_t)~TE_UNITS;
	cr_assert_eq(counts(w).units_equal, 0);
	world_free(w);
}

Test(score_events, gives_each_descriptor_what_both_sides_name)
{
	struct world *w = world_new();
	struct event_score s;

	add_descriptor(w, (struct truth_descriptor){.id = 5, .valid = 1}, FRAME);
	happened(w, EVENT_USE, 100, 102, 1);			   /* desc 1, claimed as 1 */
	happened(w, EVENT_USE, 200, 202, 1);			   /* desc 1, claimed as 2 */
	happened(w, EVENT_USE, 300, 302, 1);			   /* desc 1, claimed without */
	add_event(w, w->events[2])->t = (struct window){400, 402}; /* no desc, claimed as 1 */
	w->events[3].has &= (uint8_t)~TE_DESC;
	w->events[3].desc = 0;
	saw(w, EVENT_USE, 101, 1)->event.units = 9;
	saw(w, EVENT_USE, 201, 1)->event.desc = 2;
	saw(w, EVENT_USE, 301, 1)->has &= (uint16_t)~HAS_DESC;
	w->claims[2].event.desc = 0;
	saw(w, EVENT_USE, 401, 1);
	s = score(w);
	cr_assert_eq(s.all.matched, 4);
	cr_assert_eq(s.all.units_equal, 3);
	cr_assert_eq(s.desc_cnt, 3);
	cr_assert_eq(s.desc[0].id, 1);
	cr_assert_eq(s.desc[0].c.truth, 3);
	cr_assert_eq(s.desc[0].c.claims, 2);
	cr_assert_eq(s.desc[0].c.matched, 1);
	cr_assert_eq(s.desc[0].c.units_equal, 0);
	cr_assert_eq(s.desc[1].id, 2);
	cr_assert_eq(s.desc[1].c.truth, 0);
	cr_assert_eq(s.desc[1].c.claims, 1);
	cr_assert_eq(s.desc[1].c.matched, 0);
	cr_assert_eq(s.desc[2].id, 5);
	cr_assert_eq(s.desc[2].c.truth + s.desc[2].c.claims, 0);
	event_score_free(&s);
	world_free(w);
}

Test(score_events, lists_each_descriptor_once)
{
	struct world *w = world_new();
	struct event_score s;

	add_descriptor(w, (struct truth_descriptor){.id = 3, .valid = 1}, FRAME);
	s = score(w);
	cr_assert_eq(s.desc_cnt, 1);
	cr_assert_eq(s.desc[0].id, 3);
	event_score_free(&s);
	add_descriptor(w, (struct truth_descriptor){.id = 2, .valid = 1}, FRAME);
	s = score(w);
	cr_assert_eq(s.desc_cnt, 2);
	cr_assert_eq(s.desc[0].id, 2);
	event_score_free(&s);
	world_free(w);
}

Test(score_events, lists_descriptors_that_only_one_record_names)
{
	struct world *w = world_new();
	struct event_score s;

	happened(w, EVENT_USE, 100, 102, 1);
	w->events[0].desc = 8;
	saw(w, EVENT_USE, 101, 1)->event.desc = 7;
	s = score(w);
	cr_assert_eq(s.desc_cnt, 2);
	cr_assert_eq(s.desc[0].id, 7);
	cr_assert_eq(s.desc[1].id, 8);
	event_score_free(&s);
	world_free(w);
}

/* Lives b1 and b2 of three events each, followed perfectly as gens 1 and 2. */
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
	x = identity(w);
	cr_assert_eq(x.lives_all, 2);
	cr_assert_eq(x.lives, 1);
	cr_assert_eq(x.true_joins, 1);
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

/* By t0 the neighbours are (1, 2), (2, 2); by t1 they would be (2, 1), (1, 2). */
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

/* Of equal t0 the shorter window comes first, whatever the order of records. */
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

/* What tells two claims of one moment apart: b is the greater. */
static void set_field(struct world *w, unsigned field, struct claim *a, struct claim *b)
{
	switch (field) {
	case 0:
		b->event.desc = 2;
		break;
	case 1:
		b->event.instance = 0x56;
		break;
	case 2:
		b->event.gen = 2;
		break;
	case 3:
		b->event.units = 2;
		break;
	case 4: /* none before units of 0 */
		w->events[0].units = 0;
		a->event.units = b->event.units = 0;
		a->has &= (uint16_t)~HAS_UNITS;
		break;
	default: /* what is compared first decides */
		b->event.desc = 2;
		b->event.instance = 0x54;
	}
}

/* Two claims and one window: the lesser is paired, whichever stands first. */
Test(score_events, pairs_the_lesser_of_two_claims_of_one_moment)
{
	for (unsigned run = 0; run < 12; run++) {
		unsigned field = run / 2, turned = run % 2;
		struct world *w = world_new();
		struct event_score s;

		happened(w, EVENT_USE, 100, 102, 1);
		happened(w, EVENT_RELEASE, 200, 202, 1);
		saw(w, EVENT_RELEASE, 201, 1);
		saw(w, EVENT_USE, 101, 1);
		saw(w, EVENT_USE, 101, 1);
		set_field(w, field, &w->claims[1 + turned], &w->claims[2 - turned]);
		s = score(w);
		cr_assert_eq(s.all.matched, 2);
		cr_assert_eq(s.desc[0].c.matched, 2, "field %u", field);
		cr_assert_eq(s.identity.found, 1, "field %u", field);
		cr_assert_eq(s.all.units_equal, field == 4 ? 1 : 2, "field %u", field);
		event_score_free(&s);
		world_free(w);
	}
}

Test(score_events, depends_on_no_order_of_claims)
{
	struct world *w = world_new();
	struct event_score first;

	for (unsigned i = 0; i < 60; i++) {
		unsigned seed = i;

		happened(w, EVENT_USE, 100 + 7 * i, 100 + 7 * i + (unsigned)rand_r(&seed) % 60,
			 i / 3);
		saw(w, EVENT_USE, 100 + 7 * i + (unsigned)rand_r(&seed) % 20, i / 3);
		w->events[i].desc = 1 + i % 3;
		w->claims[i].event.desc = 1 + i % 3;
		w->claims[i].event.units = i % 2;
	}
	first = score(w);
	cr_assert_gt(first.all.matched, 30);
	for (unsigned seed = 1; seed < 50; seed++) {
		struct event_score s;

		world_shuffle(w, seed);
		s = score(w);
		cr_assert_eq(memcmp(&s.all, &first.all, sizeof(s.all)), 0);
		cr_assert_eq(memcmp(&s.identity, &first.identity, sizeof(s.identity)), 0);
		cr_assert_eq(memcmp(s.desc, first.desc, 3 * sizeof(*s.desc)), 0);
		event_score_free(&s);
	}
	event_score_free(&first);
	world_free(w);
}

/* Size of a maximum matching by augmenting paths, as a second opinion. */
static bool augment(struct world *w, size_t claim, bool *seen, size_t *taker)
{
	for (size_t e = 0; e < w->t.events_cnt; e++) {
		if (seen[e] || w->claims[claim].event.t < w->events[e].t.t0 ||
		    w->claims[claim].event.t > w->events[e].t.t1)
			continue;
		seen[e] = true;
		if (taker[e] == SIZE_MAX || augment(w, taker[e], seen, taker)) {
			taker[e] = claim;
			return true;
		}
	}
	return false;
}

static uint64_t augmented_size(struct world *w)
{
	size_t taker[WORLD_MAX];
	uint64_t size = 0;

	for (size_t e = 0; e < w->t.events_cnt; e++)
		taker[e] = SIZE_MAX;
	for (size_t i = 0; i < w->c.cnt; i++) {
		bool seen[WORLD_MAX] = {false};

		size += augment(w, i, seen, taker);
	}
	return size;
}

Test(score_events, agrees_with_augmenting_paths_on_random_dense_runs)
{
	unsigned seed = 42;

	for (int run = 0; run < 300; run++) {
		struct world *w = world_new();

		for (int i = 0; i < 12; i++) {
			uint64_t t0 = (unsigned)rand_r(&seed) % 40;

			happened(w, EVENT_USE, t0, t0 + (unsigned)rand_r(&seed) % 12, 1);
			saw(w, EVENT_USE, (unsigned)rand_r(&seed) % 50, 1);
		}
		cr_assert_eq(counts(w).matched, augmented_size(w), "run %d", run);
		world_free(w);
	}
}
