/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that see, signal and outlive nobody, and what is asked of programs by them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/process.h"

static const uint64_t SECOND = 1000000000;

static void setup(void)
{
	struct diag d = {0};

	if (getuid())
		cr_skip_test("only root has namespaces of processes");
	cr_assert(zero(int, process_setup(&d)), "%s", d.reason);
}

TestSuite(harness_alone, .init = setup, .timeout = 60);

static struct process start(const char *script, bool alone)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	struct process_spec s = {.argv = argv,
				 .out_fd = -1,
				 .err_fd = -1,
				 .extra_fd = -1,
				 .own_mounts = alone,
				 .own_processes = alone,
				 .sealed = alone};
	struct process p = {0};
	struct diag d = {0};

	cr_assert(zero(int, process_start(&s, &p, &d)), "%s", d.reason);
	return p;
}

static int status_of(const char *script)
{
	struct process p = start(script, true);

	cr_assert(eq(int, process_wait_exit(&p, now_ns() + 10 * SECOND), PROCESS_EXITED));
	return p.status;
}

static int capture(const char *script, char *ret, size_t len)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};

	return process_capture(argv, 10 * SECOND, ret, len, NULL);
}

Test(harness_alone, ends_as_the_program_did)
{
	cr_expect(eq(int, WEXITSTATUS(status_of("exit 5")), 5));
	cr_expect(eq(int, WTERMSIG(status_of("kill -SEGV $$")), SIGSEGV));
	cr_expect(eq(int, WTERMSIG(status_of("kill -KILL $$")), SIGKILL));
	cr_expect(eq(int, WTERMSIG(status_of("kill -TERM $$")), SIGTERM));
	cr_expect(eq(int, WEXITSTATUS(status_of("sleep 1000 & exit 7")), 7));
}

/* All are of one user, so that nothing else keeps it from that. */
Test(harness_alone, sees_and_signals_nobody_else)
{
	struct process rival = start("exec sleep 1000", false);
	char script[200];

	snprintf(script, sizeof(script),
		 "kill -KILL %d 2>/dev/null && exit 1; [ -e /proc/%d ] && exit 2; exit 3",
		 (int)rival.pid, (int)rival.pid);
	cr_expect(eq(int, WEXITSTATUS(status_of(script)), 3));
	cr_expect(eq(int, process_wait_exit(&rival, now_ns() + SECOND / 50), PROCESS_TIMEOUT));
	process_kill(&rival);
}

Test(harness_alone, leaves_nobody_behind)
{
	status_of("setsid sh -c 'setsid sleep 1000 & sleep 1000' & exit 0");
	cr_expect(eq(uint, process_sweep(), 0u));
}

Test(harness_alone, ends_with_who_waits_for_it)
{
	struct process p = start("setsid sleep 1000 & exec sleep 1000", true);

	process_kill(&p);
	cr_expect(le(uint, process_sweep(), 1u), "the first inside is ours to reap, no other");
	cr_expect(eq(uint, process_sweep(), 0u));
}

/* What is asked what it is has no rights to look round with, and nothing that stays to do so. */
Test(harness_alone, asks_without_rights_and_leaves_nothing)
{
	char text[200], path[] = "/tmp/assay-alone-XXXXXX";
	char script[200];
	int fd = mkstemp(path);

	cr_assert(ge(int, fd, 0));
	snprintf(script, sizeof(script),
		 "setsid sleep 1000 & sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status; (echo x "
		 ">%s) 2>/dev/null",
		 path);
	cr_expect(ne(int, capture(script, text, sizeof(text)), 0));
	cr_expect(eq(str, text, "0000000000000002\n")); /* CAP_DAC_OVERRIDE */
	cr_expect(eq(uint, process_sweep(), 0u));
	cr_expect(zero(int, (int)lseek(fd, 0, SEEK_END)));
	cr_expect(zero(int, capture("echo x >here && cat here", text, sizeof(text))));
	cr_expect(eq(str, text, "x\n"), "a folder of its own");
	close(fd);
	unlink(path);
}

/* ---- control groups ---- */

static void list(const char *path, const pid_t *pids, size_t cnt)
{
	FILE *f = fopen(path, "we");

	cr_assert(ne(ptr, f, NULL));
	for (size_t i = 0; i < cnt; i++)
		fprintf(f, "%d\n", (int)pids[i]);
	fclose(f);
}

/* Its only child, which it says in a pipe. */
static pid_t child_of(const struct process *p)
{
	char path[64];
	pid_t child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)p->pid, (int)p->pid);
	for (uint64_t until = now_ns() + 10 * SECOND; !child && now_ns() < until;) {
		FILE *f = fopen(path, "re");

		if (f && fscanf(f, "%d", &child) != 1)
			child = 0;
		if (f)
			fclose(f);
	}
	cr_assert(gt(int, child, 0));
	return child;
}

Test(harness_alone, is_in_a_group_if_all_that_descend_from_it_are)
{
	char path[] = "/tmp/assay-group-XXXXXX";
	struct process p = start("sleep 1000 & wait", false);
	pid_t pids[] = {getpid(), p.pid, child_of(&p)};
	int fd = mkstemp(path);

	cr_assert(ge(int, fd, 0));
	list(path, pids, 3);
	cr_expect(process_in_group(&p, path));
	list(path, pids, 2);
	cr_expect(not(process_in_group(&p, path)), "its child has left");
	list(path, &pids[2], 1);
	cr_expect(not(process_in_group(&p, path)), "it has left");
	cr_expect(not(process_in_group(&p, "/no/such/file")));
	process_kill(&p);
	process_sweep();
	cr_expect(process_in_group(&p, path), "who has ended is in no list");
	close(fd);
	unlink(path);
}
