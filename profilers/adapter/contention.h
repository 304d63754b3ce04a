/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether threads are kept from CPUs by others than themselves, from what the scheduler says.
 *
 * A thread is delayed from the wake-up, or from the moment at which it was preempted, to the switch
 * to it. In windows of CONTENTION_MS its share of all the time in which threads ran or could have
 * run tells how much they were kept waiting; and whoever uses the CPUs on which it was seen far
 * from fully itself was not kept waiting by its own. Both must hold. How much delay is usual the
 * first windows say. A switch to a thread that was not recorded leaves its delay unknown, and so
 * not counted. Without records of switches nothing is ever seen. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_CONTENTION_H
#define ASSAY_PROFILERS_ADAPTER_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"

struct contention;

struct contention *contention_new(void); /* NULL: no memory */
void contention_free(struct contention *x);

/* True: a window has ended. Records other than of the scheduler are ignored. */
bool contention_record(struct contention *x, const struct ev_rec *r);
void contention_lost(struct contention *x); /* begins anew */

/* Windows in a row have shown it. */
bool contention_shows(const struct contention *x);

#endif
