/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many kinds of cost and profile, labels of diagnoses and descriptors of events a file names.
 *
 * Each has lines of its own in every table of scores, so that one file with a million of them would
 * bury the figures of all others. CLAIMS_VARIETY of each sort are far more than anybody has to say.
 */
#ifndef ASSAY_LIB_FORMATS_CLAIMS_VARIETY_H
#define ASSAY_LIB_FORMATS_CLAIMS_VARIETY_H

#include <stdint.h>

#include "lib/formats/claims.h"
#include "lib/formats/claims_fields.h"

enum { CLAIMS_VARIETY = 1000 };

/* A set of numbers; as many again are free, so that a look-up stays short. */
struct few {
	uint64_t v[2 * CLAIMS_VARIETY + 48]; /* number + 1; 0: free */
	unsigned cnt;
};

/* All zero at first. */
struct claims_variety {
	struct few kinds, labels, descs;
};

const struct claim_fault *claims_variety_add(struct claims_variety *s, const struct claim *c);

/* Takes the next claim of a file; what is wrong then, or NULL. Handoffs, of which there are many,
 * name nothing. */
static inline const struct claim_fault *claims_variety_take(struct claims_variety *s,
							    const struct claim *c)
{
	return c->kind == CLAIM_HANDOFF ? NULL : claims_variety_add(s, c);
}

#endif
