/* SPDX-License-Identifier: BSD-2-Clause */
/* Things that are made beside the caller; scores that are computed ahead of who takes them. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "harness/crew.h"
#include "harness/process.h"
#include "harness/score_ahead.h"
#include "scoring/score.h"

enum { THINGS = 6, PATIENCE_MS = 5000 };

struct shared {
	atomic_int made[THINGS], policy[THINGS], go;
};

static struct shared *share(void)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	cr_assert(s != MAP_FAILED);
	cr_assert_eq(process_setup(NULL), 0);
	return s;
}

static void make(void *arg, size_t i)
{
	struct shared *s = arg;

	while (!atomic_load(&s->go))
		sched_yield();
	atomic_store(&s->policy[i], sched_getscheduler(0) + 1);
	atomic_store(&s->made[i], (int)i + 1);
}

Test(harness_crew, has_made_what_was_waited_for_and_survives_sweeps)
{
	struct shared *s = share();
	struct diag d = {0};
	struct crew *c = crew_begin(THINGS, make, s, &d);

	cr_assert_not_null(c, "%s", d.reason);
	cr_expect_eq(process_sweep(), 0, "nobody is left behind");
	cr_expect_eq(crew_made(c), 0);
	atomic_store(&s->go, 1);
	for (size_t i = THINGS; i-- > 0;) {
		cr_expect_eq(crew_await(c, i, &d), 0);
		cr_expect_eq(atomic_load(&s->made[i]), (int)i + 1);
	}
	cr_expect_eq(crew_made(c), THINGS);
	cr_expect(!crew_works(c));
	crew_end(c);
}

static void wait_for_made(const struct crew *c)
{
	for (unsigned ms = 0; ms < PATIENCE_MS && crew_made(c) < THINGS; ms++)
		usleep(1000);
}

Test(harness_crew, is_idle_while_nobody_waits)
{
	struct shared *s = share();
	struct crew *c = crew_begin(THINGS, make, s, NULL);

	cr_assert_not_null(c);
	atomic_store(&s->go, 1);
	wait_for_made(c); /* who is idle needs a processor to itself */
	for (size_t i = 0; i < THINGS; i++) {
		int policy = atomic_load(&s->policy[i]);

		cr_expect(!policy || policy == SCHED_IDLE + 1, "number %zu", i);
	}
	if (crew_made(c) == 0) {
		crew_end(c);
		cr_skip_test("no processor had nothing else to do");
	}
	for (size_t i = 0; i < THINGS; i++)
		cr_expect_eq(crew_await(c, i, NULL), 0, "nor need one now");
	cr_expect_eq(crew_made(c), THINGS);
	crew_end(c);
}

Test(harness_crew, ends_with_what_it_is_about)
{
	struct shared *s = share();
	struct crew *c = crew_begin(THINGS, make, s, NULL);

	cr_assert_not_null(c);
	crew_end(c); /* returns, although nothing is ever made */
	atomic_store(&s->go, 1);
	cr_expect_eq(waitpid(-1, NULL, 0), -1, "it left somebody who might");
	for (size_t i = 0; i < THINGS; i++)
		cr_expect_eq(atomic_load(&s->made[i]), 0);
}

/* On a machine that always has something else to do it would not end if it stayed idle. */
Test(harness_crew, has_made_all_when_it_is_finished)
{
	struct shared *s = share();
	struct diag d = {0};
	struct crew *c = crew_begin(THINGS, make, s, &d);

	cr_assert_not_null(c, "%s", d.reason);
	atomic_store(&s->go, 1);
	cr_expect_eq(crew_finish(c, &d), 0);
	for (size_t i = 0; i < THINGS; i++)
		cr_expect_eq(atomic_load(&s->made[i]), (int)i + 1);
	cr_expect_eq(crew_made(c), THINGS);
	cr_expect_eq(crew_finish(c, &d), 0, "and does not wait again");
	crew_end(c);
}

Test(harness_crew, is_not_waited_for_after_a_signal)
{
	struct shared *s = share();
	struct diag d = {0};
	struct crew *c = crew_begin(THINGS, make, s, &d);

	cr_assert_not_null(c, "%s", d.reason);
	kill(getpid(), SIGTERM); /* blocked: the wait meets it */
	cr_expect_eq(crew_finish(c, &d), -EINTR);
	crew_end(c);
}

/* A worker that dies takes its thing with it, and what it had started is nobody's. */
static void die_at_once(void *arg, size_t i)
{
	pid_t child = fork();

	if (child == 0)
		execl("/bin/sleep", "sleep", "60", (char *)NULL);
	atomic_store((atomic_int *)arg, child);
	raise(SIGKILL);
}

Test(harness_crew, works_no_more_when_its_workers_died_and_keeps_what_they_leave)
{
	struct shared *s = share();
	struct crew *c = crew_begin(1, die_at_once, &s->go, NULL);

	cr_assert_not_null(c);
	cr_expect_eq(crew_await(c, 0, NULL), 0, "the crew is gone");
	cr_expect_eq(crew_finish(c, NULL), 0, "and nobody waits for it");
	cr_expect_eq(crew_made(c), 0);
	cr_expect(!crew_works(c));
	cr_expect_eq(process_sweep(), 0, "what a worker left counts as nobody's else");
	crew_end(c);
	cr_expect_neq(kill(s->go, 0), 0, "it ended with the crew");
}

/* There are none; of number 4 that is an error. */
static struct score *no_score(void *arg, size_t i, struct diag *d)
{
	atomic_int *cnt = arg;

	atomic_fetch_add(cnt, 1);
	if (i == 4)
		diag_set(d, -EIO, NULL, 0, NULL, "number %zu", i);
	return NULL;
}

Test(harness_score_ahead, gives_each_its_own_error_and_makes_each_once)
{
	atomic_int cnt = 0;
	struct score_ahead *a = score_ahead_new(100, no_score, &cnt);

	cr_assert_not_null(a);
	for (size_t i = 0; i < 100; i++) {
		struct diag d = {0};

		cr_expect_null(score_ahead_take(a, i, &d));
		cr_expect_eq(d.err, i == 4 ? -EIO : 0, "number %zu", i);
	}
	cr_expect_eq(atomic_load(&cnt), 100);
	score_ahead_free(a);
}

Test(harness_score_ahead, is_bounded_by_who_takes)
{
	atomic_int cnt = 0;
	struct score_ahead *a = score_ahead_new(100, no_score, &cnt);

	cr_assert_not_null(a);
	score_ahead_take(a, 0, &(struct diag){0});
	score_ahead_free(a);
	cr_expect_leq(atomic_load(&cnt), 17);
}
