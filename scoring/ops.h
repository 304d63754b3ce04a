/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of truth: found by id, and what of them is scored.
 *
 * An operation is scored if its begin and, where there is one, its end record lie in `scored`.
 * Its wall time is known to lie in [end.t0 − begin.t1, end.t1 − begin.t0] (contracts §5.3), whose
 * lower bound, and even whose middle, is negative where the two windows overlap.
 */
#ifndef ASSAY_SCORING_OPS_H
#define ASSAY_SCORING_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"

struct op_index {
	struct op_id {
		uint64_t id;
		uint32_t i;
	} * v; /* by id */
	size_t cnt;
};

int op_index_make(const struct truth *t, struct op_index *ret); /* -ENOMEM */
void op_index_free(struct op_index *x);
uint32_t op_index_find(const struct op_index *x, uint64_t id); /* or SCOPE_NONE */

bool op_scored(const struct truth *t, const struct truth_op *op);

/* Scored and ended: ns; false and untouched results otherwise. */
bool op_wall(const struct truth *t, const struct truth_op *op, long double *ret_lo,
	     long double *ret_hi);

#endif
