/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking ahead: records are handed on when it is known what was lost before them.
 *
 * A loss shows late: the CPU that had it tells it, or passes over a number, with its next record
 * that is kept, while those of other CPUs go on meanwhile. Who joins across it in between takes
 * what is missing for something that never was. So records wait until every CPU that has had one
 * has had a later one, or AHEAD_MAX wait: a CPU may be idle. They are handed on in the order in
 * which they came, an EV_LOST before the first of them that is later than its beginning (b); also
 * those losses that nobody told, which the numbers of the records show (sequence.h). Records
 * without a number do not wait for one another. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_AHEAD_H
#define ASSAY_PROFILERS_ADAPTER_AHEAD_H

#include <stdbool.h>

#include "bpf/evidence.h"

enum { AHEAD_MAX = 1 << 14 };

struct ahead;

/* found: an EV_LOST that the numbers show and that is no record. Negative errno stops the join. */
typedef int ahead_fn(void *arg, const struct ev_rec *r, bool found);

struct ahead *ahead_new(ahead_fn *fn, void *arg); /* NULL: no memory */
void ahead_free(struct ahead *a);
int ahead_record(struct ahead *a, const struct ev_rec *r);
int ahead_finish(struct ahead *a); /* no more will come */

#endif
