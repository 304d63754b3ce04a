/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: histories that are ugly and keep their contract, one a rule, raise nothing. */
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 4000 };

static void expect_nothing(struct app *a)
{
	app_finish(a);
	for (unsigned i = 1; i < app_descs; i++)
		EXPECT_STATE(a, i, HEALTH_VALIDATED, "");
	cr_expect_eq(a->falls, 0);
}

static uint64_t slot(uint64_t i)
{
	return 0x1000 + i % 8;
}

Test(profilers_guards, pairing_forgives_what_was_acquired_before_anybody_watched)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	app_record(&a, (struct ev_rec){.kind = EV_PROC_FORK, .a = PID, .b = PID, .c = 8});
	for (uint64_t i = 0; i < 500; i++)
		app_hit(&a, REL, APP, 0x2000 + i, 2);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	expect_nothing(&a);
}

Test(profilers_guards, pairing_takes_releases_by_anybody_of_what_is_shared)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_VALIDATED, "shared",
		    ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, slot(i), 2);
		app_hit(&a, REL, OTHER, slot(i), 2);
	}
	expect_nothing(&a);
}

Test(profilers_guards, pairing_takes_a_life_that_never_ends_beside_those_that_do)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	app_hit(&a, ACQ, APP, 0x9000, 1000000);
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i % 2)
			app_hit(&a, REL, APP, 0x9000, 1);
		app_life(&a, i);
	}
	expect_nothing(&a);
}

Test(profilers_guards, membership_takes_uses_by_many_holders_of_one_instance)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_VALIDATED, "shared",
		    ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000, 1);
		app_hit(&a, ACQ, OTHER, 0x1000, 1);
		app_hit(&a, REL, APP, 0x1000, 1);
		app_hit(&a, USE, OTHER, 0x1000, 1);
		app_hit(&a, REL, OTHER, 0x1000, 1);
	}
	expect_nothing(&a);
}

Test(profilers_guards, generation_takes_an_address_that_changes_hands_at_once)
{
	struct app a;

	app_open(&a, ONLY("generation", "of: [1], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		uint32_t tid = i % 3 ? APP : OTHER;

		app_hit(&a, ACQ, tid, 0x1000, 1 + i % 7);
		app_hit(&a, REL, tid, 0x1000, 1 + i % 7);
	}
	expect_nothing(&a);
}

Test(profilers_guards, balance_takes_a_capacity_that_is_full_again_and_again)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	app_capacity(&a, 16);
	for (uint64_t i = 0; i < LIVES; i++) {
		for (unsigned k = 0; k < 8; k++)
			app_hit(&a, ACQ, APP, 0x1000 + k, 2);
		for (unsigned k = 8; k-- > 0;)
			app_hit(&a, REL, APP, 0x1000 + k, 2);
	}
	expect_nothing(&a);
}

Test(profilers_guards, balance_takes_a_capacity_of_which_little_is_used)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	app_capacity(&a, 32);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	expect_nothing(&a);
}

Test(profilers_guards, balance_takes_units_that_come_back_at_the_end_of_each_window)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof, within: 20ms"));
	for (uint64_t i = 0; i < LIVES / 8; i++) {
		app_hit(&a, ACQ, APP, 0x9000, 1);
		for (uint64_t k = 0; k < 200; k++)
			app_life(&a, k);
		app_hit(&a, REL, APP, 0x9000, 1);
	}
	expect_nothing(&a);
}

Test(profilers_guards, order_takes_a_second_that_never_comes_and_firsts_that_repeat)
{
	struct app a;

	app_open(&a, ONLY("order", "of: [2, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, slot(i), 2);
		for (uint64_t k = 0; k <= i % 5; k++)
			app_hit(&a, USE, APP, slot(i), 1);
		if (i % 100)
			app_hit(&a, REL, APP, slot(i), 2);
	}
	expect_nothing(&a);
}

Test(profilers_guards, ratio_takes_hits_that_come_in_batches)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 0.9, at_most: 1.1"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, i / 40 % 2 ? ACQ : USE, APP, slot(i), 1);
	expect_nothing(&a);
}

Test(profilers_guards, ratio_takes_bursts_and_what_is_rare)
{
	struct app a;

	app_open(&a, "  - {id: bursts, kind: ratio, of: [2, 1], at_least: 0.9, at_most: 1.1}\n"
		     "  - {id: rare, kind: ratio, of: [3, 1], at_least: 0.002, at_most: 0.01}\n");
	for (uint64_t i = 0; i < 20 * LIVES; i++) {
		app_hit(&a, i / 256 % 2 ? ACQ : USE, APP, slot(i), 1);
		if (app_draw(&a) < 0.0025)
			app_hit(&a, REL, APP, slot(i), 1);
	}
	expect_nothing(&a);
}

Test(profilers_guards, range_and_known_value_take_the_borders_and_what_cannot_be_read)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: range, of: [1], min: 1, max: 8, evidence: proof}\n"
		     "  - {id: same, kind: known-value, of: [2], value: 1, evidence: proof}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, slot(i), i % 2 ? 1 : 8);
		app_hit(&a, USE, APP, slot(i), 1);
		app_record(&a, (struct ev_rec){.kind = EV_APP,
					       .tid = APP,
					       .a = slot(i),
					       .b = 99,
					       .e = USE | (uint64_t)EVENT_USE << 32 |
						    (uint64_t)EV_APP_FAULT_UNITS << 48});
	}
	expect_nothing(&a);
}

Test(profilers_guards, monotone_takes_values_that_grow_for_a_while)
{
	struct app a;

	app_open(&a, ONLY("monotone", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, USE, i / 15 % 2 ? APP : OTHER, slot(i), i % 15);
	expect_nothing(&a);
}

Test(profilers_guards, silence_takes_a_site_that_rests_as_long_as_it_always_did)
{
	struct app a;

	app_open(&a, ONLY("silence", "of: [1], effect: block-io, evidence: proof"));
	for (uint64_t i = 0; i < LIVES / 10; i++) {
		app_life(&a, i);
		for (unsigned k = 0; k < 120; k++)
			app_record(&a, (struct ev_rec){.kind = EV_IO_SUBMIT,
						       .tid = APP,
						       .d = IORING_OP_READ});
	}
	expect_nothing(&a);
}

Test(profilers_guards, emit_rate_takes_a_guard_that_passes_a_fourth_of_what_it_did)
{
	struct app a;

	app_open(&a, ONLY("emit-rate", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < 4 * LIVES; i++) {
		if (i < LIVES || i % 4 == 0)
			app_hit(&a, USE, APP, slot(i), 1);
		else
			a.hits[USE]++;
		if (i % 500 == 0)
			app_tick(&a);
	}
	expect_nothing(&a);
}

Test(profilers_guards, actor_takes_threads_that_work_in_turns)
{
	struct app a;

	app_open(&a, ONLY("actor", "of: [3], many: 2, evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, REL, i / 100 % 2 ? APP : OTHER, 0x1000, 1);
	expect_nothing(&a);
}

Test(profilers_guards, actor_takes_a_program_of_which_one_thread_runs)
{
	struct app a;

	app_open(&a, ONLY("actor", "of: [3], many: 2, evidence: proof"));
	for (uint64_t i = 0; i < 8 * LIVES; i++) {
		uint32_t tid = i < 4 * LIVES ? APP : OTHER;

		app_hit(&a, ACQ, tid, slot(i), 1);
		app_hit(&a, REL, tid, slot(i), 1);
	}
	expect_nothing(&a);
}

/* The other one does what it did before, when it has its turn. */
Test(profilers_guards, actor_takes_a_thread_that_has_no_turn)
{
	struct app a;

	app_open(&a, ONLY("actor", "of: [1], many: 2, evidence: proof"));
	for (uint64_t i = 0; i < 8 * LIVES; i++) {
		bool turn = i / 2000 % 2 == 0;

		app_hit(&a, ACQ, turn && i % 2 ? OTHER : APP, slot(i), 1);
		app_hit(&a, REL, i % 2 ? REAPER : WORKER, slot(i), 1);
	}
	expect_nothing(&a);
}

Test(profilers_guards, capacity_is_that_of_all_instances)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	for (unsigned i = 0; i < 4; i++)
		app_capacity(&a, 4);
	for (uint64_t i = 0; i < 16 * LIVES; i++)
		app_hit(&a, i / 16 % 2 ? REL : ACQ, APP, 0x1000 + i % 16, 1);
	expect_nothing(&a);
}

Test(profilers_guards, system_effect_takes_one_effect_for_a_batch_just_in_time)
{
	struct app a;

	app_open(&a,
		 ONLY("system-effect", "of: [1], effect: block-io, within_ms: 1, evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		uint32_t tid = i % 2 ? APP : OTHER;

		for (unsigned k = 0; k < 90; k++)
			app_hit(&a, ACQ, tid, slot(k), 1);
		app_record(&a,
			   (struct ev_rec){.kind = EV_IO_SUBMIT, .tid = tid, .d = IORING_OP_WRITE});
	}
	expect_nothing(&a);
}

/* ---- who is to blame is not guessed ---- */

Test(profilers_guards, a_thread_that_keeps_its_slots_does_not_tell_a_missed_release_from_a_loan)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: balance, of: [1, 3], evidence: proof}\n"
		     "  - {id: one, kind: generation, of: [1], evidence: proof}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, i % 2 ? APP : OTHER, slot(i), 2);
		if (i % 5)
			app_hit(&a, REL, i % 2 ? APP : OTHER, slot(i), 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_guards, a_loan_inside_an_operation_is_blamed_where_slots_change_hands)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: balance, of: [1, 3], evidence: proof}\n"
		     "  - {id: one, kind: generation, of: [1], evidence: proof}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		uint32_t tid = i / 3 % 2 ? APP : OTHER;

		app_hit(&a, ACQ, tid, slot(i), 2);
		if (i % 7 == 0)
			app_hit(&a, ACQ, tid, slot(i), 2);
		app_hit(&a, REL, tid, slot(i), 2);
	}
	app_finish(&a);
	cr_expect_eq(a.state_of[ACQ], HEALTH_STALE);
	cr_expect_eq(a.state_of[REL], HEALTH_SUSPECT);
}

Test(profilers_guards, a_release_without_a_site_is_what_is_missing)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: balance, of: [1, 3], evidence: proof}\n"
		     "  - {id: one, kind: generation, of: [1], evidence: proof}\n");
	app_record(&a, (struct ev_rec){.kind = EV_APP_SITE, .a = REL, .c = 0});
	app_capacity(&a, 8);
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, ACQ, APP, slot(i), 1);
	app_finish(&a);
	cr_expect_eq(a.state_of[REL], HEALTH_REFUSED);
	cr_expect_eq(a.state_of[ACQ], HEALTH_SUSPECT, "and no more than that");
	cr_expect_lt(a.p[ACQ], 0.3);
}

/* What is said of a part of the evidence is what was said of the whole up to then. */
Test(profilers_guards, evidence_that_ends_before_its_tallies_has_no_verdict_of_its_own)
{
	enum { SHORT = 20 };

	for (int told = 0; told < 2; told++) {
		struct app a;

		app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
		for (uint64_t i = 0; i < SHORT; i++)
			app_hit(&a, REL, APP, slot(i), 1);
		if (told)
			app_tick(&a);
		cr_assert_eq(a.joiner->finish(a.state), 0);
		manifest_free(&a.m);
		cr_expect_eq(a.state_of[REL] != HEALTH_VALIDATED, told, "%d", a.state_of[REL]);
	}
}
