/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sources of a workload in memory, and what was done to them as a unified diff.
 *
 * Names are those from the top of the tree. A set owns its texts; functions that change one leave
 * it as it was on failure. Not thread-safe: a diff is made by diff(1).
 */
#ifndef ASSAY_MUTATIONS_GENERATE_TEXTS_H
#define ASSAY_MUTATIONS_GENERATE_TEXTS_H

#include <stddef.h>

#include "lib/diag.h"
#include "mutations/house.h"

enum { TEXTS_MAX = 64, TEXT_NAME = 128 };

struct text {
	char name[TEXT_NAME];
	char *s;
};

struct texts {
	struct text v[TEXTS_MAX];
	unsigned cnt;
};

/* The .c and .h files of workloads/NAME. */
int texts_load(const struct house *h, const char *workload, struct texts *ret, struct diag *d);
int texts_copy(const struct texts *from, struct texts *ret, struct diag *d);
void texts_free(struct texts *t); /* fine on zeros */

/* Replaces len bytes at `at`. -ENOMEM. */
int text_splice(struct text *t, size_t at, size_t len, const char *with);

/* What leads from one text to the other, as patch(1) takes it with -p1; "" where nothing does. The
 * caller frees. */
int text_diff(const struct house *h, const char *name, const char *from, const char *to, char **ret,
	      struct diag *d);
/* The same for two sets of the same files. */
int texts_diff(const struct house *h, const struct texts *from, const struct texts *to, char **ret,
	       struct diag *d);

/* Printed text, the caller's to free; NULL: out of memory. */
char *text_printed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
