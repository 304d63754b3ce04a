/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: who uses what he holds, whether it comes back, and in which process. */
#include "profilers/causal/thresholds.h"
#include "tests/units/test_profilers_resources.h"

enum { LIVES = 2000, CALLS = 1000 };

static const char member[] = ONLY("membership", "of: [2], evidence: proof");
static const char pair[] = ONLY("pairing", "of: [1, 3], evidence: proof");

static uint64_t slot(uint64_t i)
{
	return 0x1000 + i % 8;
}

static void expect_nothing(struct app *a)
{
	app_finish(a);
	app_expect_kept(a);
}

static void open_moving(struct app *a, const char *owner)
{
	app_job_event = "PUSH";
	app_open_as(a, &joiner_causal, HEALTH_VALIDATED, owner, member);
	app_job_event = "ACQUIRE";
}

static void life_used_by(struct app *a, uint64_t i, uint32_t tid)
{
	app_hit(a, ACQ, APP, slot(i), 2);
	app_hit(a, USE, tid, slot(i), 1);
	app_hit(a, REL, APP, slot(i), 2);
}

/* ---- threads ---- */

Test(profilers_holders, use_by_a_thread_that_never_holds_any_is_suspect)
{
	struct app a;

	open_moving(&a, "operation");
	for (uint64_t i = 0; i < LIVES; i++)
		life_used_by(&a, i, OTHER);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

Test(profilers_holders, use_by_another_that_holds_some_is_right_where_operations_move)
{
	struct app a;

	open_moving(&a, "operation");
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(&a, ACQ, APP, slot(i), 2);
		app_hit(&a, USE, OTHER, slot(i), 1);
		app_hit(&a, REL, OTHER, slot(i), 2);
	}
	expect_nothing(&a);
}

Test(profilers_holders, a_thread_a_request_is_none_that_never_holds_any)
{
	struct app a;

	open_moving(&a, "operation");
	for (uint64_t i = 0; i < LIVES; i++)
		life_used_by(&a, i, 10000 + (uint32_t)i / 8);
	expect_nothing(&a);
}

Test(profilers_holders, many_uses_of_one_life_say_no_more_than_one)
{
	struct app a;

	open_moving(&a, "operation");
	for (uint64_t i = 0; i < STRANGER_LEAST; i++) {
		app_hit(&a, ACQ, APP, slot(i), 2);
		for (uint64_t k = 0; k < 100; k++)
			app_hit(&a, USE, OTHER, slot(i), 1);
		app_hit(&a, REL, APP, slot(i), 2);
	}
	expect_nothing(&a);
}

/* Now and then a record is lost, told at once. */
static void lives_with_losses(struct app *a, unsigned every, uint64_t cnt)
{
	open_moving(a, "operation");
	for (uint64_t i = 0; i < LIVES; i++) {
		life_used_by(a, i, OTHER);
		if (i % every == 0)
			app_record(a, (struct ev_rec){.kind = EV_LOST, .a = cnt});
	}
	app_finish(a);
}

Test(profilers_holders, a_stranger_is_one_whatever_few_records_were_lost)
{
	struct app a;

	lives_with_losses(&a, STRANGER_LEAST, 1);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
}

Test(profilers_holders, a_stranger_may_hold_some_where_as_many_records_were_lost)
{
	struct app a;

	lives_with_losses(&a, STRANGER_LEAST, STRANGER_LEAST);
	app_expect_kept(&a);
}

Test(profilers_holders, anybody_may_use_what_is_shared)
{
	struct app a;

	open_moving(&a, "shared");
	for (uint64_t i = 0; i < LIVES; i++)
		life_used_by(&a, i, OTHER);
	expect_nothing(&a);
}

/* ---- units ---- */

static void lives_that_use(struct app *a, uint64_t units)
{
	for (uint64_t i = 0; i < LIVES; i++) {
		app_hit(a, ACQ, APP, slot(i), 2);
		app_hit(a, USE, APP, slot(i), units);
		app_hit(a, REL, APP, slot(i), 2);
	}
}

Test(profilers_holders, use_of_more_than_is_held_is_suspect)
{
	struct app a;

	app_open(&a, member);
	lives_that_use(&a, 3);
	app_finish(&a);
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, ACQ, HEALTH_VALIDATED, "");
}

Test(profilers_holders, use_of_all_that_is_held_is_right)
{
	struct app a;

	app_open(&a, member);
	lives_that_use(&a, 2);
	expect_nothing(&a);
}

/* Of one life, acquired in parts, one of them was not seen. */
Test(profilers_holders, a_part_that_was_lost_is_one_violation_however_often_all_is_used)
{
	struct app a;

	app_open(&a, member);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	app_hit(&a, ACQ, APP, slot(0), 2);
	for (uint64_t i = 0; i < 100; i++)
		app_hit(&a, USE, APP, slot(0), 4);
	app_hit(&a, REL, APP, slot(0), 4);
	for (uint64_t i = 0; i < LIVES; i++)
		app_life(&a, i);
	expect_nothing(&a);
}

/* ---- instances ---- */

Test(profilers_holders, an_instance_that_never_comes_back_is_suspect)
{
	struct app a;

	app_open(&a, pair);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		if (i % 4 == 0)
			app_hit(&a, ACQ, APP, (uint64_t)-2, 2); /* an errno, say */
	}
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "it");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "it");
}

/* The release of an instance that is acquired in parts is lost each time. */
Test(profilers_holders, an_instance_may_have_come_back_in_a_loss)
{
	struct app a;

	app_open(&a, pair);
	for (uint64_t round = 0; round < LIVES / 20; round++) {
		for (uint64_t i = 0; i < RETURN_WINDOW - 1; i++) {
			app_hit(&a, ACQ, APP, 0x2000, 2);
			app_life(&a, 2 * i);
			app_life(&a, 2 * i + 1);
		}
		app_record(&a, (struct ev_rec){.kind = EV_LOST, .a = 1});
	}
	expect_nothing(&a);
}

Test(profilers_holders, instances_that_many_hold_at_once_come_back_late)
{
	struct app a;

	app_open(&a, ONLY("pairing", "of: [4, 5], evidence: proof"));
	for (uint64_t round = 0; round < 100; round++) {
		for (uint64_t i = 0; i < 400; i++)
			app_hit(&a, JOB, APP, slot(i * i), 0);
		for (uint64_t i = 0; i < 400; i++)
			app_hit(&a, JOB_END, APP, slot(i * i), 0);
	}
	expect_nothing(&a);
}

Test(profilers_holders, leaks_of_many_instances_are_no_instance_that_never_comes_back)
{
	struct app a;

	app_open(&a, pair);
	for (uint64_t i = 0; i < LIVES; i++) {
		app_life(&a, i);
		app_hit(&a, ACQ, APP, 0x100000 + 64 * i, 2);
	}
	expect_nothing(&a);
}

/* ---- processes ---- */

static void calls(struct app *a, uint32_t pid, unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++)
		app_record(a, (struct ev_rec){.kind = EV_STREAM_READ, .tid = pid, .tgid = pid});
}

static void executes(struct app *a, uint32_t pid)
{
	app_record(a, (struct ev_rec){.kind = EV_PROC_EXEC, .tid = pid, .tgid = pid, .a = pid});
}

static void lives(struct app *a, unsigned cnt)
{
	for (uint64_t i = 0; i < cnt; i++)
		app_life(a, i);
}

Test(profilers_holders, a_process_that_goes_on_as_another_program_is_told)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	calls(&a, PID, CALLS);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "image");
	EXPECT_STATE(&a, USE, HEALTH_SUSPECT, "image");
	EXPECT_STATE(&a, REL, HEALTH_SUSPECT, "image");
	EXPECT_STATE(&a, JOB, HEALTH_VALIDATED, ""); /* it never had one */
}

Test(profilers_holders, a_process_that_goes_on_as_the_same_program_is_not)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	calls(&a, PID, 40); /* it starts up */
	for (unsigned i = 0; i < CALLS / 10; i++) {
		lives(&a, 1);
		calls(&a, PID, 10);
	}
	expect_nothing(&a);
}

Test(profilers_holders, a_process_that_was_never_the_program_may_be_what_it_likes)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID + 1);
	calls(&a, PID + 1, CALLS);
	expect_nothing(&a);
}

Test(profilers_holders, a_process_that_is_gone_is_not_taken_for_the_next_of_its_number)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	app_record(&a, (struct ev_rec){.kind = EV_PROC_EXIT, .tid = PID, .tgid = PID, .a = 1});
	calls(&a, PID, CALLS);
	expect_nothing(&a);
}

/* The end of the first was lost; the next is forked, and does as it likes. */
Test(profilers_holders, a_process_whose_end_was_lost_is_not_taken_for_the_next_of_its_number)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	app_record(&a, (struct ev_rec){
			       .kind = EV_PROC_FORK, .tid = OTHER, .tgid = 7, .a = PID, .b = PID});
	calls(&a, PID, CALLS);
	expect_nothing(&a);
}

/* Its hits are lost, a hundredth of all: others go on, too. */
Test(profilers_holders, a_process_whose_hits_may_be_lost_may_go_on)
{
	enum { WINDOWS = 40, OTHERS = 400 };
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	calls(&a, PID, IMAGE_START);
	for (unsigned i = 0; i < WINDOWS; i++) {
		a.hits[ACQ] += IMAGE_FACTOR;
		a.passed[ACQ] += IMAGE_FACTOR;
		for (unsigned k = 0; k < OTHERS; k++) {
			app_hit_in(&a, PID + 1, ACQ, OTHER, slot(k), 2);
			app_hit_in(&a, PID + 1, REL, OTHER, slot(k), 2);
		}
		app_tick(&a);
		calls(&a, PID, IMAGE_WINDOW);
	}
	expect_nothing(&a);
}

/* A server that is started anew, gracefully, does as it did. */
Test(profilers_holders, what_is_rare_may_stay_rare_in_the_next_program)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	for (unsigned i = 0; i < 10; i++) {
		calls(&a, PID, 100);
		lives(&a, 1);
	}
	executes(&a, PID);
	for (unsigned i = 0; i < 4 * IMAGE_FACTOR; i++) {
		calls(&a, PID, 100);
		lives(&a, 1);
	}
	expect_nothing(&a);
}

Test(profilers_holders, a_program_that_is_slow_to_start_raises_no_doubt)
{
	struct app a;

	app_open(&a, pair);
	lives(&a, 100);
	executes(&a, PID);
	calls(&a, PID, IMAGE_START);
	for (unsigned i = 0; i < CALLS / 10; i++) {
		lives(&a, 1);
		calls(&a, PID, 10);
	}
	expect_nothing(&a);
}

/* ---- more descriptors than one rule can name ---- */

enum { LAST = 19 }; /* the seventeenth of t.slot */

static void open_many(struct app *a)
{
	char more[DESC_ROOM * 128];
	int n = 0;

	for (int id = USE_TOO; id <= LAST; id++)
		n += snprintf(more + n, sizeof(more) - (size_t)n,
			      "  - {id: %d, resource: t.slot, event: USE, site: use_%d,\n"
			      "     instance_key: arg0, confidence: validated}\n",
			      id, id);
	app_more = more;
	app_descs = DESCS;
	app_open(a, pair);
	app_more = app_use_too;
	app_descs = USE_TOO;
}

Test(profilers_holders, a_process_goes_on_at_whichever_site)
{
	struct app a;

	open_many(&a);
	lives(&a, 100);
	executes(&a, PID);
	for (unsigned i = 0; i < CALLS / 10; i++) {
		app_record(&a, (struct ev_rec){.kind = EV_APP,
					       .tid = APP,
					       .a = slot(0),
					       .e = LAST | (uint64_t)EVENT_USE << 32});
		calls(&a, PID, 10);
	}
	expect_nothing(&a);
}

Test(profilers_holders, all_sites_of_a_program_that_is_gone_are_told)
{
	struct app a;

	open_many(&a);
	lives(&a, 100);
	executes(&a, PID);
	calls(&a, PID, CALLS);
	app_finish(&a);
	EXPECT_STATE(&a, ACQ, HEALTH_SUSPECT, "image");
	EXPECT_STATE(&a, LAST, HEALTH_SUSPECT, "image");
	EXPECT_STATE(&a, JOB, HEALTH_VALIDATED, "");
}
