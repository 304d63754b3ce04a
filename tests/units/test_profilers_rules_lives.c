/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: invariants of lives, kept by an unchanged program and broken by a changed one. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000 };

Test(profilers_rules_lives, pairing_blames_the_acquire_that_is_missed_at_some_callers)
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

Test(profilers_rules_lives, pairing_blames_the_release_that_is_doubled)
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

Test(profilers_rules_lives, pairing_only_warns_when_the_manifest_says_so)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: warning"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_lives, pairing_suspects_a_release_by_another_thread)
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

Test(profilers_rules_lives, pairing_suspects_units_of_which_some_always_stay)
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

Test(profilers_rules_lives, pairing_takes_units_that_come_back_in_parts)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [1, 3], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000, 2);
		app_hit(&a, REL, APP, 0x1000, 1);
		app_hit(&a, REL, APP, 0x1000, 1);
	}
	app_finish(&a);
	app_expect_kept(&a);
}

Test(profilers_rules_lives, membership_sees_use_after_release)
{
	struct app a;

	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i % 10) {
			app_life(&a, i);
			continue;
		}
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

/* Both ends of every other life pass elsewhere, and its use does not. */
Test(profilers_rules_lives, membership_cannot_tell_a_use_from_lives_that_are_not_seen)
{
	struct app a;

	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++) {
		if (i / 8 % 2)
			app_life(&a, i);
		else
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_VALIDATED, "");
}

/* Every other life is read only; later, of some that are not, neither end is seen. */
Test(profilers_rules_lives, membership_blames_no_use_that_lives_often_go_without)
{
	struct app a;

	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < 3 * LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;
		bool used = i % 2, seen = i < LIVES || i % 16 != 1;

		if (seen)
			app_hit(&a, ACQ, APP, x, 2);
		if (used)
			app_hit(&a, USE, APP, x, 1);
		if (seen)
			app_hit(&a, REL, APP, x, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_VALIDATED, "");
}

/* From the start: nothing is known of how many lives go without. */
static void lives_rarely_used(struct app *a, bool unseen)
{
	app_open(a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < 6 * LIVES; i++) {
		uint64_t x = 0x1000 + i % 7;
		bool stray = i % 8 == 1, seen = !stray || !unseen;

		if (seen)
			app_hit(a, ACQ, APP, x, 2);
		if (stray)
			app_hit(a, USE, APP, unseen ? x : 0x2000 + i, 1);
		if (seen)
			app_hit(a, REL, APP, x, 2);
	}
	app_finish(a);
}

Test(profilers_rules_lives, membership_blames_no_use_from_the_start_that_lives_often_go_without)
{
	struct app a;

	lives_rarely_used(&a, true);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

Test(profilers_rules_lives, membership_blames_a_use_that_moves_from_the_start)
{
	struct app a;

	lives_rarely_used(&a, false);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

/* And of a use that moves it is known all the same. */
Test(profilers_rules_lives, membership_blames_a_use_that_moves_where_lives_often_go_without)
{
	struct app a;

	app_open(&a, ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < 3 * LIVES; i++) {
		bool moved = i >= LIVES && i % 4 == 1;

		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		if (i % 2 && !moved)
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
		if (moved)
			app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	}
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

/* Of two kinds of use one comes after the release; or whole lives are not seen, and both uses are.
 */
static void two_uses(struct app *a, bool moved)
{
	app_descs = DESCS;
	app_open(a, "  - {id: it, kind: membership, of: [2], evidence: proof}\n"
		    "  - {id: too, kind: membership, of: [6], evidence: proof}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		uint64_t x = 0x1000 + i % 8;
		bool seen = moved || i / 8 % 2;

		if (seen)
			app_hit(a, ACQ, APP, x, 2);
		app_hit(a, USE_TOO, APP, x, 1);
		if (!moved)
			app_hit(a, USE, APP, x, 1);
		if (seen)
			app_hit(a, REL, APP, x, 2);
		if (moved)
			app_hit(a, USE, APP, x, 1);
	}
	app_finish(a);
	app_descs = USE_TOO;
}

Test(profilers_rules_lives, membership_names_the_one_use_of_two_that_has_moved)
{
	struct app a;

	two_uses(&a, true);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, USE_TOO, HEALTH_VALIDATED, "");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
	two_uses(&a, false);
	EXPECT_STATE(&a, USE_TOO, HEALTH_SUSPECT, "too");
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "too");
}

Test(profilers_rules_lives, membership_leaves_what_is_owned_outside_alone)
{
	struct app a;

	app_open_as(&a, &joiner_causal, HEALTH_VALIDATED, "external",
		    ONLY("membership", "of: [2], evidence: proof"));
	for (uint64_t i = 0; i < LIVES; i++)
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}

/* Acquires are missed; then, by who sees both ends, releases. */
Test(profilers_rules_lives, one_who_is_named_explains_what_others_see)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: pairing, of: [1, 3], evidence: proof}\n"
		     "  - {id: also, kind: balance, of: [1, 3], evidence: proof}\n"
		     "  - {id: once, kind: generation, of: [1], evidence: proof}\n");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, i % 5 ? 0x1000 + i % 8 : 0x9000 + i, 2);
		app_hit(&a, USE, APP, 0x1000 + i % 8, 1);
		app_hit(&a, REL, APP, 0x1000 + i % 8, 2);
	}
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, 0x1000 + i % 8, 2);
		app_hit(&a, ACQ, OTHER, 0x1000 + i % 8, 2);
		app_hit(&a, USE, OTHER, 0x1000 + i % 8, 1);
		app_hit(&a, REL, OTHER, 0x1000 + i % 8, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "also");
}

Test(profilers_rules_lives, generation_sees_lives_of_one_key_overlap)
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

Test(profilers_rules_lives, order_sees_an_event_that_should_have_come_before)
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

Test(profilers_rules_lives, exclusion_sees_a_use_within_a_life_of_another_resource)
{
	static const char rule[] = ONLY("exclusion", "of: [2, 4, 5]");
	struct app a;

	app_open(&a, rule);
	use_beside_jobs(&a, 0, 0);
	app_expect_kept(&a);
	app_open(&a, rule);
	use_beside_jobs(&a, 5, 0);
	EXPECT_STATE(&a, USE, HEALTH_STALE, "it");
	EXPECT_STATE(&a, JOB, HEALTH_VALIDATED, "");
	EXPECT_STATE(&a, JOB_END, HEALTH_VALIDATED, "");
}

/* A life without an end seems to be around each use: that says nothing of uses. */
Test(profilers_rules_lives, exclusion_accuses_no_use_of_a_life_that_never_ended)
{
	struct app a;

	app_open(&a, "  - {id: it, kind: exclusion, of: [2, 4, 5]}\n"
		     "  - {id: one, kind: generation, of: [4]}\n");
	use_beside_jobs(&a, 0, 5);
	EXPECT_STATE(&a, USE, HEALTH_VALIDATED, "");
}
