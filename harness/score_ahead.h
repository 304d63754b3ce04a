/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores of many cells, computed on all processors and taken in order.
 *
 * Threads compute ahead of who takes, by a bounded number of scores. One thread creates, takes and
 * frees; what is computed must be thread-safe.
 */
#ifndef ASSAY_HARNESS_SCORE_AHEAD_H
#define ASSAY_HARNESS_SCORE_AHEAD_H

#include <stddef.h>

#include "lib/diag.h"

/* As many are computed at once, at most. */
enum { SCORES_AT_ONCE = 8 };

struct score;
struct score_ahead;

/* Computes the i-th score; NULL where there is none, with *d if that is an error. */
typedef struct score *score_make(void *arg, size_t i, struct diag *d);

/* Begins with 0 of cnt. NULL: out of memory. */
struct score_ahead *score_ahead_new(size_t cnt, score_make *make, void *arg);
void score_ahead_free(struct score_ahead *a); /* fine on NULL; waits for what was begun */

/* The i-th, not before those in front of it: what make returned, the caller's to free. */
struct score *score_ahead_take(struct score_ahead *a, size_t i, struct diag *d);

#endif
