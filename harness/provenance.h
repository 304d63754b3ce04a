/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.json: by what, on what and how a run was made, and what was left out.
 *
 * Written when a run is planned, when it starts and when it ends; suite and the first start are
 * kept from the file that is already there.
 */
#ifndef ASSAY_HARNESS_PROVENANCE_H
#define ASSAY_HARNESS_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/machine.h"
#include "harness/plan.h"
#include "harness/programs.h"
#include "harness/trial.h"
#include "lib/diag.h"

/* What the parts of a run took (run.h); runs: but for what they waited for others. */
struct run_seconds {
	double programs, runs, joins;
};

struct provenance {
	const char *run;   /* folder */
	const char *suite; /* NULL: as the file says, else "" */
	const struct plan *plan;
	const struct programs *programs;
	const struct machine *machine;
	const struct trial_limits *limits;
	bool started, finished; /* stamp the time now */
	/* Added to what earlier makers of this run's cells took; NULL: nothing. */
	const struct run_seconds *seconds;
};

int provenance_write(const struct provenance *p, struct diag *d);

/* Now in UTC, ISO 8601, and the processor's name. */
enum { STAMP_LEN = 32 };
void provenance_stamp(char ret[STAMP_LEN]);
void provenance_cpu(char *ret, size_t len);

/* The suite that run.json names, "" where there is none; ret has NAME_LEN bytes. */
void provenance_suite(const char *run, char *ret);

/* The name of a run: the last part of its folder. */
const char *provenance_run_name(const char *run);

/* Hex build-id of an ELF file; -ENOENT where it has none or is no ELF file. */
int build_id(const char *path, char ret[64]);

/* One line a thing that could not be made here: what, why, cure. */
struct skip {
	char what[128], why[512], cure[256];
	unsigned cells;
};

/* Unsupported cells grouped by profiler and reason, and beside how many cells programs were built,
 * at idle priority: what the status of all cells says. v is the caller's to free. */
struct skips {
	struct skip *v;
	size_t cnt;
	uint64_t beside_builds;
};

int skips_collect(const char *run, const struct plan *p, const struct machine *m, struct skips *ret,
		  struct diag *d);

#endif
