/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bag of texts, printed sorted, with equal ones counted; private to groundtruth.
 *
 * A zeroed struct is an empty bag; it may be emptied and filled again without freeing. Running out
 * of memory sticks in err and is the caller's to ask for.
 */
#ifndef ASSAY_GROUNDTRUTH_LINESET_H
#define ASSAY_GROUNDTRUTH_LINESET_H

#include <stddef.h>
#include <stdio.h>

struct lineset {
	char *bytes; /* texts with their NULs; the last is open until lineset_next */
	size_t len, cap;
	size_t *starts;
	size_t cnt, starts_cap;
	int err; /* 0 or -ENOMEM */
};

/* Adds to the open text. */
void lineset_add(struct lineset *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Ends the open text. */
void lineset_next(struct lineset *s);
void lineset_clear(struct lineset *s);
void lineset_free(struct lineset *s);

/* Calls fn with every distinct text, in strcmp order, and how often it is there. */
void lineset_each(struct lineset *s, void (*fn)(const char *text, size_t cnt, void *arg),
		  void *arg);

#endif
