/* SPDX-License-Identifier: BSD-2-Clause */
/* How the workload of a run begins. */
#include "harness/trial_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "harness/trial_load.h"

/* The watcher starts the workload. */
static int wrap_load(struct trial *x, struct load_arguments *a, struct diag *d)
{
	char *words[WATCHER_ARGS], *argv[WATCHER_ARGS + LOAD_ARGS];
	int rc = 0;

	load_arguments_lend(a, x->channel ? channel_fd(x->channel) : -1, x->load_out);
	x->s->watcher(x->s->arg, 0, words);
	x->absent = true;
	if (!launch_wrap_argv(words, a, argv))
		return diag_set(d, -E2BIG, NULL, 0, NULL, "too many words for wrap");
	if (!trial_watcher_launch(x, argv, -1, d, &rc))
		return rc;
	switch (launch_find(&x->watcher, a->v[0], trial_deadline(x, 0), &x->load)) {
	case PROCESS_STOPPED:
		x->absent = false;
		break;
	case PROCESS_EXITED:
		trial_watcher_ended(x, "it started what stands behind --");
		break;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		break;
	default:
		trial_complain(x, CELL_TIMEOUT, "start the words behind -- as they are",
			       "it did not start what stands behind -- in time");
	}
	return 0;
}

/* Whatever the watcher wants in the workload's environment. */
int trial_learn_environment(struct trial *x, struct diag *d)
{
	int rc;

	if (!x->s->watcher || x->s->launch.how != LAUNCH_ENV)
		return 0;
	rc = launch_environment(x->s, trial_deadline(x, 0), &x->env, &x->r->complaint);
	if (rc == -EINTR)
		x->gone = true;
	else if (rc == -ENOMEM)
		return diag_set(d, rc, NULL, 0, NULL, "out of memory");
	else if (rc)
		x->r->watcher = rc == -ETIMEDOUT ? CELL_TIMEOUT : CELL_CRASHED;
	x->absent = rc;
	return 0;
}

/* Whether exec has taken it to its time namespace, as from Linux 6.1 on. */
static bool clock_is_own(pid_t pid)
{
	char path[64];
	struct stat its, ours;

	snprintf(path, sizeof(path), "/proc/%d/ns/time", (int)pid);
	return !stat(path, &its) && !stat("/proc/self/ns/time", &ours) && its.st_ino != ours.st_ino;
}

static void no_clock(struct trial *x)
{
	trial_broken(x, "Linux 6.1 or later", "the workload cannot have a clock of its own here");
	x->r->unsupported = true;
}

int trial_start_load(struct trial *x, struct diag *d)
{
	struct load_arguments a = {.cnt = 0};
	struct process_spec p = {.argv = a.v,
				 .cwd = x->s->data,
				 .more = x->env.v,
				 .err_fd = x->s->log_fd,
				 .extra_fd = x->channel ? channel_fd(x->channel) : -1,
				 .group = x->s->meter ? x->s->meter->load_group : NULL,
				 .cpus = x->s->meter ? x->s->meter->load_cpus : NULL,
				 /* or its /proc/PID/root would show what is hidden */
				 .own_mounts = x->s->veil != NULL,
				 .ahead_ns = x->s->truth ? x->s->truth->ahead_ns : 0,
				 .veil = x->s->veil};
	int rc = load_settings(x->s, x->settings, d);

	if (rc)
		return rc;
	x->load_out = memfd_create("out", MFD_CLOEXEC);
	if (x->load_out < 0)
		return diag_set(d, -errno, NULL, 0, NULL, "no memory file: %s", strerror(errno));
	p.out_fd = x->load_out;
	load_arguments(x->s, x->settings, &a);
	if (trial_wraps(x))
		return wrap_load(x, &a, d);
	if (process_start(&p, &x->load, &x->r->trouble))
		x->r->sound = false;
	else if (p.ahead_ns && !clock_is_own(x->load.pid))
		no_clock(x);
	return 0;
}
