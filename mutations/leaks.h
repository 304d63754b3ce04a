/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a variant say what it is?
 *
 * Two checks on the three forms of a quad, linked with one salt: no word of the benchmark's own
 * (ids, forms, folders, patch names) stands in a path, symbol, section, string or file name; and
 * where symbols are preserved, symbols, sections and strings are the same in all three.
 */
#ifndef ASSAY_MUTATIONS_LEAKS_H
#define ASSAY_MUTATIONS_LEAKS_H

#include "lib/diag.h"
#include "mutations/house.h"
#include "mutations/image.h"
#include "mutations/record.h"

/* Words in one program. -EPERM with the word and where it stands. */
int leaks_scan(const struct house *h, const struct mutation *m, const char *program,
	       const struct image *image, struct diag *d);

/* The three together. -EPERM with what only one of them has. */
int leaks_compare(const struct mutation *m, const struct image images[FORM_CNT], struct diag *d);

#endif
