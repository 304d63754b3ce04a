/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a suite's plan share. */
#ifndef ASSAY_HARNESS_SUITE_PARTS_H
#define ASSAY_HARNESS_SUITE_PARTS_H

#include "harness/suite.h"
#include "mutations/record.h"

struct filling {
	const struct suite *suite;
	const struct suite_options *o;
	struct programs *programs;
	struct plan *plan;
	struct diag *d;
};

/* Whether somebody named its path. */
bool suite_is_stranger(const struct filling *f, const struct profiler *p);

/* A cell of a workload as it is usually run. */
void suite_cell(const struct filling *f, const struct workload *w, enum cell_kind kind,
		uint64_t seed, struct cell *ret);

/* A join by each of the named profilers that are in the tree, from a recording; each is a copy of
 * *like, but for a binding that is not NULL. */
int suite_joins(struct filling *f, const struct cell *like, const char *const *names,
		const char *binding, const char *from);

/* A live cell for each profiler that the suite runs on the workload of *like, and for strangers;
 * each is a copy of *like. fits: which rows of the suite's table count; NULL: all. */
int suite_lives(struct filling *f, const struct cell *like,
		bool (*fits)(const struct suite_live *));

/* One form of a mutation, recorded and joined. */
int suite_variant(struct filling *f, const struct workload *w, const struct mutation *m,
		  enum form form, uint64_t seed);

/* Workloads that turn ill, and mutants that only look so (contracts §5.7). */
int suite_ill(struct filling *f, uint64_t seed);

/* A join by p, which the plan shall call `name`. */
int suite_join(struct filling *f, const struct cell *like, const struct profiler *p,
	       const char *name, const char *from);

/* Both versions of every acceptance case. */
int suite_acceptance(struct filling *f, uint64_t seed);

/* What watching costs. */
int suite_overhead(struct filling *f, uint64_t seed);

/* Recordings and live cells under regimes that apply while a cell runs. */
int suite_hard(struct filling *f, uint64_t seed);

#endif
