/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are made where they are not there, by one of several processes.
 *
 * Who asks for one that another is making waits for it, and makes it itself where the other failed
 * or died, whose part it removes. What appears under its name is whole. Not thread-safe.
 */
#ifndef ASSAY_MUTATIONS_ONCE_H
#define ASSAY_MUTATIONS_ONCE_H

#include "lib/diag.h"

/* Has make write the file under another name, and gives it its own. The errors of make and of the
 * disk. */
int make_once(const char *path, int (*make)(void *arg, const char *part, struct diag *d), void *arg,
	      struct diag *d);

#endif
