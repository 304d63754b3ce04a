/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The repaired manifest: the fourth part of a quad.
 *
 * It is kept as a patch of the manifest that holds for the base, so that whatever the manifest
 * gains the repair gains as well, and a change that the repair has to know of makes its patch fail.
 */
#ifndef ASSAY_MUTATIONS_REPAIR_H
#define ASSAY_MUTATIONS_REPAIR_H

#include "mutations/house.h"
#include "mutations/record.h"

/*
 * The manifest that holds for the base: the workload's own, or, of a mutation in a chain, that with
 * the repairs of those before it, made anew below h->variants. -EINVAL with *d where one of them
 * does not apply. Whether the workload has one is not looked at without a chain.
 */
int repair_start(const struct house *h, const struct mutation *m, const char *workload,
		 char ret[RECORD_PATH], struct diag *d);

/*
 * Makes folder/manifest.yaml, the manifest that holds for the mutant, and gives its path. The
 * folder is there. -EINVAL with *d where the patch does not apply. m names a repair.
 */
int repair_make(const struct house *h, const struct mutation *m, const char *workload,
		const char *folder, char ret[RECORD_PATH], struct diag *d);

#endif
