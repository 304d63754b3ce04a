/* SPDX-License-Identifier: BSD-2-Clause */
/* Source files of a tree, in the order of their names. */
#ifndef ASSAY_MUTATIONS_FILES_H
#define ASSAY_MUTATIONS_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

enum { SOURCE_BYTES_MAX = 4 << 20 };

/*
 * Calls each(NAME) for every file TOP/FOLDER/X.c or X.h, where NAME is FOLDER/X.c and suffixes says
 * which ("ch", "c", "h"). Stops at the first error. A folder that is not there has no files.
 */
int each_source(const char *top, const char *folder, const char *suffixes,
		int (*each)(const char *name, void *arg, struct diag *d), void *arg,
		struct diag *d);

/* Adds the content of TOP/NAME, and the name, to a hash. */
int hash_source(const char *top, const char *name, uint64_t *h, struct diag *d);

/* The same for every file that each_source would name. */
int hash_sources(const char *top, const char *folder, const char *suffixes, uint64_t *h,
		 struct diag *d);

#endif
