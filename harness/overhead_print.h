/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of an overhead cell as tables for the terminal. */
#ifndef ASSAY_HARNESS_OVERHEAD_PRINT_H
#define ASSAY_HARNESS_OVERHEAD_PRINT_H

#include <stdio.h>

#include "lib/diag.h"

/* path: an overhead.jsonl. -EINVAL, -ENOMEM. */
int overhead_print(const char *path, FILE *out, struct diag *d);

#endif
