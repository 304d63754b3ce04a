/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One cell outside of any run: for `record` and `join`.
 *
 * A run with that cell is made in a hidden folder beside the place where its results go, so that
 * they can be renamed there and a full disk is noticed where it matters; it is removed at the end.
 */
#ifndef ASSAY_HARNESS_SINGLE_H
#define ASSAY_HARNESS_SINGLE_H

#include <stdio.h>

#include "harness/folder.h"
#include "harness/machine.h"
#include "harness/plan.h"
#include "harness/programs.h"
#include "harness/trial.h"
#include "lib/diag.h"

enum { SINGLE_FILES = 2 };

struct single {
	char run[PATH_LEN]; /* the hidden folder, absolute */
	struct plan plan;
	struct cell_status status; /* of the cell, after single_make */
	/* What the user calls files whose names below run begin so; shown NULL: none. */
	struct {
		const char *name, *shown;
	} files[SINGLE_FILES];
};

/* near: a path whose folder the hidden one goes into. Removes what killed commands left there. */
int single_open(struct single *s, const char *near, struct diag *d);

/* A recording of a workload as it was built, without parameters. */
void single_recording(const char *workload, uint64_t seed, struct cell *ret);

/* A run of a workload as it is usually run, beside a profiler. name: as given, a name or a path. */
void single_live(const struct workload *w, const struct profiler *p, const char *name,
		 uint64_t seed, uint64_t ops, struct cell *ret);

/* What a join is made from; all but evidence may be NULL. */
struct single_evidence {
	const char *evidence, *manifest, *exe;
};

/* Plans a finished recording that holds these files, and a join of it by that profiler. */
int single_plan_join(struct single *s, const char *profiler, const struct single_evidence *e,
		     struct diag *d);

/* A path of the last cell's folder: its truth.bin, claims.bin and so on. */
int single_path(const struct single *s, const char *name, char ret[PATH_LEN], struct diag *d);

/* Makes the last cell of s->plan. more: how, besides (NULL: as always); its folders, programs and
 * limits are set here. */
struct runner;
int single_make_with(struct single *s, struct programs *programs, const struct machine *m,
		     const struct trial_limits *limits, const struct runner *more, struct diag *d);
int single_make(struct single *s, struct programs *programs, const struct machine *m,
		const struct trial_limits *limits, struct diag *d);

/* Moves a file of the cell to `to`. */
int single_take(const struct single *s, const char *name, const char *to, struct diag *d);

/* Moves the whole folder of the cell to `to`, in place of what is there. */
int single_keep(const struct single *s, const char *to, struct diag *d);

/* Why the cell ended as it did, with its log and in terms of the user's files; and what to do about
 * it, "" where that is to read the log. */
void single_explain(const struct single *s, FILE *out);
const char *single_cure(const struct single *s);

/* Both, as an error of the command. */
void single_report(const struct single *s, FILE *out);

void single_close(struct single *s);

#endif
