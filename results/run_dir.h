/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's folder as the report needs it: run.json, plan.tsv and the state of every cell.
 *
 * Loading refuses a run that does not reconcile: every planned cell must have ended in exactly one
 * of the six states (contracts §5.8). Everything is immutable once loaded and owned by the struct.
 */
#ifndef ASSAY_RESULTS_RUN_DIR_H
#define ASSAY_RESULTS_RUN_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

enum cell_state {
	CELL_OK = 0,
	CELL_UNSUPPORTED = 1,
	CELL_INVALID = 2,
	CELL_BROKEN = 3,
	CELL_TIMEOUT = 4,
	CELL_CRASHED = 5,
	CELL_STATE_CNT = 6,
};

const char *cell_state_name(unsigned state);
int cell_state_parse(const char *word); /* -1: no state */

struct run_cell {
	const char *cell, *kind, *workload, *variant, *profiler, *division, *regime, *binding;
	const char *from, *params;
	uint64_t seed;
	enum cell_state state;
	const char *reason, *cure, *log; /* log: path inside the cell's folder */
	double seconds;
	double idle; /* share of all processors' time in its run; negative: none, or not known */
	unsigned broken_tries; /* runs that only the profiler's presence broke */
	bool redated;	       /* its doubts were not upheld when they are dated */
	bool undated;	       /* whether they are could not be asked */
	bool beside_builds;    /* programs of others were built beside its run, at idle priority */
};

struct run_skip {
	const char *what, *why, *cure;
};

struct run_tool {
	const char *name, *version;
};

/* Strings of run.json that are missing there are "". */
struct run_dir {
	char *path;
	char *json; /* run.json whole, indented, in its own order */
	const char *run, *suite, *started, *finished, *host, *kernel, *cpu;
	const char *stored; /* "KERNEL at DATE" of the stored runs that were scored, "": none */
	uint64_t cpus;
	uint64_t *seeds; /* the plan's, ascending, each once */
	size_t seed_cnt;
	struct run_tool *tools;
	size_t tool_cnt;
	struct run_skip *skips;
	size_t skip_cnt;
	struct run_cell *cells; /* in the plan's order */
	size_t cell_cnt;
	size_t counts[CELL_STATE_CNT];
	struct strtab *words; /* owns every string above but path and json */
};

/*
 * -ENOENT where a file is missing, -EINVAL where one is malformed or where planned cells are
 * without a state: the diag names the first of them and says how many there are.
 */
int run_dir_load(const char *path, struct run_dir **ret, struct diag *d);
void run_dir_free(struct run_dir *r);

#endif
