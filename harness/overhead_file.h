/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overhead.jsonl: the figures of an overhead cell, one a line: metric, scope, value (null: none),
 * lo and hi where there is an interval, n. What `assay overhead --json` prints.
 */
#ifndef ASSAY_HARNESS_OVERHEAD_FILE_H
#define ASSAY_HARNESS_OVERHEAD_FILE_H

#include <stdio.h>

#include "lib/diag.h"
#include "scoring/overhead.h"

#define OVERHEAD_FILE "overhead.jsonl"

void overhead_file_put(const struct overhead_figure *f, FILE *out);

int overhead_file_write(const struct overhead *o, const char *path, struct diag *d);

/* Calls fn for each line; its strings live until it returns, and what it returns other than 0 ends
 * the reading and is returned. -EINVAL with file and line. */
int overhead_file_read(const char *path, int (*fn)(const struct overhead_figure *f, void *arg),
		       void *arg, struct diag *d);

#endif
