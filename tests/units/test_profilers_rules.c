/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: every kind of invariant, kept by an unchanged program and broken by a changed one. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

static const char all[] =
	"  - {id: pair, kind: pairing, of: [1, 3], evidence: proof}\n"
	"  - {id: member, kind: membership, of: [2], evidence: proof}\n"
	"  - {id: generation, kind: generation, of: [1], evidence: proof}\n"
	"  - {id: balance, kind: balance, of: [1, 3], evidence: proof, within: 100ms}\n"
	"  - {id: ratio, kind: ratio, of: [2, 1], at_least: 0.8, at_most: 1.2}\n"
	"  - {id: order, kind: order, of: [1, 3], evidence: proof}\n"
	"  - {id: range, kind: range, of: [1], min: 1, max: 4}\n"
	"  - {id: silence, kind: silence, of: [1], effect: block-io}\n"
	"  - {id: emit, kind: emit-rate, of: [2]}\n"
	"  - {id: value, kind: known-value, of: [2], value: 1}\n"
	"  - {id: job-pair, kind: pairing, of: [4, 5], evidence: proof}\n";

static void expect_all_kept(const struct app *a)
{
	for (unsigned i = 1; i < DESCS; i++)
		EXPECT_STATE(a, i, HEALTH_VALIDATED, "");
	cr_expect_eq(a->falls, 0);
}

static void read_block(struct app *a)
{
	app_record(a, (struct ev_rec){.kind = EV_IO_SUBMIT, .tid = APP, .d = IORING_OP_READ});
}

static void unchanged(struct app *a, uint64_t lives)
{
	for (uint64_t i = 0; i < lives; i++) {
		app_life(a, i);
		app_hit(a, JOB, APP, 7 + i % 3, 0);
		read_block(a);
		app_hit(a, JOB_END, APP, 7 + i % 3, 0);
	}
}

Test(profilers_rules, believe_a_program_that_keeps_its_contract)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 16);
	unchanged(&a, 5 * LIVES);
	app_finish(&a);
	expect_all_kept(&a);
	cr_expect_float_eq(a.p[ACQ], thresholds_shipped.p_stale[BELIEF_CLEAN], 1e-9);
}

Test(profilers_rules, believe_it_when_records_are_lost_and_nobody_says_so)
{
	static const double drops[] = {0.001, 0.01, 0.05, 0.2, 0.5};

	for (unsigned seed = 0; seed < 12; seed++)
		for (unsigned i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
			struct app a;

			app_open(&a, all);
			a.drop = drops[i];
			a.random += seed;
			app_capacity(&a, 16);
			unchanged(&a, 2 * LIVES);
			app_finish(&a);
			expect_all_kept(&a);
		}
}

Test(profilers_rules, believe_it_when_a_burst_is_lost)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 16);
	for (unsigned burst = 0; burst < 20; burst++) {
		unchanged(&a, 100);
		for (uint64_t i = 0; i < 8; i++) /* all slots change hands unseen */
			app_hit(&a, ACQ, APP, 0x1000 + i, 2);
		a.passed[REL] += 8;
		app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 8, .b = a.now});
	}
	app_finish(&a);
	expect_all_kept(&a);
}

Test(profilers_rules, still_detect_when_records_are_lost)
{
	struct app a;

	app_open(&a, all);
	a.drop = 0.01;
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i % 5)
			app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, a.why[ACQ]);
}

/* Where an invariant alone is under test. */
#define ONLY(kind, rest) "  - {id: it, kind: " kind ", " rest "}\n"

Test(profilers_rules, pairing_blames_the_acquire_that_is_missed_at_some_callers)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i % 5)
			app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	cr_expect_geq(a.evidence[ACQ], 3);
	cr_expect_gt(a.p[ACQ], 0.8);
	cr_expect_lt(a.p[REL], 0.5);
}

Test(profilers_rules, pairing_blames_the_release_that_is_doubled)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		if (i % 10 == 0)
			app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_STALE, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, pairing_only_warns_when_the_manifest_says_so)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: warning"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, pairing_suspects_a_release_by_another_thread)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, REL, i % 5 ? APP : OTHER, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	app_open_as(&a, &joiner_causal, HEALTH_VALIDATED, "shared",
		    ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, REL, OTHER, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_VALIDATED, "");
}

Test(profilers_rules, pairing_suspects_units_of_which_some_always_stay)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 4096);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, pairing_takes_units_that_come_back_in_parts)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000, 2);
		app_hit(&a, REL, APP, 0x1000, 1);
		app_hit(&a, REL, APP, 0x1000, 1);
	}
	app_finish(&a);
	expect_all_kept(&a);
}

Test(profilers_rules, membership_sees_use_after_release)
{
	struct app a;

	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		if (i % 10 == 0)
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
}

Test(profilers_rules, membership_leaves_what_is_owned_outside_alone)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_VALIDATED, "external",
		    ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}

Test(profilers_rules, generation_sees_lives_of_one_key_overlap)
{
	struct app a;

	app_open(&a, ONLY("generation", "of: [1], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		if (i % 10 == 0)
			app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

static const char overlaps[] = "  - {id: gen, kind: generation, of: [1], evidence: proof}\n"
			       "  - {id: it, kind: balance, of: [1, 3], evidence: proof}\n";

Test(profilers_rules, balance_blames_the_release_that_is_missed)
{
	struct app a;

	app_open(&a, overlaps);
	for (uint64_t i = 0; i < LIVES; i++) {
		uint32_t tid = i / 3 % 2 ? APP : OTHER;

		app_hit(&a, ACQ, tid, 0x1000 + i % 8, 2);
		if (i % 5)
			app_hit(&a, REL, tid, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_STALE, "it");
	cr_expect_eq(a.state_of[ACQ], HEALTH_SUSPECT);
}

Test(profilers_rules, balance_blames_the_acquire_that_is_only_borrowed)
{
	struct app a;

	app_open(&a, overlaps);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		if (i % 5 == 0)
			app_hit(&a, ACQ, OTHER, 0x1000 + i % 8, 2);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	cr_expect_eq(a.state_of[ACQ], HEALTH_STALE);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, balance_suspects_both_where_units_differ)
{
	struct app a;

	app_open(&a, overlaps);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 4096);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, balance_sees_units_in_use_pass_the_capacity)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	app_capacity(&a, 64);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 4096);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 4096);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, balance_sees_a_release_in_another_unit)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 8192);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_STALE, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, balance_doubts_a_capacity_that_is_never_touched)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3]"));
	app_capacity(&a, 64 * 4096);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, balance_sees_units_that_do_not_come_back_in_time)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof, within: 10ms"));
	app_hit(&a, ACQ, APP, 0x2000, 1); /* for ever */
	for (uint64_t i = 0; i < 10 * LIVES; i++)
		app_life(&a, i);
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	cr_expect_float_eq(a.p[REL], thresholds_shipped.p_stale[BELIEF_TIED], 1e-9);
}

Test(profilers_rules, ratio_warns_when_hits_of_one_vanish)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 0.9, at_most: 1.1"));
	for (uint64_t i = 0; i < 2 * LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		if (i % 2)
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, ratio_allows_for_chance)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 1, at_most: 1"));
	for (uint64_t i = 0; i < 20 * LIVES; i++)
		app_hit(&a, app_draw(&a) < 0.5 ? ACQ : USE, APP, 0x1000 + i % 8, 1);
	app_finish(&a);
	expect_all_kept(&a);
}

Test(profilers_rules, silence_sees_effects_go_on_without_the_site)
{
	struct app a;

	app_open(&a, ONLY("silence", "of: [1], effect: block-io, evidence: proof"));
	for (uint64_t i = 0; i < 200; i++) {
		app_life(&a, i);
		read_block(&a);
	}
	cr_expect_eq(a.falls, 0);
	for (uint64_t i = 0; i < LIVES; i++)
		read_block(&a);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

Test(profilers_rules, emit_rate_sees_hits_that_no_longer_pass_their_guard)
{
	struct app a;

	app_open(&a, ONLY("emit-rate", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	app_tick(&a);
	for (uint64_t i = 0; i < 4 * LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		a.hits[USE]++;
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
}

Test(profilers_rules, emit_rate_counts_what_cannot_be_read_as_not_emitted)
{
	struct app a;

	app_open(&a, ONLY("emit-rate", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < 2 * LIVES; i++) {
		a.now += 10000;
		a.hits[USE]++;
		a.passed[USE]++;
		app_record(&a, (struct ev_rec){.kind = EV_APP,
					       .tid = APP,
					       .flags = EV_F_FAULT,
					       .e = USE | (uint64_t)EVENT_USE << 32 |
						    (uint64_t)EV_APP_FAULT_INSTANCE << 48});
		if (i % 300 == 0)
			app_tick(&a);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	cr_expect_eq(a.last.has & HAS_INSTANCE, 0);
}

Test(profilers_rules, actor_warns_when_one_thread_does_what_many_did)
{
	struct app a;

	app_open(&a, ONLY("actor", "of: [3], many: 2"));
	for (uint64_t i = 0; i < 4 * LIVES; i++) {
		uint32_t tid = i % 2 ? APP : OTHER;

		app_hit(&a, ACQ, tid, 0x1000, 1);
		app_hit(&a, REL, i < 2 * LIVES ? tid : REAPER, 0x1000, 1);
		if (i < 2 * LIVES)
			cr_expect_eq(a.falls, 0);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

static void reads_of(struct app *a, uint32_t tid)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(a, ACQ, APP, 0x1000 + i % 8, 1);
		app_record(a,
			   (struct ev_rec){.kind = EV_IO_SUBMIT, .tid = tid, .d = IORING_OP_READ});
	}
}

Test(profilers_rules, system_effect_sees_it_appear_on_another_thread)
{
	struct app a;
	static const char rule[] =
		ONLY("system-effect", "of: [1], effect: block-io, within_ms: 1, evidence: proof");

	app_open(&a, rule);
	reads_of(&a, APP);
	app_finish(&a);
	expect_all_kept(&a);
	app_open(&a, rule);
	reads_of(&a, OTHER);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

Test(profilers_rules, order_sees_an_event_that_should_have_come_before)
{
	struct app a;

	app_open(&a, ONLY("order", "of: [2, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		if (i % 4)
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_STALE, "it");
}

/* A use comes after the job, in it now and then, or the job's end is missed now and then. */
static void use_beside_jobs(struct app *a, unsigned in_it, unsigned missed)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;
		bool in = in_it && i % in_it == 0;

		app_hit(a, JOB, APP, x, 0);
		if (in)
			app_hit(a, USE, APP, x, 1);
		if (!missed || i % missed)
			app_hit(a, JOB_END, APP, x, 0);
		if (!in)
			app_hit(a, USE, APP, x, 1);
	}
	app_finish(a);
}

Test(profilers_rules, exclusion_sees_a_use_within_a_life_of_another_resource)
{
	static const char rule[] = ONLY("exclusion", "of: [2, 4, 5]");
	struct app a;

	app_open(&a, rule);
	use_beside_jobs(&a, 0, 0);
	expect_all_kept(&a);
	app_open(&a, rule);
	use_beside_jobs(&a, 5, 0);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, JOB, HEALTH_VALIDATED, "");
	EXPECT_STATE(&a, JOB_END, HEALTH_VALIDATED, "");
}

/* A life without an end seems to be around each use: that says nothing of uses. */
Test(profilers_rules, exclusion_accuses_no_use_of_a_life_that_never_ended)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: exclusion, of: [2, 4, 5]}\n"
		     "  - {id: one, kind: generation, of: [4]}\n");
	use_beside_jobs(&a, 0, 5);
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}

static void count_jobs(struct app *a, unsigned kept)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;

		app_hit(a, JOB, APP, x, 0);
		app_hit(a, JOB, APP, x, 0);
		app_hit(a, USE, APP, x, 7); /* of no release */
		app_hit(a, JOB_END, APP, x, 0);
		app_hit(a, USE, APP, x, 1);
		app_hit(a, JOB_END, APP, x, 0);
		app_hit(a, USE, APP, x, kept && i % kept == 0);
	}
	app_finish(a);
}

Test(profilers_rules, count_sees_what_was_not_given_up)
{
	static const char rule[] = ONLY("count", "of: [4, 5, 2]");
	struct app a;

	app_open(&a, rule);
	count_jobs(&a, 0);
	expect_all_kept(&a);
	app_open(&a, rule);
	count_jobs(&a, 2);
	EXPECT_STATE(&a, JOB_END, HEALTH_STALE, "it");
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}

/* The count that is read goes on as it was, but for what was missed. */
Test(profilers_rules, count_allows_for_what_was_lost)
{
	struct app a;

	app_open(&a, ONLY("count", "of: [4, 5, 2]"));
	app_hit(&a, JOB, APP, 0x1000, 0);
	app_hit(&a, USE, APP, 0x1000, 1);
	app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 3});
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, JOB, APP, 0x1000, 0);
		app_hit(&a, JOB_END, APP, 0x1000, 0);
		app_hit(&a, USE, APP, 0x1000, 3);
	}
	app_finish(&a);
	expect_all_kept(&a);
}

/* A release that was lost sets one reading off, and none of the lives after it. */
Test(profilers_rules, count_forgets_a_loss_with_its_life)
{
	struct app a;

	app_open(&a, ONLY("count", "of: [4, 5, 2]") "  - {id: one, kind: generation, of: [4]}\n");
	app_hit(&a, JOB, APP, 0x1000, 0);
	app_hit(&a, JOB_END, APP, 0x1000, 0);
	app_hit(&a, USE, APP, 0x1000, 0);
	app_hit(&a, JOB, APP, 0x1000, 0);
	app_hit(&a, JOB_END, APP, 0x1000, 0);
	app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 1});
	app_hit(&a, USE, APP, 0x1000, 1);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, JOB, APP, 0x1000, 0);
		app_hit(&a, JOB_END, APP, 0x1000, 0);
		app_hit(&a, USE, APP, 0x1000, 0);
	}
	app_finish(&a);
	expect_all_kept(&a);
}

Test(profilers_rules, balance_sees_a_capacity_of_which_too_little_is_in_use)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], at_least: 0.5, evidence: proof"));
	app_capacity(&a, 8);
	unchanged(&a, LIVES);
	app_finish(&a);
	cr_expect_neq(a.state_of[ACQ], HEALTH_VALIDATED, "it never has half of eight in use");
	app_open(&a, ONLY("balance", "of: [1, 3], at_least: 0.1, evidence: proof"));
	app_capacity(&a, 8);
	unchanged(&a, LIVES);
	app_finish(&a);
	expect_all_kept(&a);
}

Test(profilers_rules, range_and_known_value_see_other_values)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: range, of: [1], min: 1, max: 8, evidence: proof}\n"
		     "  - {id: same, kind: known-value, of: [2], value: 1}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, i % 3 ? 2 : 8192);
		app_hit(&a, USE, APP, 0x1000 + i % 8, i % 3 ? 1 : 0);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
	EXPECT_STATE(&a, USE, HEALTH_STALE, "same");
}

Test(profilers_rules, monotone_sees_a_running_total)
{
	struct app a;

	app_open(&a, ONLY("monotone", "of: [2]"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, USE, APP, 0x1000, (uint64_t)(app_draw(&a) * 100));
	cr_expect_eq(a.falls, 0);
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, USE, APP, 0x1000, i * 10);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_rules, survive_senseless_records)
{
	static const uint16_t kinds[] = {EV_APP,	  EV_APP,	EV_APP_HITS, EV_APP_SITE,
					 EV_APP_CAPACITY, EV_IO_SUBMIT, EV_LOST,     EV_PROC_FORK};
	struct app a;

	app_open(&a, all);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t event = (uint64_t)(app_draw(&a) * EVENT_KIND_CNT);

		a.now += (uint64_t)(app_draw(&a) * 100000);
		app_record(&a,
			   (struct ev_rec){.tid = (uint32_t)(app_draw(&a) * 5),
					   .kind = kinds[(size_t)(app_draw(&a) * 8)],
					   .flags = (uint8_t)(app_draw(&a) < 0.1 ? EV_F_CUT : 0),
					   .a = (uint64_t)(app_draw(&a) * 8),
					   .b = app_draw(&a) < 0.1 ? UINT64_MAX : i % 7,
					   .c = (uint64_t)(app_draw(&a) * i),
					   .d = IORING_OP_READ,
					   .e = (uint64_t)(app_draw(&a) * 8) | event << 32 |
						(uint64_t)(app_draw(&a) * 40) << 48});
	}
	app_finish(&a);
	cr_expect_gt(a.claims, 100);
}

/* ---- what is not a rule ---- */

Test(profilers_resources, give_all_events_of_a_life_one_generation)
{
	struct app a;
	uint64_t first;

	app_open(&a, ONLY("pairing", "of: [1, 3]"));
	app_hit(&a, ACQ, APP, 0x1000, 1);
	first = a.last.event.gen;
	cr_expect(a.last.has & HAS_GEN);
	app_hit(&a, ACQ, OTHER, 0x1000, 1); /* one more holder of the same life */
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, USE, APP, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, REL, APP, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, REL, OTHER, 0x1000, 1);
	cr_expect_eq(a.last.event.gen, first);
	app_hit(&a, USE, OTHER, 0x1000, 1);
	cr_expect_eq(a.last.has & HAS_GEN, 0, "the dead have no generation");
	app_hit(&a, ACQ, APP, 0x1000, 1);
	cr_expect_gt(a.last.event.gen, first);
	app_hit(&a, JOB, APP, 0x1000, 1);
	cr_expect_eq(a.last.has & HAS_GEN, 0, "jobs are not numbered");
	cr_expect_eq(a.last.has & HAS_UNITS, 0);
	app_finish(&a);
}

Test(profilers_resources, start_as_the_binding_says)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_REFUSED, "operation", all);
	for (unsigned i = 1; i < DESCS; i++)
		cr_expect_eq(a.state_of[i], HEALTH_REFUSED);
	unchanged(&a, 10);
	app_finish(&a);
	cr_expect_eq(a.last.event.desc, 0, "no event is claimed of a build that is refused");
	app_open_as(&a, &joiner_causal, HEALTH_SUSPECT, "operation", all);
	unchanged(&a, 10);
	app_finish(&a);
	for (unsigned i = 1; i < DESCS; i++)
		cr_expect_eq(a.state_of[i], HEALTH_SUSPECT);
}

Test(profilers_resources, refuse_a_descriptor_without_a_site)
{
	struct app a;

	app_open(&a, all);
	app_record(&a, (struct ev_rec){.kind = EV_APP_SITE, .a = USE, .b = 2});
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_REFUSED, "");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

Test(profilers_resources, attach_only_claims_everything_and_doubts_nothing)
{
	struct app a;

	app_open_as(&a, &joiner_attach_only, HEALTH_VALIDATED, "operation", all);
	for (uint64_t i = 0; i < 100; i++)
		app_hit(&a, REL, APP, 0x1000, 5);
	app_finish(&a);
	cr_expect_eq(a.claims, 100);
	cr_expect_eq(a.falls, 0);
	cr_expect_float_eq(a.last.event.conf, 1, 1e-9);
	cr_expect_eq(a.last.event.instance, 0x1000);
	cr_expect_eq(a.last.event.units, 5);
	cr_expect_eq(a.last.has & HAS_GEN, 0);
}
