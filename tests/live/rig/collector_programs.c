/* SPDX-License-Identifier: BSD-2-Clause */
/* Profilers and the collector as programs, run by a test. */
#include "tests/live/rig/collector_programs.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[512]; /* of the programs */
static char work[] = "/tmp/assay-live.XXXXXX";

void programs_begin(const char *self)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "%s", self);
	snprintf(folder, sizeof(folder), "%s/../../profilers", dirname(buf));
	RIG_CHECK(mkdtemp(work), "%s", strerror(errno));
}

void programs_end(void)
{
	DIR *dir = opendir(work);
	struct dirent *e;

	RIG_CHECK(dir, "%s", work);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	rmdir(work);
}

char *programs_file(const char *name)
{
	static char paths[32][512];
	static unsigned next;
	char *path = paths[next++ % 32];

	snprintf(path, sizeof(paths[0]), "%s/%s", work, name);
	return path;
}

static pid_t start(const char *program, const char *const *args, const char *const *more)
{
	const char *all[2 * PROGRAM_ARGS] = {program};
	size_t cnt = 1;
	char path[600];
	pid_t pid = fork();

	if (pid)
		return pid;
	while (*args)
		all[cnt++] = *args++;
	while (more && *more)
		all[cnt++] = *more++;
	snprintf(path, sizeof(path), "%s/%s", folder, program);
	execv(path, (char *const *)all);
	_exit(127);
}

static void finish(const char *what, pid_t pid)
{
	int status;

	RIG_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		exit(77);
	RIG_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "%s: status %#x", what, status);
}

void programs_run(const char *program, const char *const args[PROGRAM_ARGS])
{
	finish(program, start(program, args, NULL));
}

/* It ends with the test if that ends before it says go. */
static pid_t start_child(const int go[2], void (*child)(void))
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(3);
	child();
	_exit(0);
}

void programs_watch(const char *program, const char *const args[PROGRAM_ARGS], void (*child)(void))
{
	char pid_word[16], ready_word[16], byte;
	const char *const more[] = {"--pid", pid_word, "--ready-fd", ready_word, NULL};
	int ready[2], go[2];
	pid_t load, watcher;

	RIG_CHECK(!pipe(ready) && !pipe(go), "pipe");
	load = start_child(go, child);
	snprintf(pid_word, sizeof(pid_word), "%d", load);
	snprintf(ready_word, sizeof(ready_word), "%d", ready[1]);
	watcher = start(program, args, more);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		finish(program, watcher); /* it says why */
	RIG_CHECK(write(go[1], "g", 1) == 1, "go");
	finish("the child", load);
	kill(watcher, SIGINT);
	finish(program, watcher);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
}

struct claims programs_claims(const char *path)
{
	struct claims c;
	struct diag d = {0};

	if (claims_load(path, &c, &d)) {
		diag_print(&d, stderr);
		exit(1);
	}
	return c;
}
