/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a patch may not touch: truth (contracts §2).
 *
 * A patch may not add, change or remove a line that records, nor any line of a function that does,
 * nor any file of the driver, nor a workload's watch.c (what looks at the state of objects for
 * truth). It may add, move or drop calls of helpers that record elsewhere. It
 * is judged by what it did: the sources before and after. Pure.
 */
#ifndef ASSAY_MUTATIONS_GUARD_H
#define ASSAY_MUTATIONS_GUARD_H

#include <stddef.h>

#include "lib/diag.h"

/*
 * One file before and after; NULL where it is not there. name is its path from the top. -EPERM with
 * file, line and cure where a changed line records.
 */
int guard_file(const char *name, const char *before, const char *after, struct diag *d);

#endif
