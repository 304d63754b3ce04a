/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a cell runs and what its profiler is given: program, configuration, manifest.
 *
 * Programs (recipe.h) run in a folder whose name tells nothing. A recording keeps program and
 * manifest in its cell, for the joins that are made from it. Without the sources (an installed
 * command) there are no variants, and the base runs as it was built. Part of a struct making; not
 * thread-safe.
 */
#ifndef ASSAY_HARNESS_STAGE_H
#define ASSAY_HARNESS_STAGE_H

#include "harness/variant.h"

struct making;

struct stage {
	struct variant variant;
	bool built;		 /* the programs are the cell's own */
	char exe[PATH_LEN];	 /* the program that runs */
	char base[PATH_LEN];	 /* an earlier build of the base, "": nobody asks for it */
	char manifest[PATH_LEN]; /* bound as the cell says, "": none */
};

/*
 * Builds and binds for a cell that runs a workload. -EINVAL and the like with *d: the variant
 * cannot be made. bin: a fresh folder of the caller's.
 */
int stage_open(const struct making *m, const char *bin, struct stage *ret, struct diag *d);
void stage_free(struct stage *s); /* fine on zeros */

/* Keeps program, base and manifest in the folder of a cell, for joins. */
int stage_keep(const struct stage *s, const char *folder, struct diag *d);

/*
 * For a join: what the cell in `folder` kept, under neutral names in `work`; where it kept nothing,
 * the workload's own program.
 */
int stage_join(const struct making *m, const char *folder, const char *work, struct stage *ret,
	       struct diag *d);

/* Whether the variant that a cell names is there to be made; -ENOENT or -ENOTSUP with *d. */
int stage_check(const struct making *m, struct diag *d);

/* --exe, --manifest, --binding and, for those who may read the binary, --base: up to 8 words and
 * NULL at argv[at]. */
void stage_arguments(const struct stage *s, const char *binding, bool shows_base, char *argv[],
		     unsigned at);

#endif
