/* SPDX-License-Identifier: BSD-2-Clause */
/* The watcher of a run; whatever goes wrong is its fault. */
#include "harness/trial_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void trial_complain(struct trial *x, enum cell_state state, const char *cure, const char *what)
{
	x->r->watcher = state;
	diag_set(&x->r->complaint, -EINVAL, NULL, 0, cure, "%s", what);
	x->watched = false;
	process_kill(&x->watcher);
}

void trial_watcher_ended(struct trial *x, const char *when)
{
	char how[128], what[256];

	process_describe(&x->watcher, how, sizeof(how));
	snprintf(what, sizeof(what), "it ended before %s: %s", when, how);
	trial_complain(x, CELL_CRASHED, "the cell's log says more", what);
}

/* Starts the watcher with its descriptors; false: it cannot be, which is its fault, or *ret_err. */
bool trial_watcher_launch(struct trial *x, char *const argv[], int ready_fd, struct diag *d,
			  int *ret_err)
{
	struct process_spec p;
	int fd[2] = {-1, -1}, rc;

	if (x->s->launch.control && pipe2(fd, O_CLOEXEC)) {
		*ret_err = diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
		return false;
	}
	launch_watcher(x->s, argv, &p);
	p.extra_fd = ready_fd;
	p.control_fd = fd[0] < 0 ? 0 : fd[0];
	rc = process_start(&p, &x->watcher, &x->r->complaint);
	if (fd[0] >= 0)
		close(fd[0]);
	x->control = fd[1];
	x->watched = !rc;
	if (rc)
		x->r->watcher = CELL_CRASHED;
	return !rc;
}

static void watcher_ready(struct trial *x, int fd)
{
	char byte;

	switch (process_wait_readable(&x->watcher, fd, trial_deadline(x, 0))) {
	case PROCESS_READABLE:
		if (read(fd, &byte, 1) == 1)
			return;
		if (process_wait_exit(&x->watcher, trial_deadline(x, 0)) == PROCESS_TIMEOUT) {
			trial_complain(
				x, CELL_TIMEOUT, "write one byte to the ready descriptor",
				"it closed the ready descriptor and did not say that it is ready");
			return;
		}
		break;
	case PROCESS_EXITED:
		break;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return;
	default:
		trial_complain(x, CELL_TIMEOUT, "write one byte to the ready descriptor",
			       "it was not ready in time");
		return;
	}
	if (process_interrupted()) {
		x->gone = true;
		return;
	}
	trial_watcher_ended(x, "it was ready");
}

int trial_watcher_start(struct trial *x, void (*meanwhile)(struct trial *), struct diag *d)
{
	char *argv[WATCHER_ARGS];
	int fd[2], rc = 0;
	bool started;

	if (pipe2(fd, O_CLOEXEC))
		return diag_set(d, -errno, NULL, 0, NULL, "no pipe: %s", strerror(errno));
	x->s->watcher(x->s->arg, x->load.pid, argv);
	started = trial_watcher_launch(x, argv, fd[1], d, &rc);
	close(fd[1]);
	if (started && meanwhile)
		meanwhile(x);
	if (started)
		watcher_ready(x, fd[0]);
	close(fd[0]);
	return rc;
}

static void watcher_left(struct trial *x, const char *when)
{
	char how[128], what[256];
	const int status = x->watcher.status;
	const bool big = WIFSIGNALED(status) ? WTERMSIG(status) == SIGXFSZ
					     : WEXITSTATUS(status) == 128 + SIGXFSZ; /* a shell's */
	const bool well = WIFEXITED(status) && !WEXITSTATUS(status);

	process_describe(&x->watcher, how, sizeof(how));
	if (big)
		snprintf(what, sizeof(what), "it wrote a file larger than %llu bytes",
			 (unsigned long long)x->s->limits.file_bytes);
	else
		snprintf(what, sizeof(what), "%s: %s", when, how);
	trial_complain(x, CELL_CRASHED,
		       big    ? "write less, or raise --file-limit"
		       : well ? "wait for SIGINT, then write the claims and exit with 0"
			      : "the cell's log says more",
		       what);
}

/* Who may write to control groups could work outside and cost nothing. One that wraps has the
 * workload among its own. */
static bool has_left_group(const struct trial *x)
{
	const struct trial_meter *m = x->s->meter;

	return m && m->watcher_group && !trial_wraps(x) &&
	       !process_in_group(&x->watcher, m->watcher_group);
}

/* SIGINT: drain, write the claims, exit 0. Whoever wrapped the workload sees its end instead. */
void trial_watcher_drain(struct trial *x)
{
	if (!trial_wraps(x) && process_wait_exit(&x->watcher, 0) == PROCESS_EXITED) {
		watcher_left(x, "it ended before it was told to drain");
		return;
	}
	if (has_left_group(x)) {
		trial_complain(x, CELL_CRASHED, "stay in the control group that you are started in",
			       "it has left the control group by which its cost is told");
		return;
	}
	if (!trial_wraps(x))
		process_signal(&x->watcher, SIGINT);
	switch (process_wait_exit(&x->watcher, trial_deadline(x, 0))) {
	case PROCESS_EXITED:
		/* or one of its children would go on writing; what env began serves the workload */
		if (x->s->launch.how != LAUNCH_ENV)
			x->swept += process_sweep_but(&x->load);
		if (!WIFEXITED(x->watcher.status) || WEXITSTATUS(x->watcher.status))
			watcher_left(x, "it failed while it drained");
		return;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return;
	default:
		trial_complain(x, CELL_TIMEOUT, "exit within the time limit",
			       trial_wraps(x) ? "it did not end in time after what it had started"
					      : "it did not end in time after SIGINT");
	}
}
