/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: when rules are judged, and what lives on where a manifest is replaced meanwhile. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000, SHORT = TICK_EVENTS / 2 };

static const char pair[] = ONLY("pairing", "of: [1, 3], evidence: proof");
static const char reads[] =
	ONLY("system-effect", "of: [1], effect: block-io, within_ms: 1, evidence: proof");

/* Acquires behind which no read comes: it was lost, or there is none. */
static void open_without_reads(struct app *a)
{
	app_open(a, reads);
	app_tick(a);
	for (uint64_t i = 0; i < SHORT; i++) {
		app_hit(a, ACQ, APP, 0x1000 + i % 8, 1);
		a->now += 1100000;
		if (i % 100 == 0)
			app_hit(a, JOB, APP, i, 0);
	}
}

/* Its CPU was idle since, so that it is told only behind the tallies. */
static void told_lost(struct app *a, uint64_t cnt, uint64_t began)
{
	app_record(a, (struct ev_rec){.kind = EV_LOST, .a = cnt, .b = began});
	a->now += 10000;
}

Test(profilers_judging, a_loss_before_the_tallies_explains_what_they_leave_open)
{
	struct app a;
	uint64_t began;

	open_without_reads(&a);
	began = a.now;
	a.now += 10000;
	app_tick(&a);
	a.now += 10000;
	told_lost(&a, SHORT, began);
	app_finish(&a);
	app_expect_kept(&a);
}

Test(profilers_judging, a_loss_behind_the_tallies_explains_nothing)
{
	struct app a;

	open_without_reads(&a);
	app_tick(&a);
	a.now += 10000;
	told_lost(&a, SHORT, a.now);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

/* ---- reload ---- */

static void reload(struct app *a)
{
	cr_assert_eq(a->joiner->reload(a->state, &a->setup, a->now, a->now + 1000), 0);
	a->now += 2000;
	for (unsigned i = 1; i < app_descs; i++)
		app_record(a, (struct ev_rec){.kind = EV_APP_SITE, .a = i, .c = 1});
	memset(a->hits, 0, sizeof(a->hits));
	memset(a->passed, 0, sizeof(a->passed));
}

static void gives_up_only(struct app *a)
{
	app_open(a, pair);
	for (uint64_t i = 0; i < TICK_EVENTS / 3; i++)
		app_hit(a, REL, APP, 0x1000 + i % 8, 2);
}

Test(profilers_judging, a_verdict_that_is_due_is_given_before_a_reload)
{
	struct app a;

	gives_up_only(&a);
	app_tick(&a);
	cr_assert_eq(a.joiner->reload(a.state, &a.setup, a.now, a.now + 1000), 0);
	cr_expect_gt(a.state_of[ACQ], HEALTH_VALIDATED);
	a.joiner->finish(a.state);
	manifest_free(&a.m);
}

Test(profilers_judging, a_reload_before_the_tallies_has_no_verdict)
{
	struct app a;

	app_open(&a, pair);
	app_tick(&a);
	app_hit(&a, JOB, APP, 1, 0);
	for (uint64_t i = 0; i < TICK_EVENTS / 3; i++)
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	reload(&a);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	app_finish(&a);
	app_expect_kept(&a);
}

static void life_used_by(struct app *a, uint64_t i, uint32_t tid)
{
	app_hit(a, ACQ, APP, 0x1000 + i % 8, 2);
	app_hit(a, USE, tid, 0x1000 + i % 8, 1);
	app_hit(a, REL, APP, 0x1000 + i % 8, 2);
}

/* It acquired some at the start and never since. */
Test(profilers_judging, who_held_some_before_a_reload_is_no_stranger)
{
	struct app a;

	app_job_event = "PUSH";
	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	app_job_event = "ACQUIRE";
	app_hit(&a, ACQ, OTHER, 0x1000, 2);
	app_hit(&a, REL, OTHER, 0x1000, 2);
	for (uint64_t i = 0; i < LIVES; i++)
		life_used_by(&a, i, OTHER);
	app_tick(&a);
	reload(&a);
	for (uint64_t i = 0; i < 4 * LIVES; i++) /* more than is forgiven then */
		life_used_by(&a, i, OTHER);
	app_finish(&a);
	app_expect_kept(&a);
}
