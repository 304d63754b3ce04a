/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs of a cell are made from, and how.
 *
 * Base, mutant and twin are built alike: for the cell alone, with a salt that nobody else has.
 * Pure but for the files that it makes; not thread-safe.
 */
#ifndef ASSAY_HARNESS_RECIPE_H
#define ASSAY_HARNESS_RECIPE_H

#include "harness/plan.h"
#include "harness/variant.h"
#include "mutations/build.h"

struct recipe {
	struct mutation mutation; /* id "": none */
	enum form form;
	struct house house;
	bool has_sources; /* an installed command has none and runs the programs of its build */
};

/* What a cell may need: what runs, and what its profiler may have seen before, which is of the base
 * and of another salt. */
enum program { PROGRAM_NOW, PROGRAM_EARLIER };

/* What the cell's variant says; negative errno with *d: there is none such. */
int recipe_read(const struct programs *t, const struct cell *c, struct recipe *ret, struct diag *d);

static inline bool recipe_is_mutation(const struct recipe *r)
{
	return r->mutation.id[0];
}

bool recipe_is_bound(const struct cell *c);

/* Whether a cell of this form needs an earlier program. */
bool recipe_wants_earlier(struct programs *programs, const struct cell *c, enum form form);

/* The errors of build_variant. ret lies in a folder of its own, for recipe_move to take. */
int recipe_build(const struct recipe *r, const struct cell *c, enum program which,
		 char ret[RECORD_PATH], struct diag *d);
int recipe_move(const char *from, const char *to, struct diag *d);

#endif
