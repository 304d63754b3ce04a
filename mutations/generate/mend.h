/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manifests made right for a generated mutant, line by line: comments and order stay.
 *
 * Pure but for memory; -EINVAL where the manifest is not written as all are (a descriptor's keys
 * each on a line of their own, an invariant on one line).
 */
#ifndef ASSAY_MUTATIONS_GENERATE_MEND_H
#define ASSAY_MUTATIONS_GENERATE_MEND_H

#include <stdint.h>

#include "mutations/generate/template.h"

struct mending {
	enum repair how;
	const struct manifest *manifest;
	const uint32_t *ids; /* of the descriptors that are wrong */
	unsigned cnt;
	const char *symbol; /* REPAIR_SITE, REPAIR_SITES: of the sibling */
};

/* The text of the repaired manifest; the caller frees. */
int mend(const struct mending *m, const char *text, char **ret, struct diag *d);

/* "# job.space" behind a descriptor's unit_key. False: it has none. */
bool mend_member(const char *text, uint32_t id, char tag[OPERATOR_WORD],
		 char member[OPERATOR_WORD]);

#endif
