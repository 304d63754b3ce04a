/* SPDX-License-Identifier: BSD-2-Clause */
/* From a suite's name to a plan in a folder, for `plan` and `bench`. */
#ifndef ASSAY_HARNESS_PLANNING_H
#define ASSAY_HARNESS_PLANNING_H

#include "harness/command.h"
#include "harness/plan.h"
#include "harness/suite.h"
#include "lib/opts.h"

struct planning_args {
	uint64_t seeds, ops;	   /* 0: not asked for */
	bool stored;		   /* score stored runs even where recording works */
	struct opt_list profilers; /* paths of more profilers */
	bool alone;		   /* cells of these only */
	struct opt_list workloads; /* cells of these only; none: of all */
};

/* Rows of a table of options. */
#define PLANNING_OPTS(a)                                                                           \
	{"seeds", 0, OPT_COUNT, "N", "seeds 1 to N (1)", &(a).seeds, 1, 1000, NULL},               \
		{"ops",	   0, OPT_COUNT, "N", "operations of each run (the suite's own)",          \
		 &(a).ops, 1, 100000000, NULL},                                                    \
		{"stored",    0, OPT_FLAG, NULL, "score stored runs, record nothing",              \
		 &(a).stored, 0, 0,	   NULL},                                                  \
		{"workload",                                                                       \
		 0,                                                                                \
		 OPT_LIST,                                                                         \
		 "NAME",                                                                           \
		 "cells of this workload only; repeat for more",                                   \
		 &(a).workloads,                                                                   \
		 0,                                                                                \
		 0,                                                                                \
		 NULL},                                                                            \
		{"alone",    0, OPT_FLAG, NULL, "cells of those that --profiler names only",       \
		 &(a).alone, 0, 0,	  NULL},                                                   \
	{                                                                                          \
		"profiler", 0, OPT_LIST, "PATH", "one more profiler: a program of yours",          \
			&(a).profilers, 0, 0, NULL                                                 \
	}

/* The suite among the words of the command; -EINVAL and *d, which names all suites, where it is
 * missing. */
int planning_suite(int argc, int first, struct diag *d);

/* What contradicts itself: -EINVAL and *d for wrong usage. Before anything is looked at. */
int planning_check(const struct planning_args *a, struct diag *d);

/* A line on `out` where stored runs stand in and make a part of what was asked for empty. */
void planning_note(const struct workshop *w, const struct planning_args *a, FILE *out);

/* The plan; stored runs stand in where this machine cannot record. */
int planning_make(struct workshop *w, const char *suite, const struct planning_args *a,
		  struct plan *ret, struct diag *d);

/* Absolute path of the run's folder: `out`, made, or a new one under --results. */
int planning_folder(const char *out, const char *suite, char ret[PATH_LEN], struct diag *d);

/* plan.tsv and a first run.json; RESULTS/latest points there. -EEXIST where a plan is already. */
int planning_write(struct workshop *w, const char *run, const char *suite, const struct plan *p,
		   struct diag *d);

/* run.json is told that the run is finished: after the scores of a run that has all its cells. */
int planning_finish(struct workshop *w, const char *run, const struct plan *p, struct diag *d);

/* Prints; a name that does not exist is wrong usage. */
int planning_error(const struct diag *d);

#endif
