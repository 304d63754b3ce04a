/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wake handoffs: whose futex call a wait that succeeded owes its end to.
 *
 * sched_waking inside the waker's call names the woken thread. A wake that shows none (the waiter
 * was queued but not yet asleep) is joined by its word, only where one call and one wait that
 * overlap are alone in missing a partner, and nothing was lost while they lasted. Waits that nobody
 * is seen to end become orphans after CAUSAL_WAIT_NS: a wake from another address, a thread's exit,
 * the kernel.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_WAKE_H
#define ASSAY_PROFILERS_CAUSAL_WAKE_H

#include "profilers/adapter/observe.h"

enum { CAUSAL_WAKEES_MAX = 1 << 16, CAUSAL_HELD_MAX = 1024 };
#define CAUSAL_WAIT_NS UINT64_C(100000000)

struct causal_wake;

struct causal_wake *causal_wake_new(struct observer *out); /* NULL: no memory */
void causal_wake_free(struct causal_wake *w);
int causal_wake_src(struct causal_wake *w, const struct observation *o);
int causal_wake_dst(struct causal_wake *w, const struct observation *o);
int causal_wake_exit(struct causal_wake *w, uint32_t tid);		/* the thread is no more */
void causal_wake_lost(struct causal_wake *w, uint64_t t, uint64_t cnt); /* lost until t */
int causal_wake_finish(struct causal_wake *w);

#endif
