/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a stranger can read in a program: symbols, sections, words, code.
 *
 * Read with libelf. All lists are sorted and unique. The image owns its strings. Not thread-safe
 * while loading (libelf has one error).
 */
#ifndef ASSAY_MUTATIONS_IMAGE_H
#define ASSAY_MUTATIONS_IMAGE_H

#include <stdint.h>

#include "lib/diag.h"
#include "mutations/names.h"

struct image {
	struct name_list
		symbols; /* "static FUNC GLOBAL text pool_get": kind, binding, place, name */
	struct name_list sections; /* names; debug sections too */
	struct name_list words;	   /* printable strings of 5 characters or more in data, notes */
	uint64_t code;		   /* hash of the executable sections */
};

/* -EINVAL: no ELF file of this machine's class. *ret untouched on failure. */
int image_load(const char *path, struct image *ret, struct diag *d);
void image_free(struct image *m); /* fine on zeros */

#endif
