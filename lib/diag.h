/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What went wrong, on which object, and what the user can do about it.
 *
 * Library code never prints. It fills a struct diag and returns a negative errno; the command
 * reports once. A diag is plain data, owned by the caller, and safe to copy. All functions take
 * NULL for the diag and then only return the error.
 */
#ifndef ASSAY_LIB_DIAG_H
#define ASSAY_LIB_DIAG_H

#include <stdint.h>
#include <stdio.h>

struct diag {
	int err;	  /* negative errno, 0: nothing set */
	char file[512];	  /* object that failed: a path, or "" */
	uint64_t line;	  /* 1-based line of a text file, 0: none */
	char reason[512]; /* one sentence, no full stop */
	char cure[256];	  /* what the user can do, or "" */
};

/* Sets the whole diag; returns err. line 0 means no line. cure may be NULL. */
int diag_set(struct diag *d, int err, const char *file, uint64_t line, const char *cure,
	     const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* "assay: FILE:LINE: REASON\n       try: CURE\n" on out. */
void diag_print(const struct diag *d, FILE *out);

#endif
