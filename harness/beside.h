/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector beside a profiler under test: its evidence says what went on where no truth does.
 *
 * It is started before the profiler, while the workload stands still, and has written all before
 * the profiler is told to drain; nobody but the harness can see what it writes meanwhile (veil.h).
 * Whatever becomes of it in between is nobody's error: then there is no evidence. One that a trial
 * leaves running is swept with all else. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_BESIDE_H
#define ASSAY_HARNESS_BESIDE_H

#include <stdbool.h>

#include "harness/process.h"
#include "harness/trial.h"

struct beside {
	const char *folder; /* that it works in */
	const struct trial_limits *limits;
	int log_fd;
	struct process collector;
	bool runs;
};

/* Starts it and waits until it is ready. 0 or negative errno with *d. */
int beside_start(struct beside *b, char *const argv[], struct diag *d);

/* Ends it; what it wrote is whole, or gone. path: of its evidence. -EINTR. */
int beside_end(struct beside *b, const char *path, struct diag *d);

#endif
