/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue, spawn, resume, grant and call handoffs: what a manifest's runtime adapters say.
 *
 * Descriptors name the ends, an instance (and a target, where both ends give one) says which belong
 * together:
 *
 *   PUSH → POP        queue       SPAWN → RUN   spawn
 *   SUBMIT → HANDLE   grant       PARK → RUN    resume
 *   SUBMIT → RUN      grant, in a resource that has no HANDLE: who is told is run
 *   BEGIN → RUN       call: in a resource that neither spawns nor parks, on one thread
 *   RUN               call: in a resource of which nothing else is said; the hit is both its ends
 *
 * The kernel side numbers the events of an instance. A number that does not come within
 * CAUSAL_RUNTIME_NS is a loss: what was open on the instance becomes orphans, nothing is joined
 * across it. Where so many records were lost since an instance's last event that its numbers may
 * have gone round, it counts as one too. An end of which no beginning is missing is nothing: a
 * strand may run, a waiter may look, without having been sent anything. Events whose number is not
 * known are joined as they come, but not across a loss that was told. Bounded: instances of a
 * process that has ended are forgotten, and where there are too many the one seen first, with what
 * is open on it: its end becomes an orphan. So does the oldest send of an instance on which too
 * many are open.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_RUNTIME_H
#define ASSAY_PROFILERS_CAUSAL_RUNTIME_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/joiner.h"

enum { CAUSAL_INSTANCES_MAX = 1 << 16, CAUSAL_LATE_MAX = 8 };
enum { CAUSAL_OPEN_MAX = 1024, CAUSAL_OPENS_MAX = 1 << 16 }; /* on one instance, on all */
#define CAUSAL_RUNTIME_NS UINT64_C(5000000)

struct runtime;

/* m outlives it. NULL: no memory. */
struct runtime *runtime_new(const struct manifest *m, struct outlet *out);
void runtime_free(struct runtime *r);
int runtime_record(struct runtime *r, const struct ev_rec *v);	/* EV_APP, EV_PROC_* */
void runtime_lost(struct runtime *r, uint64_t t, uint64_t cnt); /* so many records, until t */
int runtime_finish(struct runtime *r);

#endif
