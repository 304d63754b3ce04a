/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run: a folder with a plan in it, and the loops over its cells.
 *
 * Cells that run a workload come one after the other. First plain recordings, beside which the
 * programs of the others are built at idle priority: their status says so. Then, when all are
 * built and nothing works beside them, what is timed, waits for storage, is made hard or watched
 * live. Joins of what was
 * recorded, which nobody times, come last, one a processor.
 */
#ifndef ASSAY_HARNESS_RUN_H
#define ASSAY_HARNESS_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/machine.h"
#include "harness/plan.h"
#include "harness/programs.h"
#include "harness/provenance.h"
#include "harness/trial.h"
#include "lib/diag.h"

struct run_options {
	const char *reference; /* folder of the stored runs */
	struct trial_limits limits;
	unsigned shard, shards; /* 1/1: everything */
	bool resume;		/* go on where cells have ended already */
	const char *suite;	/* for run.json; NULL: keep */
	bool goes_on;		/* the caller scores next: it tells run.json when all is done */
	/* Called before each cell and, with cell NULL, after the last; NULL is fine. seconds is
	 * what is estimated to be left. */
	void (*step)(void *arg, const struct cell *c, size_t done, size_t of, double seconds);
	void *arg;
	struct run_seconds *seconds; /* filled; NULL: nobody asks */
};

/* Absolute path of a run's folder from the path of its plan or of the folder; -ENOENT. */
int run_find(const char *path, char ret[PATH_LEN], struct diag *d);

/*
 * Makes every open cell of the shard and writes run.json before and after. -EEXIST: cells have
 * ended and resume was not asked for; -EINTR: interrupted, the run can be read and resumed; other
 * errors as runner_cell.
 */
int run_make(const char *run, const struct plan *p, struct programs *programs,
	     const struct machine *m, const struct run_options *o, struct diag *d);

#endif
