/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program's functions take and give, from DWARF, and where its sites can be probed.
 *
 * A signature is "NAME RETURN(PARAMETER, …)" with types as they are written and the sizes of what
 * goes by value. Read with libdw from a program linked with debug information. Not thread-safe.
 */
#ifndef ASSAY_MUTATIONS_SIGNATURES_H
#define ASSAY_MUTATIONS_SIGNATURES_H

#include "lib/diag.h"
#include "lib/formats/manifest.h"
#include "mutations/names.h"

/* Of every function that is defined; sorted. -EINVAL: no debug information. */
int signatures_load(const char *path, struct name_list *ret, struct diag *d);

/*
 * The first signature that differs between functions of one name, NULL: none. *ret_cnt (may be
 * NULL): how many functions both have. A function that stands in one of them alone has nothing to
 * be compared with: symbols say whether it may.
 */
const char *signatures_differ(const struct name_list *a, const struct name_list *b,
			      size_t *ret_cnt);

/*
 * How each site of a manifest can be probed, "descriptor 3: pool_put+0, emulated" a place, or
 * "descriptor 3: none". Sorted.
 */
int attachability_load(const struct manifest *m, const char *exe, struct name_list *ret,
		       struct diag *d);

#endif
