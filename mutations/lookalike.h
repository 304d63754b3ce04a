/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of lookalikes: mutants of healthy programs that a stale manifest makes look ill.
 *
 * SOURCE/mutations/looks-like.list; one a line: "LABEL ID", a label of lib/vocab.h. Lines that
 * begin with # are comments. Plain data, owned by the caller.
 */
#ifndef ASSAY_MUTATIONS_LOOKALIKE_H
#define ASSAY_MUTATIONS_LOOKALIKE_H

#include <stddef.h>

#include "lib/diag.h"
#include "mutations/house.h"
#include "mutations/record.h"

struct lookalike {
	char id[RECORD_WORD];
	unsigned label; /* enum diagnosis */
};

struct lookalikes {
	struct lookalike *v; /* in the order of the file */
	size_t cnt;
};

/* A file that is not there is an empty list. -EINVAL with line and cure; *ret untouched then. */
int lookalikes_load(const struct house *h, struct lookalikes *ret, struct diag *d);
void lookalikes_free(struct lookalikes *l); /* fine on zeros */

/* The same from memory, exposed for tests. */
int lookalikes_parse(const char *text, const char *path, struct lookalikes *ret, struct diag *d);

/* What it looks like; 0: it is not in the list. */
unsigned lookalike_label(const struct lookalikes *l, const char *id);

#endif
