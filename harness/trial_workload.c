/* SPDX-License-Identifier: BSD-2-Clause */
/* The workload of a run, from stop to stop; whatever goes wrong makes the run broken. */
#include "harness/trial_session.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

enum { EXIT_UNSUPPORTED = 77 };

int trial_broken(struct trial *x, const char *cure, const char *what)
{
	x->r->sound = false;
	return diag_set(&x->r->trouble, -EINVAL, x->s->workload->path, 0, cure, "%s", what);
}

/* Waits for one of the two stops; anything else makes the run broken. */
bool trial_load_stops(struct trial *x, uint64_t deadline, const char *when)
{
	char how[128], what[256];

	switch (process_wait(&x->load, deadline)) {
	case PROCESS_STOPPED:
		return true;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload ended %s: %s", when, how);
		x->r->unsupported = WIFEXITED(x->load.status) &&
				    WEXITSTATUS(x->load.status) == EXIT_UNSUPPORTED;
		trial_broken(x, "the cell's log says more", what);
		return false;
	default:
		snprintf(what, sizeof(what), "the workload did not stop in time %s", when);
		trial_broken(x, "give it longer with --time-limit", what);
		return false;
	}
}

bool trial_load_ends(struct trial *x)
{
	char how[128], what[256];

	process_continue(&x->load);
	switch (process_wait_exit(&x->load, trial_deadline(x, 0))) {
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		if (WIFEXITED(x->load.status) && !WEXITSTATUS(x->load.status))
			return true;
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload failed at its end: %s", how);
		trial_broken(x, "the cell's log says more", what);
		return false;
	default:
		trial_broken(x, "give it longer with --time-limit",
			     "the workload did not end in time");
		return false;
	}
}

/* Lets the workload work alone for a while; false where it did not. */
bool trial_goes_on(struct trial *x, uint64_t ns, const char *before)
{
	char how[128], what[256];

	switch (process_wait(&x->load, now_ns() + ns)) {
	case PROCESS_TIMEOUT:
		return true;
	case PROCESS_INTERRUPTED:
		x->gone = true;
		return false;
	case PROCESS_EXITED:
		process_describe(&x->load, how, sizeof(how));
		snprintf(what, sizeof(what), "the workload ended before %s: %s", before, how);
		trial_broken(x, "the cell's log says more", what);
		return false;
	default:
		snprintf(what, sizeof(what), "the run was over before %s", before);
		trial_broken(x, "give it more operations", what);
		return false;
	}
}

/* Where it cannot be done, or fails, truth lacks those keys, and the log says why. */
bool trial_calibrate(struct trial *x)
{
	struct calibration *c = NULL;
	struct diag why = {0};
	bool good = trial_load_stops(x, trial_deadline(x, 0), "before its calibration");
	int rc = good ? calibration_open(x->load.pid, &c, &why) : 0;

	if (good) {
		process_continue(&x->load);
		good = trial_load_stops(x, trial_deadline(x, 0), "in its calibration");
	}
	if (good && !rc)
		rc = calibration_read(c, x->work_items, &x->work_items_cnt, &why);
	if (rc)
		dprintf(x->s->log_fd, "truth has no key 'work' here: %s\n", why.reason);
	calibration_free(c);
	return good;
}
