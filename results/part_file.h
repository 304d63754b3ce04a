/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text file that appears whole or not at all: written as PATH.part, renamed when complete.
 *
 * Not thread-safe. The struct owns its stream and its names until commit or abort, and both leave
 * it empty. Write errors need no check on the way: commit sees them, a full disk included.
 */
#ifndef ASSAY_RESULTS_PART_FILE_H
#define ASSAY_RESULTS_PART_FILE_H

#include <stdio.h>

#include "lib/diag.h"

struct part_file {
	FILE *f;
	char *path, *part;
};

int part_file_open(struct part_file *p, const char *path, struct diag *d);

/* Flushes, syncs and renames. On failure PATH is untouched and PATH.part is gone. */
int part_file_commit(struct part_file *p, struct diag *d);

/* Removes what was written. Fine on a struct of zeros. */
void part_file_abort(struct part_file *p);

#endif
