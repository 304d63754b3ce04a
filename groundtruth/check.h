/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of one truth_check, shared by its parts; private to groundtruth.
 *
 * Every part returns 0, -EINVAL with the first failure in the diag, or -ENOMEM.
 */
#ifndef ASSAY_GROUNDTRUTH_CHECK_H
#define ASSAY_GROUNDTRUTH_CHECK_H

#include "groundtruth/idmap.h"
#include "groundtruth/truth.h"

struct check {
	const struct truth *t;
	const char *path;
	struct diag *d;
	struct idmap threads; /* tid: place in t->threads */
	struct idmap ops;     /* id: index of the operation that began */
};

/* -EINVAL for a record: its line in the text form, and what is wrong. */
int check_fault(const struct check *x, enum truth_record r, size_t index, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int check_memory(const struct check *x);

int check_segments(const struct check *x); /* check_segments.c */
int check_lives(const struct check *x);	   /* check_lives.c */

#endif
