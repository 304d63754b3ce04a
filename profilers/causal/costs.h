/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cost: the wall time of operations whose beginning and end a manifest's sites show.
 *
 * BEGIN → END of one instance, in a resource whose BEGIN is no call. The root is where and when the
 * BEGIN was hit. The kernel side numbers the events of an instance: where a number is missing in
 * between, an end and a beginning may be, and nothing is claimed. Events without a number are taken
 * as they come, but not across a loss that was told. Bounded: operations of a process that has
 * ended are forgotten, and where there are too many the one begun first.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_COSTS_H
#define ASSAY_PROFILERS_CAUSAL_COSTS_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/joiner.h"

enum { CAUSAL_OPERATIONS_MAX = 1 << 16 };

struct costs;

/* m outlives it. NULL: no memory. */
struct costs *costs_new(const struct manifest *m, struct outlet *out);
void costs_free(struct costs *c);
int costs_record(struct costs *c, const struct ev_rec *r);  /* EV_APP, EV_PROC_* */
void costs_lost(struct costs *c, uint64_t t, uint64_t cnt); /* so many records, until t */

#endif
