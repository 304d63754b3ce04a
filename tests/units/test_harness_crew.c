/* SPDX-License-Identifier: BSD-2-Clause */
/* Things that are made beside the caller; scores that are computed ahead of who takes them. */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "harness/crew.h"
#include "harness/process.h"
#include "harness/score_ahead.h"
#include "lib/clock.h"
#include "scoring/score.h"

TestSuite(harness_score_ahead, .timeout = 20);

enum { THINGS = 6, PATIENCE_MS = 5000 };

struct shared {
	atomic_int made[THINGS], policy[THINGS], child;
	sem_t begun, go; /* posted by each that begins; open once it was posted */
};

static struct shared *share(void)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	cr_assert(s != MAP_FAILED);
	cr_assert_eq(sem_init(&s->begun, 1, 0), 0);
	cr_assert_eq(sem_init(&s->go, 1, 0), 0);
	cr_assert_eq(process_setup(NULL), 0);
	return s;
}

static void make(void *arg, size_t i)
{
	struct shared *s = arg;

	atomic_store(&s->policy[i], sched_getscheduler(0) + 1);
	sem_post(&s->begun);
	while (sem_wait(&s->go))
		continue;
	sem_post(&s->go);
	atomic_store(&s->made[i], (int)i + 1);
}

/* So many posts, all within so many ms. */
static bool have_come(sem_t *s, unsigned cnt, unsigned ms)
{
	uint64_t until = now_ns() + ms * 1000000ull;
	struct timespec at = {.tv_sec = (time_t)(until / 1000000000),
			      .tv_nsec = (long)(until % 1000000000)};

	while (cnt) {
		if (!sem_clockwait(s, CLOCK_MONOTONIC, &at))
			cnt--;
		else if (errno != EINTR)
			return false;
	}
	return true;
}

Test(harness_crew, has_made_what_was_waited_for_and_survives_sweeps)
{
	struct shared *s = share();
	struct diag d = {0};
	struct crew *c = crew_begin(THINGS, make, s, &d);

	cr_assert_not_null(c, "%s", d.reason);
	cr_expect_eq(process_sweep(), 0, "nobody is left behind");
	cr_expect_eq(crew_made(c), 0);
	sem_post(&s->go);
	for (size_t i = THINGS; i-- > 0;) {
		cr_expect_eq(crew_await(c, i, &d), 0);
		cr_expect_eq(atomic_load(&s->made[i]), (int)i + 1);
	}
	cr_expect_eq(crew_made(c), THINGS);
	cr_expect(!crew_works(c));
	crew_end(c);
}

Test(harness_crew, is_idle_while_nobody_waits)
{
	struct shared *s = share();
	struct crew *c = crew_begin(THINGS, make, s, NULL);
	unsigned seen = 0;

	cr_assert_not_null(c);
	sem_post(&s->go);
	have_come(&s->begun, THINGS, PATIENCE_MS); /* who is idle needs a processor to itself */
	for (size_t i = 0; i < THINGS; i++) {
		int policy = atomic_load(&s->policy[i]);

		seen += policy != 0;
		cr_expect(!policy || policy == SCHED_IDLE + 1, "number %zu", i);
	}
	for (size_t i = 0; i < THINGS; i++)
		cr_expect_eq(crew_await(c, i, NULL), 0, "nor need one now");
	cr_expect_eq(crew_made(c), THINGS);
	crew_end(c);
	if (!seen)
		cr_skip_test("no processor had nothing else to do");
}

Test(harness_crew, ends_with_what_it_is_about)
{
	struct shared *s = share();
	struct crew *c = crew_begin(THINGS, make, s, NULL);

	cr_assert_not_null(c);
	crew_end(c); /* returns, although nothing is ever made */
	sem_post(&s->go);
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
	sem_post(&s->go);
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
	struct crew *c = crew_begin(1, die_at_once, &s->child, NULL);

	cr_assert_not_null(c);
	cr_expect_eq(crew_await(c, 0, NULL), 0, "the crew is gone");
	cr_expect_eq(crew_finish(c, NULL), 0, "and nobody waits for it");
	cr_expect_eq(crew_made(c), 0);
	cr_expect(!crew_works(c));
	cr_expect_eq(process_sweep(), 0, "what a worker left counts as nobody's else");
	crew_end(c);
	cr_expect_neq(kill(s->child, 0), 0, "it ended with the crew");
}

/* There are none; of number 4 that is an error. A post for each that was made. */
static struct score *no_score(void *arg, size_t i, struct diag *d)
{
	sem_post(arg);
	if (i == 4)
		diag_set(d, -EIO, NULL, 0, NULL, "number %zu", i);
	return NULL;
}

Test(harness_score_ahead, gives_each_its_own_error_and_makes_each_once)
{
	struct score_ahead *a;
	int cnt;
	sem_t made;

	cr_assert_eq(sem_init(&made, 0, 0), 0);
	a = score_ahead_new(100, no_score, &made);
	cr_assert_not_null(a);
	for (size_t i = 0; i < 100; i++) {
		struct diag d = {0};

		cr_expect_null(score_ahead_take(a, i, &d));
		cr_expect_eq(d.err, i == 4 ? -EIO : 0, "number %zu", i);
	}
	score_ahead_free(a);
	sem_getvalue(&made, &cnt);
	cr_expect_eq(cnt, 100);
}

/* 16 ahead of who takes; one more for each that was taken. */
Test(harness_score_ahead, is_bounded_by_who_takes)
{
	enum { AHEAD = 16, A_WHILE_MS = 50 };
	struct score_ahead *a;
	sem_t made;

	cr_assert_eq(sem_init(&made, 0, 0), 0);
	a = score_ahead_new(100, no_score, &made);
	cr_assert_not_null(a);
	cr_expect(have_come(&made, AHEAD, PATIENCE_MS));
	cr_expect(!have_come(&made, 1, A_WHILE_MS), "nobody has taken any");
	for (size_t i = 0; i < 2; i++) {
		score_ahead_take(a, i, &(struct diag){0});
		cr_expect(have_come(&made, 1, PATIENCE_MS), "number %zu leaves room for one", i);
		cr_expect(!have_come(&made, 1, A_WHILE_MS), "and no more");
	}
	score_ahead_free(a);
}
