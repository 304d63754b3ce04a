/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Acceptance cases: what public reports say that profilers got wrong, each as two versions of a
 * small program.
 *
 * A case is either quads whose records are tagged with its id (`acceptance: A1`), of which the base
 * is the first version and the mutant the second; or a workload in two settings, under two regimes
 * or with two kinds of handoff. A naive reference reads both: it has to be right on the first and
 * wrong on the second, in the way of the report. Bounds of a quad's reading are those of its
 * record. docs/acceptance.md has a page a case; a test compares the two.
 *
 * cases.json of a run says which of them it holds, so that what is read from the run later does
 * not change with the tree.
 */
#ifndef ASSAY_HARNESS_ACCEPTANCE_H
#define ASSAY_HARNESS_ACCEPTANCE_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/plan.h"

struct mutation;
struct mutation_list;

/* One version: how the workload runs, what is done to the evidence, and of which handoffs (a scope
 * of scores.csv) the reading is. */
struct acceptance_side {
	const char *setting; /* a word of acceptance_settings; "": as it usually runs */
	const char *regime, *scope;
};

enum { ACCEPTANCE_PARTS = 3 };

struct acceptance_case {
	const char *id, *class, *source;
	const char *changes; /* v1 -> v2, a phrase */
	const char *read;    /* what the naive reference counts, in the plural */
	const char *naive;   /* the reference: a profiler */
	const char *exposes; /* what shows it */
	/* Of those that are no quads: */
	const char *workload; /* NULL: quads */
	const char *level;    /* of matching: context, identity */
	bool idle;	      /* the fault needs a processor that has nothing to do */
	bool live;	      /* the reference attaches: it is no joiner */
	const char *control;  /* workload of the first version; NULL: the same */
	struct acceptance_side before;
	struct {
		const char *part; /* what tells it from others of the case, "" */
		struct acceptance_side side;
	} after[ACCEPTANCE_PARTS]; /* up to one without a scope */
};

extern const struct acceptance_case acceptance_cases[]; /* by number; ends with a NULL id */

/* Parameters of a cell in that setting, before those that it has anyway; NULL: no such setting. */
const char *acceptance_params(const char *setting);

/* A case that has that id; NULL. */
const struct acceptance_case *acceptance_find(const char *id);

/* What a cell of a workload in that setting has for a variant. */
void acceptance_variant(const char *setting, char ret[NAME_LEN]);

/* A quad of that case, in use. */
bool acceptance_is_of(const struct mutation *m, const struct acceptance_case *c);

/* Which cells of a plan are versions of which cases. l: what the tree holds,
 * or NULL. -EIO and the like. */
int acceptance_write(const struct mutation_list *l, const struct plan *p, FILE *out);

/* The table for the terminal; more: with what the case is about. */
void acceptance_print(const struct mutation_list *l, bool more);

#endif
