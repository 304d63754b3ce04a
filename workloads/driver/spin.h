/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock that is held for moments and sleeps on no futex, so that whoever sleeps does it on
 * purpose, and is recorded. Zero: free. Works between processes that share its memory.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_SPIN_H
#define ASSAY_WORKLOADS_DRIVER_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static inline void spin_lock(_Atomic bool *lock)
{
	while (atomic_exchange_explicit(lock, true, memory_order_acquire))
		sched_yield();
}

static inline void spin_unlock(_Atomic bool *lock)
{
	atomic_store_explicit(lock, false, memory_order_release);
}

#endif
