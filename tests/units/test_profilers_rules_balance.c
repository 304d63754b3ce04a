/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: balance and count, kept by an unchanged program and broken by a changed one. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

static const char overlaps[] = "  - {id: gen, kind: generation, of: [1], evidence: proof}\n"
			       "  - {id: it, kind: balance, of: [1, 3], evidence: proof}\n";

Test(profilers_rules_balance, balance_blames_the_release_that_is_missed)
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

Test(profilers_rules_balance, balance_blames_the_acquire_that_is_only_borrowed)
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

Test(profilers_rules_balance, balance_suspects_both_where_units_differ)
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

Test(profilers_rules_balance, balance_sees_units_in_use_pass_the_capacity)
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

Test(profilers_rules_balance, balance_sees_a_release_in_another_unit)
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

/* Little is asked of it. */
Test(profilers_rules_balance, balance_believes_in_a_capacity_that_is_hardly_used)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3]"));
	app_capacity(&a, 64 * 4096);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	app_finish(&a);
	app_expect_kept(&a);
}

Test(profilers_rules_balance, balance_sees_units_that_do_not_come_back_in_time)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof, within: 10ms"));
	app_hit(&a, ACQ, APP, 0x2000, 1); /* for ever */
	for (uint64_t i = 0; i < 10 * LIVES; i++)
		app_life(&a, i);
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	/* what is hardly more than was said before is not said again */
	cr_expect_float_eq(a.p[REL], thresholds_shipped.p_stale[BELIEF_TIED], 0.05);
}

Test(profilers_rules_balance, balance_sees_a_capacity_of_which_too_little_is_in_use)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], at_least: 0.5, evidence: proof"));
	app_capacity(&a, 8);
	app_unchanged(&a, LIVES);
	app_finish(&a);
	cr_expect_neq(a.state_of[ACQ], HEALTH_VALIDATED, "it never has half of eight in use");
	app_open(&a, ONLY("balance", "of: [1, 3], at_least: 0.1, evidence: proof"));
	app_capacity(&a, 8);
	app_unchanged(&a, LIVES);
	app_finish(&a);
	app_expect_kept(&a);
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

Test(profilers_rules_balance, count_sees_what_was_not_given_up)
{
	static const char rule[] = ONLY("count", "of: [4, 5, 2]");
	struct app a;

	app_open(&a, rule);
	count_jobs(&a, 0);
	app_expect_kept(&a);
	app_open(&a, rule);
	count_jobs(&a, 2);
	EXPECT_STATE(&a, JOB_END, HEALTH_STALE, "it");
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}

/* Between the end of a release and its reading another thread has taken it, and says so later. */
static void count_beside(struct app *a, bool taken)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;

		app_hit(a, JOB, APP, x, 0);
		app_hit(a, JOB_END, APP, x, 0);
		app_hit(a, USE, APP, x, i % 2);
		if (i % 2 == 0)
			continue;
		app_hit(a, taken ? JOB : ACQ, OTHER, taken ? x : 0x9000 + i, 0);
		app_hit(a, taken ? JOB_END : REL, OTHER, taken ? x : 0x9000 + i, 0);
	}
	app_finish(a);
}

Test(profilers_rules_balance, count_waits_for_who_is_in_the_middle_of_it)
{
	static const char rule[] = ONLY("count", "of: [4, 5, 2]");
	struct app a;

	app_open(&a, rule);
	count_beside(&a, true);
	app_expect_kept(&a);
	app_open(&a, rule);
	count_beside(&a, false);
	EXPECT_STATE(&a, JOB_END, HEALTH_STALE, "it");
}

/* Another thread is about to give it up, and has done nothing since, at another site than that. */
static void count_before_release(struct app *a)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;

		app_hit(a, ACQ, OTHER, 0x9000 + i, 0);
		app_hit(a, JOB, APP, x, 0);
		app_hit(a, JOB_END, APP, x, 0);
		app_hit(a, JOB, OTHER, x, 0);
		app_hit(a, JOB_END, OTHER, x, 0);
		app_hit(a, REL, OTHER, 0x9000 + i, 0);
		app_hit(a, USE, APP, x, i % 2);
	}
	app_finish(a);
}

Test(profilers_rules_balance, count_knows_what_one_call_makes_twice)
{
	static const char rule[] = ONLY("count", "of: [4, 5, 2]");
	struct app a;

	app_put_site = "finish"; /* so that one call makes both events */
	app_open(&a, rule);
	count_before_release(&a);
	app_expect_kept(&a);
	app_put_site = "put";
	app_open(&a, rule);
	count_before_release(&a);
	EXPECT_STATE(&a, JOB_END, HEALTH_STALE, "it");
}

/* The count that is read goes on as it was, but for what was missed. */
Test(profilers_rules_balance, count_allows_for_what_was_lost)
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
	app_expect_kept(&a);
}

/* Nobody has said yet that a release was lost; the life that it would have ended goes on. */
Test(profilers_rules_balance, count_is_set_off_once_by_one_lost_record)
{
	struct app a;

	app_open(&a, ONLY("count", "of: [4, 5, 2]"));
	app_hit(&a, JOB, APP, 0x1000, 0);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, JOB, APP, 0x1000, 0);
		app_hit(&a, JOB_END, APP, 0x1000, 0);
		app_hit(&a, USE, APP, 0x1000, 0);
	}
	app_finish(&a);
	app_expect_kept(&a);
}

/* A release that was lost sets one reading off, and none of the lives after it. */
Test(profilers_rules_balance, count_forgets_a_loss_with_its_life)
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
	app_expect_kept(&a);
}

/* What is forgiven a program that ran already is not looked at; what a loss has changed meanwhile
 * shows in the reading behind it, which must not be the next one's fault. */
Test(profilers_rules_balance, count_allows_for_what_was_lost_while_all_is_forgiven)
{
	uint64_t held[8] = {0};
	struct app a;

	app_open(&a, ONLY("count", "of: [4, 5, 2]"));
	app_record(&a, (struct ev_rec){.kind = EV_PROC_FORK, .a = PID, .b = PID, .c = 2});
	a.drop = 0.05;
	for (uint64_t i = 0; i < 40 * LIVES; i++) {
		uint64_t x = (uint64_t)(app_draw(&a) * 8);
		bool more = !held[x] || (held[x] < 4 && app_draw(&a) < 0.5);

		held[x] += more ? 1 : -1;
		app_hit(&a, more ? JOB : JOB_END, APP, 0x1000 + 64 * x, 0);
		if (!more)
			app_hit(&a, USE, APP, 0x1000 + 64 * x, held[x]);
	}
	a.drop = 0;
	app_finish(&a);
	app_expect_kept(&a);
}

/* free() is not told the size that malloc() was. */
Test(profilers_rules_balance, what_is_given_up_may_have_no_units)
{
	struct app a;

	app_more = "  - {id: 6, resource: t.slot, event: RELEASE, site: drop, instance_key: arg0,\n"
		   "     confidence: validated}\n";
	app_descs = DESCS;
	app_open(&a, ONLY("balance", "of: [1, 6], at_least: 0.1, evidence: proof"));
	app_more = app_use_too;
	app_descs = USE_TOO;
	app_capacity(&a, 64);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 8);
		app_record(&a, (struct ev_rec){.kind = EV_APP,
					       .tid = APP,
					       .a = 0x1000 + i % 8,
					       .e = 6 | (uint64_t)EVENT_RELEASE << 32});
	}
	app_finish(&a);
	app_expect_kept(&a);
}
