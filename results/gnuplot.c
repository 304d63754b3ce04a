/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts gnuplot and reports how it ended. */
#include "results/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawn(const char *dir, const char *script, pid_t *ret)
{
	char *argv[] = {"gnuplot", "-d", (char *)script, NULL};
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, 2, "gnuplot.log",
						       O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (!err)
		err = posix_spawnp(ret, "gnuplot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int made_something(const char *dir, const char *name)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s.svg", dir, name);
	if (!stat(path, &st) && st.st_size > 0)
		return 1;
	unlink(path);
	return 0;
}

static void forget(const char *dir, const char *file)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	unlink(path);
}

int gnuplot_run(const char *dir, const char *name, char *trouble, size_t len)
{
	char script[256], svg[256];
	pid_t pid;
	int err;

	snprintf(script, sizeof(script), "%s.gp", name);
	snprintf(svg, sizeof(svg), "%s.svg", name);
	forget(dir, svg);
	err = spawn(dir, script, &pid);
	if (err == ENOENT) {
		snprintf(trouble, len,
			 "gnuplot is not installed; with it (Debian: gnuplot-nox) "
			 "the report has plots");
		forget(dir, "gnuplot.log");
		return -1;
	}
	if (err || wait_for(pid) || !made_something(dir, name)) {
		snprintf(trouble, len,
			 "gnuplot could not draw plots/%s; plots/gnuplot.log says why", script);
		forget(dir, svg);
		return -1;
	}
	forget(dir, "gnuplot.log");
	return 0;
}
