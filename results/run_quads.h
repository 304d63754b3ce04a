/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quads.json of a run: what was known of every mutation when the run was planned, and the funnel of
 * their certificates.
 *
 * The file is what `assay mutate list --json` prints (assay-mutation(5)), kept with the run, so
 * that its figures do not change with the tree. Immutable once loaded, owned by the caller.
 */
#ifndef ASSAY_RESULTS_RUN_QUADS_H
#define ASSAY_RESULTS_RUN_QUADS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/diag.h"

struct run_quad {
	const char *id, *class, *verdict;
	bool frozen; /* in the frozen list: in the denominator of detection */
};

/* One step of the certificates: how many passed it and all before it. */
struct run_step {
	const char *name;
	unsigned passed, none, unchecked;
};

struct run_quads {
	struct run_quad *v; /* by id */
	size_t cnt;
	struct run_step *steps; /* in the order in which they are taken */
	size_t step_cnt;
	unsigned written, certified, unverified, frozen;
	void *json; /* owns the strings */
};

/* A run without the file has none of them. -EINVAL where it is malformed, -ENOMEM. */
int run_quads_load(const char *run_dir, struct run_quads *ret, struct diag *d);
void run_quads_free(struct run_quads *q); /* fine on zeros */

/* NULL: it was not in the tree. */
const struct run_quad *run_quads_find(const struct run_quads *q, const char *id);

/* "ID-FORM" as variants are called: the length of ID, and *ret_form; 0: no variant. */
size_t run_variant_split(const char *variant, const char **ret_form);

/* The quad that a variant belongs to; NULL: none that is known. */
const struct run_quad *run_quads_of(const struct run_quads *q, const char *variant);

#endif
