/* SPDX-License-Identifier: BSD-2-Clause */
/* Launch forms: variables that env prints, the words of wrap, a workload that somebody else starts.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/trial_launch.h"

static const uint64_t SECOND = 1000000000;

static void setup(void)
{
	struct diag d = {0};

	cr_assert(zero(int, process_setup(&d)), "%s", d.reason);
}

TestSuite(harness_launch, .init = setup, .timeout = 60);

Test(harness_launch, takes_variables_line_by_line)
{
	char text[] = "LD_PRELOAD=a.so:b.so\n\n_x1=two words = three\nEMPTY=\n";
	struct launch_env e = {0};
	struct diag d = {0};

	cr_assert(zero(int, launch_env_parse(text, &e, &d)), "%s", d.reason);
	cr_expect(eq(str, e.v[0], "LD_PRELOAD=a.so:b.so"));
	cr_expect(eq(str, e.v[1], "_x1=two words = three"));
	cr_expect(eq(str, e.v[2], "EMPTY="));
	cr_expect(zero(ptr, e.v[3]));
}

Test(harness_launch, refuses_what_is_no_variable)
{
	const char *const bad[] = {"hello\n", "1A=b\n", "=x\n", "A B=c\n", "A=b\nexport C=d\n"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct launch_env e = {0};
		struct diag d = {0};
		char text[64];

		strcpy(text, bad[i]);
		cr_expect(eq(int, launch_env_parse(text, &e, &d), -EINVAL), "%s", bad[i]);
		cr_expect(d.reason[0] && d.cure[0]);
	}
}

Test(harness_launch, refuses_more_variables_than_there_is_room_for)
{
	char text[(PROCESS_MORE + 1) * 4 + 1] = "";
	struct launch_env e = {0};
	struct diag d = {0};

	for (int i = 0; i <= PROCESS_MORE; i++)
		strcat(text, "A=b\n");
	cr_expect(eq(int, launch_env_parse(text, &e, &d), -EINVAL));
}

Test(harness_launch, puts_the_workload_behind_two_dashes)
{
	char *watcher[WATCHER_ARGS] = {(char *)"mine", (char *)"wrap", NULL};
	char *argv[WATCHER_ARGS + LOAD_ARGS];
	struct load_arguments load = {.v = {(char *)"pool", (char *)"run"}, .cnt = 2};

	cr_assert(launch_wrap_argv(watcher, &load, argv));
	cr_expect(eq(str, argv[2], "--"));
	cr_expect(eq(str, argv[4], "run"));
	cr_expect(zero(ptr, argv[5]));
}

/* A shell that starts another program, waits for it, and ends as it did. */
static struct process wrapper(const char *script)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	struct process_spec s = {.argv = argv, .out_fd = -1, .err_fd = -1, .extra_fd = -1};
	struct process p = {0};
	struct diag d = {0};

	cr_assert(zero(int, process_start(&s, &p, &d)), "%s", d.reason);
	return p;
}

Test(harness_launch, follows_what_somebody_else_started)
{
	struct process outer = wrapper("perl -e 'kill STOP => $$; kill STOP => $$'; exit 7"), inner;
	uint64_t deadline = now_ns() + 20 * SECOND;

	cr_assert(eq(int, launch_find(&outer, "/usr/bin/perl", deadline, &inner), PROCESS_STOPPED));
	cr_expect(ne(int, inner.pid, outer.pid));
	for (int i = 0; i < 2; i++) {
		cr_assert(eq(int, process_wait(&inner, deadline), PROCESS_STOPPED));
		cr_assert(zero(int, process_continue(&inner)));
	}
	cr_expect(eq(int, process_wait(&inner, deadline), PROCESS_EXITED));
	cr_expect(eq(int, process_wait_exit(&outer, deadline), PROCESS_EXITED));
	cr_expect(eq(int, WEXITSTATUS(outer.status), 7));
}

Test(harness_launch, says_that_nothing_was_started)
{
	struct process outer = wrapper("exit 3"), idle = wrapper("sleep 30"), inner;
	uint64_t now = now_ns();

	cr_expect(eq(int, launch_find(&outer, "/usr/bin/perl", now + 20 * SECOND, &inner),
		     PROCESS_EXITED));
	cr_expect(eq(int, launch_find(&idle, "/usr/bin/perl", now, &inner), PROCESS_TIMEOUT));
	process_kill(&idle);
}

Test(harness_launch, kills_what_was_adopted)
{
	struct process outer = wrapper("perl -e 'sleep 30'; exit 0"), inner;
	uint64_t deadline = now_ns() + 20 * SECOND;

	cr_assert(eq(int, launch_find(&outer, "/usr/bin/perl", deadline, &inner), PROCESS_STOPPED));
	process_kill(&inner);
	cr_expect(eq(int, process_wait_exit(&outer, deadline), PROCESS_EXITED));
}
