/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one run of a workload holds open, and the parts of it: for trial.c and its parts alone.
 *
 * A part says by `gone` that it was interrupted, by `sound` of the result that the workload failed,
 * by `watched` or `absent` that the watcher did; it returns an error only where the harness itself
 * cannot go on. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_TRIAL_SESSION_H
#define ASSAY_HARNESS_TRIAL_SESSION_H

#include "groundtruth/channel.h"
#include "harness/calibration.h"
#include "harness/cost_watch.h"
#include "harness/folder.h"
#include "harness/machine.h"
#include "harness/regime_live.h"
#include "harness/trial.h"
#include "harness/trial_launch.h"

struct trial {
	const struct trial_spec *s;
	struct trial_result *r;
	struct channel *channel;
	struct process load, watcher;
	struct pressure *pressure; /* NULL: none */
	uint64_t contended;	   /* since when hogs beside it keep it from CPUs; 0: none do */
	int load_out;		   /* memfd: what the workload prints */
	int control;		   /* writing end of the control descriptor; -1: none */
	struct launch_env env;	   /* of the workload, as the watcher wants it */
	char settings[PATH_LEN];
	unsigned swept; /* processes that the watcher left when it had written its claims */
	bool watched;	/* the watcher is there and has not failed */
	bool gone;	/* interrupted */
	bool absent;	/* the workload never began, by the watcher's fault */
	uint64_t work_items[CALIBRATION_MOST];
	size_t work_items_cnt; /* 0: not learned */
	struct cost_watch cost;
	bool costed;		   /* costs are watched, where anybody may and can */
	struct machine_ticks went; /* when it went on */
};

static inline uint64_t trial_deadline(const struct trial *x, uint64_t more_ns)
{
	return now_ns() + x->s->limits.patience_ns + more_ns;
}

static inline bool trial_wraps(const struct trial *x)
{
	return x->s->watcher && x->s->launch.how == LAUNCH_WRAP;
}

/* ---- starting (trial_start.c); 0 or negative errno with *d ---- */

/* Whatever the watcher wants in the workload's environment. */
int trial_learn_environment(struct trial *x, struct diag *d);
int trial_start_load(struct trial *x, struct diag *d);

/* ---- the workload (trial_workload.c); false where it did not do so ---- */

/* Charges the workload; -EINVAL. */
int trial_broken(struct trial *x, const char *cure, const char *what);
bool trial_load_stops(struct trial *x, uint64_t deadline, const char *when);
bool trial_load_ends(struct trial *x);
/* Lets it work for so long. */
bool trial_goes_on(struct trial *x, uint64_t ns, const char *before);
/* From its start to its first stop. */
bool trial_calibrate(struct trial *x);

/* ---- the watcher (trial_watcher.c) ---- */

/* Charges the watcher, and ends it. */
void trial_complain(struct trial *x, enum cell_state state, const char *cure, const char *what);
void trial_watcher_ended(struct trial *x, const char *when);
/* Starts the program; false: it cannot be started, which is its fault, or *ret_err. */
bool trial_watcher_launch(struct trial *x, char *const argv[], int ready_fd, struct diag *d,
			  int *ret_err);
/* Starts it and waits until it is ready; between the two it calls `meanwhile`, if there is one. 0
 * or negative errno with *d. */
int trial_watcher_start(struct trial *x, void (*meanwhile)(struct trial *), struct diag *d);
void trial_watcher_drain(struct trial *x);

/* ---- what is left (trial_collect.c); 0 or negative errno with *d ---- */

int trial_make_channel(struct trial *x, struct diag *d);
int trial_write_load(struct trial *x, struct diag *d);
int trial_collect(struct trial *x, struct diag *d);

#endif
