/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: invariants of rates and values, kept by an unchanged program and broken by a changed one.
 */
#include "profilers/causal/rules.h"
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

Test(profilers_rules_rates, ratio_warns_when_hits_of_one_vanish)
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

static const char once_a_life[] = ONLY("ratio", "of: [2, 1], at_least: 0.9, at_most: 1.1");

static void lives(struct app *a, uint64_t cnt, bool used)
{
	for (uint64_t i = 0; i < cnt; i++) {
		app_hit(a, ACQ, APP, 0x1000 + i % 8, 2);
		if (used || i % 4 == 0)
			app_hit(a, USE, APP, 0x1000 + i % 8, 1);
	}
}

/* A service that turns wasteful has not been built anew; a loss meanwhile does not say so. */
Test(profilers_rules_rates, ratio_that_was_kept_may_be_left)
{
	struct app a;

	for (uint64_t before = 0; before <= RATIO_WINDOW; before += RATIO_WINDOW / 4) {
		app_open(&a, once_a_life);
		lives(&a, before, true);
		app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 1});
		lives(&a, LIVES, true);
		lives(&a, 5 * LIVES, false);
		app_finish(&a);
		app_expect_kept(&a);
	}
}

Test(profilers_rules_rates, ratio_that_was_kept_later_only_may_not)
{
	struct app a;

	app_open(&a, once_a_life);
	lives(&a, RATIO_WINDOW / 4, true);
	lives(&a, RATIO_WINDOW / 2, false);
	lives(&a, 2 * RATIO_WINDOW, true);
	lives(&a, 2 * LIVES, false);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_rates, ratio_allows_for_what_was_lost)
{
	const struct manifest_invariant inv = {.kind = INV_RATIO, .at_least = 0.9, .at_most = 2};
	struct rule r = {.inv = &inv, .drift = {.sum = {50, 50}, .run = {3, 3}, .of_b = {96, 96}}};

	rule_ratio_lost(&r, 20);
	cr_expect_float_eq(r.drift.sum[RATIO_LOW], 30, 1e-9, "20 of a");
	cr_expect_float_eq(r.drift.sum[RATIO_HIGH], 10, 1e-9, "20 of b");
	rule_ratio_lost(&r, 6);
	cr_expect_float_eq(r.drift.run[RATIO_LOW], 3, 1e-9, "more than can be explained");
	cr_expect_float_eq(r.drift.run[RATIO_HIGH], 0, 1e-9, "all is explained");
	cr_expect_float_eq(r.drift.of_b[RATIO_HIGH], 0, 1e-9);
}

/* Jobs end whose beginnings are not seen. */
static void jobs_without_begin(struct app *a, const char *invariants)
{
	app_open(a, invariants);
	for (uint64_t i = 0; i < 2 * LIVES; i++) {
		app_hit(a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(a, JOB_END, APP, 0x2000 + i, 0);
	}
	app_finish(a);
}

Test(profilers_rules_rates, ratio_of_two_resources_doubts_the_one_that_others_doubt)
{
	struct app a;

	jobs_without_begin(&a, ONLY("ratio", "of: [4, 1], at_least: 0.9"));
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	jobs_without_begin(&a, "  - {id: it, kind: ratio, of: [4, 1], at_least: 0.9}\n"
			       "  - {id: jobs, kind: pairing, of: [4, 5], evidence: proof}\n");
	EXPECT_STATE(&a, JOB, HEALTH_STALE, "jobs");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

Test(profilers_rules_rates, ratio_needs_no_long_run_where_one_is_missing)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 0.9, at_most: 9"));
	for (uint64_t i = 0; i < 800; i++)
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_rates, ratio_adds_up_what_is_a_little_too_much)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 1, at_most: 9"));
	for (uint64_t i = 0; i < 800; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		for (uint64_t k = 0; k < 6 + 3 * (i % 4); k++) /* 10.5 in the mean */
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_rates, ratio_allows_for_chance)
{
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 1, at_most: 1"));
	for (uint64_t i = 0; i < 20 * LIVES; i++)
		app_hit(&a, app_draw(&a) < 0.5 ? ACQ : USE, APP, 0x1000 + i % 8, 1);
	app_finish(&a);
	app_expect_kept(&a);
}

/* One for one in the mean, by whole batches: all are acquired before the first is used. */
Test(profilers_rules_rates, ratio_allows_for_batches)
{
	enum { BATCHES = 200, MOST = 1200 };
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 1, at_most: 1"));
	for (uint64_t i = 0; i < BATCHES; i++) {
		uint64_t batch = i < 20 ? 20 * (i + 1) : (uint64_t)(app_draw(&a) * MOST);

		for (uint64_t k = 0; k < batch; k++)
			app_hit(&a, ACQ, APP, 0x1000 + k, 1);
		for (uint64_t k = 0; k < batch; k++)
			app_hit(&a, USE, APP, 0x1000 + k, 1);
	}
	app_finish(&a);
	app_expect_kept(&a);
}

Test(profilers_rules_rates, ratio_finds_what_is_missing_of_batches)
{
	enum { BATCHES = 400, MOST = 40 };
	struct app a;

	app_open(&a, ONLY("ratio", "of: [2, 1], at_least: 1, at_most: 1"));
	for (uint64_t i = 0; i < BATCHES; i++) {
		uint64_t batch = (uint64_t)(app_draw(&a) * MOST);

		for (uint64_t k = 0; k < batch; k++)
			app_hit(&a, ACQ, APP, 0x1000 + k, 1);
		for (uint64_t k = 0; k < batch / 2; k++)
			app_hit(&a, USE, APP, 0x1000 + k, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_rates, silence_sees_effects_go_on_without_the_site)
{
	struct app a;

	app_open(&a, ONLY("silence", "of: [1], effect: block-io, evidence: proof"));
	for (uint64_t i = 0; i < 200; i++) {
		app_life(&a, i);
		app_read_block(&a);
	}
	cr_expect_eq(a.falls, 0);
	for (uint64_t i = 0; i < LIVES; i++)
		app_read_block(&a);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

Test(profilers_rules_rates, emit_rate_sees_hits_that_no_longer_pass_their_guard)
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

Test(profilers_rules_rates, emit_rate_counts_what_cannot_be_read_as_not_emitted)
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

Test(profilers_rules_rates, actor_warns_when_one_thread_does_what_many_did)
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

Test(profilers_rules_rates, system_effect_sees_it_appear_on_another_thread)
{
	struct app a;
	static const char rule[] =
		ONLY("system-effect", "of: [1], effect: block-io, within_ms: 1, evidence: proof");

	app_open(&a, rule);
	reads_of(&a, APP);
	app_finish(&a);
	app_expect_kept(&a);
	app_open(&a, rule);
	reads_of(&a, OTHER);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

Test(profilers_rules_rates, range_and_known_value_see_other_values)
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

Test(profilers_rules_rates, monotone_sees_a_running_total)
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
