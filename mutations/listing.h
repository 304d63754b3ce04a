/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists beside the records: text, one entry a line; empty lines and those that begin with # are
 * none. Stateless, thread-safe. Negative errno with *d set.
 */
#ifndef ASSAY_MUTATIONS_LISTING_H
#define ASSAY_MUTATIONS_LISTING_H

#include <stdint.h>

#include "lib/diag.h"
#include "mutations/house.h"

/* Takes one entry, which it may write to; path and number are for errors. */
typedef int listing_take(void *list, char *line, const char *path, uint64_t number, struct diag *d);

/* Stops at the first error and returns it; what was taken before stays taken. */
int listing_each(const char *text, const char *path, listing_take *take, void *list,
		 struct diag *d);

/* SOURCE/mutations/NAME: where it is, and its text, the caller's to free; NULL: it is not there. */
int listing_read(const struct house *h, const char *name, char ret_path[RECORD_PATH],
		 char **ret_text, struct diag *d);

#endif
