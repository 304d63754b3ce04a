/* SPDX-License-Identifier: BSD-2-Clause */
/* Compilers and patch programs as children. */
#include "mutations/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20 };

/* Names of files, times and words in what is made do not depend on who makes it. */
static char *const environment[] = {(char *)"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
					    "/usr/bin:/sbin:/bin",
				    (char *)"LC_ALL=C.UTF-8",
				    (char *)"SOURCE_DATE_EPOCH=0",
				    (char *)"TMPDIR=/tmp",
				    (char *)"HOME=/tmp",
				    NULL};

static const char *package_of(const char *program)
{
	static const struct {
		const char *program, *cure;
	} known[] = {
		{"spatch", "apt-get install coccinelle"}, {"patch", "apt-get install patch"},
		{"diff", "apt-get install diffutils"},	  {"gcc", "apt-get install gcc"},
		{"clang", "apt-get install clang"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].program, program))
			return known[i].cure;
	return NULL;
}

static int spawn(char *const *argv, const char *cwd, int out, pid_t *ret)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int err;

	sigemptyset(&none);
	sigfillset(&usual);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, out, 2);
	posix_spawn_file_actions_addclosefrom_np(&fa, 3);
	if (cwd)
		posix_spawn_file_actions_addchdir_np(&fa, cwd);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	err = posix_spawnp(ret, argv[0], &fa, &attr, argv, environment);
	if (err == ENOENT)
		err = ENOPKG; /* a program, not a file that somebody named */
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	return -err;
}

static int wait_for(pid_t pid, const char *program, struct diag *d)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return diag_set(d, -errno, program, 0, NULL, "cannot be waited for: %s",
					strerror(errno));
	if (WIFSIGNALED(status))
		return diag_set(d, -EINTR, program, 0, NULL, "killed by signal %d (%s)",
				WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}

static int take_text(int fd, char **ret)
{
	struct stat st;
	size_t len;
	char *text;

	if (fstat(fd, &st))
		return -errno;
	len = st.st_size > TEXT_MAX ? TEXT_MAX : (size_t)st.st_size;
	text = malloc(len + 1);
	if (!text)
		return -ENOMEM;
	if (pread(fd, text, len, 0) != (ssize_t)len) {
		free(text);
		return -EIO;
	}
	text[len] = '\0';
	*ret = text;
	return 0;
}

int tool_run(char *const *argv, const char *cwd, char **ret_text, struct diag *d)
{
	int out = memfd_create("out", MFD_CLOEXEC), rc;
	pid_t pid;

	if (out < 0)
		return diag_set(d, -errno, argv[0], 0, NULL, "no memory file: %s", strerror(errno));
	rc = spawn(argv, cwd, out, &pid);
	if (rc)
		diag_set(d, rc, argv[0], 0, package_of(argv[0]), "cannot be executed: %s",
			 strerror(-rc));
	else
		rc = wait_for(pid, argv[0], d);
	if (rc >= 0 && ret_text) {
		int err = take_text(out, ret_text);

		if (err)
			rc = diag_set(d, err, argv[0], 0, NULL, "its output cannot be read: %s",
				      strerror(-err));
	}
	close(out);
	return rc;
}

/* The line that says most: the first with the word error, else the last. */
static const char *telling_line(char *text)
{
	char *at = strstr(text, "error"), *end;
	size_t len = strlen(text);

	if (!at) {
		while (len && text[len - 1] == '\n')
			text[--len] = '\0';
		at = strrchr(text, '\n');
		return at ? at + 1 : text;
	}
	while (at > text && at[-1] != '\n')
		at--;
	end = strchr(at, '\n');
	if (end)
		*end = '\0';
	return at;
}

int tool_must(char *const *argv, const char *cwd, const char *cure, struct diag *d)
{
	char *text = NULL;
	int rc = tool_run(argv, cwd, &text, d);

	if (rc > 0)
		rc = diag_set(d, -EINVAL, argv[0], 0, cure, "%.400s", telling_line(text));
	free(text);
	return rc;
}

int tool_patch(const char *patch, const char *cwd, const char *cure, struct diag *d)
{
	char *argv[] = {(char *)"patch",
			(char *)"-p1",
			(char *)"--silent",
			(char *)"--fuzz=0",
			(char *)"--no-backup-if-mismatch",
			(char *)"--reject-file=-",
			(char *)"--input",
			(char *)patch,
			NULL};

	return tool_must(argv, cwd, cure, d);
}
