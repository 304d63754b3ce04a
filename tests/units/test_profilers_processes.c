/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: valid programs of several processes, each of which has what it has for itself. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { CHILD = PID + 1000, CHILDREN = 12, ROUNDS = 400 };

static const char pair[] = ONLY("pairing", "of: [1, 3], evidence: proof");
static const char all[] = "  - {id: pair, kind: pairing, of: [1, 3], evidence: proof}\n"
			  "  - {id: member, kind: membership, of: [2], evidence: proof}\n"
			  "  - {id: lives, kind: generation, of: [1], evidence: proof}\n"
			  "  - {id: room, kind: balance, of: [1, 3], evidence: proof}\n"
			  "  - {id: order, kind: order, of: [2, 3], evidence: proof}\n"
			  "  - {id: jobs, kind: pairing, of: [4, 5], evidence: proof}\n"
			  "  - {id: open-jobs, kind: balance, of: [4, 5], evidence: proof}\n";

static void forks(struct app *a, uint32_t pid)
{
	app_record(a, (struct ev_rec){.kind = EV_PROC_FORK, .tid = PID, .a = pid, .b = pid});
}

static void executes(struct app *a, uint32_t pid)
{
	app_record(a, (struct ev_rec){.kind = EV_PROC_EXEC, .tid = pid, .tgid = pid, .a = pid});
}

static void exits(struct app *a, uint32_t pid)
{
	app_record(a, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = pid, .tgid = pid, .a = 1});
}

static void hit(struct app *a, uint32_t pid, unsigned id, uint64_t instance)
{
	app_hit_in(a, pid, id, pid, instance, 1);
}

static void acquires(struct app *a, uint32_t pid, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		hit(a, pid, ACQ, 0x1000 + 64 * i);
}

static void gives_up(struct app *a, uint32_t pid, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		hit(a, pid, USE, 0x1000 + 64 * i);
		hit(a, pid, REL, 0x1000 + 64 * i);
	}
}

static void lives(struct app *a, uint32_t pid, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		acquires(a, pid, 1);
		gives_up(a, pid, 1);
	}
}

static void expect_nothing(struct app *a)
{
	app_finish(a);
	app_expect_kept(a);
}

/* ---- what another does says nothing ---- */

Test(profilers_processes, one_may_keep_what_it_has_while_another_gives_its_own_up)
{
	struct app a;

	app_open(&a, pair);
	forks(&a, CHILD);
	for (unsigned i = 0; i < 16 * ROUNDS; i++) {
		hit(&a, PID, ACQ, 0x2000);
		lives(&a, CHILD, 2);
	}
	expect_nothing(&a);
}

Test(profilers_processes, one_that_gives_up_others_only_is_suspect)
{
	struct app a;

	app_open(&a, pair);
	forks(&a, CHILD);
	for (unsigned i = 0; i < 16 * ROUNDS; i++) {
		hit(&a, CHILD, ACQ, 0x2000);
		lives(&a, CHILD, 2);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

/* What lies in shared memory one may acquire and another give up. */
Test(profilers_processes, one_gives_up_what_another_holds)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 8);
	forks(&a, CHILD);
	for (unsigned i = 0; i < ROUNDS; i++) {
		acquires(&a, i % 3 ? PID : CHILD, 8);
		gives_up(&a, i % 2 ? PID : CHILD, 8);
	}
	expect_nothing(&a);
}

Test(profilers_processes, one_that_gives_up_what_nobody_holds_is_told)
{
	struct app a;

	app_open(&a, all);
	forks(&a, CHILD);
	for (unsigned i = 0; i < ROUNDS; i++) {
		acquires(&a, PID, 2);
		gives_up(&a, CHILD, 4);
		gives_up(&a, PID, 2);
	}
	app_finish(&a);
	cr_expect_gt(a.state_of[REL], HEALTH_VALIDATED);
}

/* ---- forks ---- */

Test(profilers_processes, a_child_gives_up_its_copies_and_its_parent_the_originals)
{
	struct app a;

	app_open(&a, all);
	acquires(&a, PID, 8);
	for (unsigned i = 0; i < 8; i++)
		hit(&a, PID, JOB, i);
	for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++) {
		forks(&a, child);
		gives_up(&a, child, 8);
		for (unsigned i = 0; i < 8; i++)
			hit(&a, child, JOB_END, i);
		lives(&a, child, 8);
	}
	gives_up(&a, PID, 8);
	expect_nothing(&a);
}

Test(profilers_processes, a_child_that_begins_anew_forgets_its_copies)
{
	struct app a;

	app_open(&a, all);
	acquires(&a, PID, 8);
	for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++) {
		forks(&a, child);
		acquires(&a, child, 8);
		gives_up(&a, child, 8);
	}
	gives_up(&a, PID, 8);
	expect_nothing(&a);
}

Test(profilers_processes, a_child_that_gives_up_its_copies_twice_is_told)
{
	struct app a;

	app_open(&a, pair);
	acquires(&a, PID, 8);
	for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++) {
		forks(&a, child);
		gives_up(&a, child, 8);
		gives_up(&a, child, 8);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_STALE, "it");
}

Test(profilers_processes, each_has_the_room_that_was_set_up_before_the_fork)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 8);
	for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++)
		forks(&a, child);
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++)
			acquires(&a, child, 8);
		for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++)
			gives_up(&a, child, 8);
	}
	expect_nothing(&a);
}

Test(profilers_processes, a_helper_that_has_no_use_for_its_room_makes_none)
{
	struct app a;

	app_open(&a, ONLY("balance", "of: [1, 3], evidence: proof"));
	app_capacity(&a, 8);
	for (uint32_t child = CHILD; child < CHILD + CHILDREN; child++) {
		forks(&a, child);
		executes(&a, child);
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		acquires(&a, PID, 16);
		gives_up(&a, PID, 16);
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
}

/* ---- ends ---- */

Test(profilers_processes, what_one_had_ends_with_its_program)
{
	struct app a;

	app_open(&a, all);
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		app_capacity(&a, 8);
		lives(&a, PID, 8);
		acquires(&a, PID, 8);
		executes(&a, PID);
	}
	expect_nothing(&a);
}

Test(profilers_processes, what_one_had_ends_with_it)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 8);
	for (uint32_t child = CHILD; child < CHILD + 10 * CHILDREN; child++) {
		forks(&a, child);
		lives(&a, child, 8);
		acquires(&a, child, 8);
		exits(&a, child);
	}
	expect_nothing(&a);
}

Test(profilers_processes, the_next_of_its_number_has_nothing_of_it)
{
	struct app a;

	app_open(&a, all);
	app_capacity(&a, 8);
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		forks(&a, CHILD);
		lives(&a, CHILD, 8);
		acquires(&a, CHILD, 8);
		if (i % 2) /* else its exit was lost */
			exits(&a, CHILD);
	}
	expect_nothing(&a);
}

/* ---- what helpers do ---- */

Test(profilers_processes, io_of_one_that_never_was_the_program_is_no_silence)
{
	struct app a;

	app_open(&a, ONLY("silence", "of: [1], effect: block-io, evidence: proof"));
	lives(&a, PID, 100);
	forks(&a, CHILD);
	for (unsigned i = 0; i < 20 * ROUNDS; i++)
		app_record(&a, (struct ev_rec){.kind = EV_IO_SUBMIT,
					       .tid = CHILD,
					       .tgid = CHILD,
					       .d = IORING_OP_READ});
	expect_nothing(&a);
}
