/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a variant say what it is?
 *
 * Checks on the three forms of a quad, linked with one salt: no word of the benchmark's own (ids,
 * forms, folders, patch names) stands in a path, symbol, section, string, debug information or file
 * name; where symbols are preserved, symbols, sections and strings are the same in all three; and
 * what they show in /proc while they run is the same.
 */
#ifndef ASSAY_MUTATIONS_LEAKS_H
#define ASSAY_MUTATIONS_LEAKS_H

#include "lib/diag.h"
#include "mutations/house.h"
#include "mutations/image.h"
#include "mutations/record.h"

/* Words in one program, and debug information, which no program has that is run. -EPERM with the
 * word and where it stands. */
int leaks_scan(const struct house *h, const struct mutation *m, const char *program,
	       const struct image *image, struct diag *d);

/* The same for a build with debug information, names of folders aside: it says where it was made.
 */
int leaks_debug(const struct house *h, const struct mutation *m, const char *program,
		const struct image *image, struct diag *d);

/* The three together. -EPERM with what only one of them has. */
int leaks_compare(const struct mutation *m, const struct image images[FORM_CNT], struct diag *d);

/* What the running forms show (view.h): words, and lines that only one of them has. -EPERM. */
int leaks_shown(const struct house *h, const struct mutation *m,
		const struct name_list views[FORM_CNT], struct diag *d);

#endif
