/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events: sites and units (contracts §5.2), every clause by hand. */
#include "tests/units/score_frames.h"

/* Scores, frees, and returns the counts of all; for tests that need nothing else. */
static struct event_counts counts(struct world *w)
{
	struct event_score s = score(w);
	struct event_counts all = s.all;

	event_score_free(&s);
	return all;
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

/* A window that stays open is of no use to another thread, class or event. */
Test(score_events, forgets_the_windows_of_another_group)
{
	struct world *w = world_new();

	happened(w, EVENT_USE, 100, 120, 1);
	happened(w, EVENT_USE, 100, 500, 1);
	saw(w, EVENT_USE, 110, 1);
	saw(w, EVENT_USE, 200, 1)->event.tid = 102;
	saw(w, EVENT_RELEASE, 200, 1);
	saw(w, EVENT_USE, 200, 1)->event.class_str = claimed(w, "pool.page");
	cr_assert_eq(counts(w).matched, 1);
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
/* By t0 the neighbours are (1, 2), (2, 2); by t1 they would be (2, 1), (1, 2). */
/* Of equal t0 the shorter window comes first, whatever the order of records. */
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
		const struct truth_event *x = &w->events[e];
		const struct claim *c = &w->claims[claim];

		if (seen[e] || c->event.t < x->t.t0 || c->event.t > x->t.t1 || c->type != x->kind ||
		    c->event.tid != x->tid ||
		    strcmp(strtab_get(w->claim_words, c->event.class_str),
			   strtab_get(w->truth_words, x->class_str)) != 0)
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

/* Three events of three classes on one to three threads, in any order. */
Test(score_events, keeps_groups_apart_in_any_order)
{
	static const char *const classes[] = {"z.last", FRAME, "a.first"};
	unsigned seed = 43;

	for (int run = 0; run < 100; run++) {
		struct world *w = world_new();

		for (unsigned i = 0; i < 60; i++) {
			uint64_t t0 = (unsigned)rand_r(&seed) % 40;

			happened(w, EVENT_USE + (unsigned)rand_r(&seed) % 3, t0,
				 t0 + (unsigned)rand_r(&seed) % 20, 1);
			w->events[i].tid = 101 + (unsigned)(rand_r(&seed) % (1 + run % 3));
			w->events[i].class_str = said(w, classes[rand_r(&seed) % 3]);
			saw(w, EVENT_USE + (unsigned)rand_r(&seed) % 3,
			    (unsigned)rand_r(&seed) % 50, 1);
			w->claims[i].event.tid = 101 + (unsigned)(rand_r(&seed) % (1 + run % 3));
			w->claims[i].event.class_str = claimed(w, classes[rand_r(&seed) % 3]);
		}
		cr_assert_eq(counts(w).matched, augmented_size(w), "run %d", run);
		world_free(w);
	}
}
