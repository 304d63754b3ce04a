/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of a run, built ahead of the cells that run them, in a folder that nobody watched
 * sees: at idle priority, in the order in which they will be asked for.
 *
 * What cannot be built is no error here: its cell makes its own, and says itself why it cannot.
 * Borrows runner and cells. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_STOCK_H
#define ASSAY_HARNESS_STOCK_H

#include <stddef.h>

#include "harness/recipe.h"

struct runner;
struct stock;

/*
 * Begins to build what these cells will run, in a folder of the house, which is needed no longer;
 * those that run nothing are passed over. NULL with *d: the errors of crew_begin, or the folder
 * cannot be made (-EACCES, -EPERM, -EROFS: nowhere may be written).
 */
struct stock *stock_open(const struct runner *r, const struct house *h, const struct cell *const *v,
			 size_t cnt, struct diag *d);

const char *stock_folder(const struct stock *s);

/* Puts a cell's program at `to`, waiting for it; -ENOENT: it was not ordered, or not to be made. */
int stock_take(struct stock *s, const struct cell *c, const struct recipe *r, enum program which,
	       const char *to, struct diag *d);

/* Waits until all are built; -EINTR. */
int stock_finish(struct stock *s, struct diag *d);

/* Whether some are being built, or yet to be. */
bool stock_is_busy(const struct stock *s);

/* What was waited for programs, in seconds. */
double stock_waited(const struct stock *s);

/* Ends who builds, and removes what nobody took. Fine on NULL. */
void stock_close(struct stock *s);

#endif
