/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The suites: constant tables of what a plan contains, filled with what the tree holds.
 */
#ifndef ASSAY_HARNESS_SUITE_H
#define ASSAY_HARNESS_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/plan.h"
#include "harness/programs.h"

struct house;
struct mutation_list;

/* Who gets a live cell, and where. */
struct suite_live {
	const char *profiler;  /* SUITE_OTHERS: all that attach and have no row of their own */
	const char *const *on; /* workloads, NULL-terminated; NULL: all */
	unsigned op_percent;   /* of the suite's operations; 0: all of them */
};
#define SUITE_OTHERS "*"

/* What watching costs is measured of these, on these; NULL: of all that attach, on all workloads.
 */
struct suite_overhead {
	const char *const *profilers, *const *on;
	unsigned pairs, closed, ms; /* as the parameters of an overhead cell (runner.h) */
	bool bare;
};

/* Lists end with NULL; one that is NULL is empty. */
struct suite {
	const char *name, *summary;
	unsigned op_percent;	       /* of each workload's default operations */
	const char *const *joins;      /* who joins plain recordings; NULL: all that can */
	const struct suite_live *live; /* ends with a NULL profiler */
	const char *const *truth;      /* profilers made from truth */
	const char *const *quads;      /* profilers that join mutants and twins */
	const char *const *renamed;    /* that run live on quads which rename a symbol */
	const char *const *bound;      /* that also join them, and base, under the other bindings */
	const char *const *regimes; /* under which the same recordings are joined once more ... */
	const char *const *lossy;   /* ... by these */
	/* profilers that join workloads that turn ill. With them come mutants that only look so,
	 * for those who join quads */
	const char *const *ill;
	const struct suite_overhead *overhead; /* NULL: no cells of it */
	bool hard;	      /* regimes that apply while a cell runs, on a few workloads */
	bool every_lookalike; /* and not one a label and workload */
	unsigned classes;     /* one quad of each of so many classes at most */
	uint64_t quad_ops;    /* operations of each */
	bool unchanged;	      /* of unchanged workloads those with a manifest, by who joins quads */
	bool whole;	      /* all forms of all quads */
	/* nothing but the acceptance cases; quads and strangers read them */
	bool acceptance;
	bool overhead_only; /* nothing else */
};

extern const struct suite *const suites[]; /* NULL-terminated */

/* NULL and *d with a suggestion where there is none of that name. */
const struct suite *suite_find(const char *name, struct diag *d);

struct suite_options {
	uint64_t seeds;		      /* seeds 1 … seeds; a stored run is one seed */
	uint64_t ops;		      /* operations of each workload; 0: the suite's own */
	bool reference;		      /* take stored runs in place of recordings */
	const char *const *strangers; /* paths of more profilers, ending with NULL, or NULL */
	const struct house *house;    /* NULL: no sources, so no variants */
	const struct mutation_list *mutations; /* NULL where house is */
};

/* The suite's cells for this tree, in order: each recording, then what is made from it, then what
 * runs live, then variants. Workloads with a manifest are bound as stamped; `bound` profilers
 * join the same recordings under the other bindings, too. */
int suite_plan(const struct suite *s, struct programs *t, const struct suite_options *o,
	       struct plan *ret, struct diag *d);

#endif
