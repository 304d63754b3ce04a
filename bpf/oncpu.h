/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the two sides of the evaluator's scheduler logs agree on: who left a CPU for whom, who woke
 * whom, and when.
 *
 * Of each one log a CPU, a ring that nobody empties for the writer: it goes round and writes over
 * what is old. Whoever reads keeps up, or finds by `cnt` that it did not. Times are
 * bpf_ktime_get_ns (CLOCK_MONOTONIC, ns), of one CPU in order. Thread ids are those of the initial
 * pid namespace.
 */
#ifndef ASSAY_BPF_ONCPU_H
#define ASSAY_BPF_ONCPU_H

#include <linux/types.h>

/* A CPU that did nothing but switch would fill it in some 100 ms. */
enum { SWITCHES_KEPT = 1 << 16 };

/* prev sleeps, and somebody has to wake it: it was not preempted and did not yield. Thread ids have
 * 22 bits (PID_MAX_LIMIT, include/linux/threads.h). */
#define SWITCH_SLEEPS (1u << 31)

struct switch_rec {
	__u64 t;
	/* of prev, ns in all its life by the kernel's account: on a CPU, and kept from one while it
	 * could have run; 0: not of the group, or not counted here */
	__u64 ran, delayed;
	__u32 prev, next; /* 0: not of the group; prev may bear SWITCH_SLEEPS */
};
_Static_assert(sizeof(struct switch_rec) == 32, "switches have 32 bytes on both sides");

struct switch_log {
	__u64 cnt; /* written so far; number i is at i % SWITCHES_KEPT */
	struct switch_rec v[SWITCHES_KEPT];
};

/* A wake takes whoever calls it 1 µs at least: some 30 ms of nothing else. */
enum { WAKES_KEPT = 1 << 15, WAKE_NAME_LEN = 16 /* TASK_COMM_LEN */ };

struct wake_rec {
	__u64 t;
	__u32 waker; /* 0: an interrupt */
	__u32 woken;
	char waker_name[WAKE_NAME_LEN], woken_name[WAKE_NAME_LEN];
};
_Static_assert(sizeof(struct wake_rec) == 48, "wakes have 48 bytes on both sides");

struct wake_log {
	__u64 cnt; /* as above */
	struct wake_rec v[WAKES_KEPT];
};

#endif
