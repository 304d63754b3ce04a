/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a watcher and its workload come together, beside attaching (contracts §3): the watcher starts
 * the workload itself (wrap), or names variables to start it with (env). Parts of a trial; not
 * thread-safe.
 */
#ifndef ASSAY_HARNESS_TRIAL_LAUNCH_H
#define ASSAY_HARNESS_TRIAL_LAUNCH_H

#include "harness/trial.h"
#include "harness/trial_load.h"

enum { WATCHER_ARGS = 32 };

/* What a watcher is started as; argv is borrowed. */
void launch_watcher(const struct trial_spec *s, char *const argv[], struct process_spec *ret);

/* The words of `wrap`, then "--" and the workload's. false: they are too many. */
bool launch_wrap_argv(char *const watcher[WATCHER_ARGS], const struct load_arguments *load,
		      char *ret[WATCHER_ARGS + LOAD_ARGS]);

/* Waits until a descendant of the watcher runs the program. Else what happened. */
enum process_event launch_find(struct process *watcher, const char *exe, uint64_t deadline,
			       struct process *ret);

/* Variables for the workload; zeros: none. */
struct launch_env {
	char *v[PROCESS_MORE + 1];
	char *text; /* owns them */
};

/*
 * Runs `env` to its end. 0 with *ret; else negative errno with *d: -ETIMEDOUT, -EINTR, -EINVAL
 * where it printed what are no variables, -ECHILD where it failed, those of process_start.
 */
int launch_environment(const struct trial_spec *s, uint64_t deadline, struct launch_env *ret,
		       struct diag *d);
void launch_env_free(struct launch_env *e);

/* Lines NAME=VALUE, cut in place; blank lines mean nothing. -EINVAL with *d. */
int launch_env_parse(char *text, struct launch_env *ret, struct diag *d);

#endif
