/* SPDX-License-Identifier: BSD-2-Clause */
/* Three processes: one waits outside, one is the first inside, one becomes the program. */
#include "harness/alone.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/close_range.h>

/* What is open here would keep pipes from ending. */
static void keep_only(int fd)
{
	if (fd)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
}

static bool wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(-1, status, 0); /* whoever has lost its parent comes here */
	while (got > 0 ? got != pid : errno == EINTR);
	return got == pid;
}

/* Ends as the program did; where that is not known, as one that was killed. */
static _Noreturn void stay_outside(pid_t inside, int fd)
{
	int status = SIGKILL, how;

	keep_only(fd);
	wait_for(inside, &how);
	if (read(fd, &status, sizeof(status)) != (ssize_t)sizeof(status))
		status = SIGKILL;
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	kill(getpid(), WTERMSIG(status));
	_exit(127);
}

/* With it all that is inside ends. */
static _Noreturn void be_first(pid_t program, int fd)
{
	int status;

	keep_only(fd);
	if (wait_for(program, &status) && write(fd, &status, sizeof(status)) < 0)
		_exit(1);
	_exit(0);
}

/* It dies with who waits outside, who may have gone before it could say so. */
static void die_with_parent(int fd)
{
	struct pollfd p = {.fd = fd};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (poll(&p, 1, 0) > 0)
		_exit(1);
}

static int go_inside(int fd)
{
	pid_t pid;
	int rc = 0;

	die_with_parent(fd);
	if (mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		rc = -errno;
	pid = fork();
	if (pid > 0)
		be_first(pid, fd);
	close(fd);
	if (pid < 0)
		_exit(1);
	setpgid(0, 0);
	return rc;
}

int alone_enter(void)
{
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	if (unshare(CLONE_NEWPID)) {
		int err = -errno;

		close(fd[0]);
		close(fd[1]);
		return err;
	}
	pid = fork();
	if (pid < 0)
		_exit(127);
	if (pid) {
		close(fd[1]);
		stay_outside(pid, fd[0]);
	}
	close(fd[0]);
	return go_inside(fd[1]);
}
