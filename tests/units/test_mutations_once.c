/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that one of several processes makes. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"
#include "mutations/once.h"

static char folder[64], path[128], tally[128];

static void open_folder(void)
{
	strcpy(folder, "/tmp/once-XXXXXX");
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/it", folder);
	snprintf(tally, sizeof(tally), "%s/tally", folder);
}

static void close_folder(void)
{
	unlink(path);
	unlink(tally);
	cr_expect(!rmdir(folder), "something else is left in %s", folder);
}

TestSuite(once, .init = open_folder, .fini = close_folder);

/* Adds a byte to the tally, and takes long enough for others to come. */
static int make(void *arg, const char *part, struct diag *d)
{
	FILE *f = fopen(tally, "ae");

	(void)arg;
	cr_assert(f);
	fputc('x', f);
	fclose(f);
	cr_expect(access(path, F_OK), "it is there before it is whole");
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
	return file_write(part, "whole", 5, d);
}

static int fail(void *arg, const char *part, struct diag *d)
{
	(void)arg;
	(void)part;
	return diag_set(d, -EINVAL, NULL, 0, NULL, "no");
}

static size_t made(void)
{
	char *text;
	size_t len;

	cr_assert(!file_read(tally, 1 << 16, &text, &len, NULL));
	free(text);
	return len;
}

Test(once, makes_what_is_not_there)
{
	cr_expect(!make_once(path, make, NULL, NULL));
	cr_expect(!make_once(path, make, NULL, NULL));
	cr_expect(made() == 1);
	cr_expect(!access(path, R_OK));
}

Test(once, a_failure_is_handed_up_and_does_not_last)
{
	struct diag d = {0};

	cr_expect(make_once(path, fail, NULL, &d) == -EINVAL);
	cr_expect(access(path, F_OK) && d.err == -EINVAL);
	cr_expect(!make_once(path, make, NULL, &d));
	cr_expect(!access(path, R_OK));
}

Test(once, of_many_processes_one_makes_it)
{
	enum { MANY = 8 };
	pid_t pids[MANY];

	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(make_once(path, make, NULL, NULL) || access(path, R_OK));
	}
	for (int i = 0; i < MANY; i++) {
		int status;

		cr_assert(waitpid(pids[i], &status, 0) == pids[i]);
		cr_expect(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	cr_expect(made() == 1);
}

/* Of a process that is no more. */
static pid_t gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	return pid;
}

Test(once, removes_what_a_process_that_died_had_made_of_it_and_nothing_else)
{
	const pid_t dead = gone();
	char left[3][160];
	struct diag d;

	snprintf(left[0], sizeof(left[0]), "%s/%d.part.it", folder, (int)dead);
	snprintf(left[1], sizeof(left[1]), "%s/%d.part.other", folder, (int)dead);
	snprintf(left[2], sizeof(left[2]), "%s/%d.part.it", folder, (int)getppid());
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(file_write(left[i], "half", 4, &d), 0);
	cr_assert_eq(make_once(path, make, NULL, &d), 0);
	cr_expect(access(left[0], F_OK), "a dead process's part stays");
	for (size_t i = 1; i < 3; i++)
		cr_expect_eq(unlink(left[i]), 0, "%s", left[i]);
}
