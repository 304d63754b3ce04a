/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Off-CPU analysis: how long each thread was off the CPU, and who ended its sleep.
 *
 * From sched_switch and sched_waking alone. A thread that goes off the CPU sleeping
 * (TASK_INTERRUPTIBLE) and comes back was woken by the thread that the first sched_waking since it
 * went names: one edge of a wake chain. What it slept in is not known, so a sleep in read(2) or in
 * io_uring_enter(2) makes an edge like one in futex(2) does. Kernel threads, io_uring's among them,
 * are left out, and interrupts make no edges where it is sure that they are such. Times are ns of
 * CLOCK_MONOTONIC.
 *
 * How long a thread was blocked, from going to sleep in any way to that sched_waking, is summed up
 * by pair of who woke whom; there anybody may be the waker, and an interrupt is thread 0.
 *
 * Takes records in the collector's order. One thread at a time.
 */
#ifndef ASSAY_PROFILERS_OFFCPU_OFFCPU_H
#define ASSAY_PROFILERS_OFFCPU_OFFCPU_H

#include "bpf/evidence.h"
#include "lib/formats/claims.h"

struct offcpu;

/* w outlives it. NULL: no memory. */
struct offcpu *offcpu_new(struct claims_writer *w);
void offcpu_free(struct offcpu *o); /* NULL is fine */

/* Takes a record; writes the edge that it completes. A loss becomes a gap, and what was under way
 * then is forgotten. The collect_fn of an attachment; 0 or negative errno. */
int offcpu_record(void *offcpu, const struct ev_rec *r);

/* Writes a profile of the kind `off-cpu` by thread, and one of the kind `blocked` by pair. 0 or
 * negative errno. */
int offcpu_finish(const struct offcpu *o);

#endif
