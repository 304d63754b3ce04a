/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the two sides of the evaluator's switch log agree on: who left a CPU for whom, and when.
 *
 * One log a CPU, a ring that nobody empties for the writer: it goes round and writes over what is
 * old. Whoever reads keeps up, or finds by `cnt` that it did not. Times are bpf_ktime_get_ns
 * (CLOCK_MONOTONIC, ns), of one CPU in order.
 */
#ifndef ASSAY_BPF_ONCPU_H
#define ASSAY_BPF_ONCPU_H

#include <linux/types.h>

/* A CPU that did nothing but switch would fill it in some 100 ms. */
enum { SWITCHES_KEPT = 1 << 16 };

struct switch_rec {
	__u64 t;
	/* of prev, ns in all its life by the kernel's account: on a CPU, and kept from one while it
	 * could have run; 0: not of the group, or not counted here */
	__u64 ran, delayed;
	__u32 prev, next; /* thread ids in the initial pid namespace; 0: not of the group */
};
_Static_assert(sizeof(struct switch_rec) == 32, "switches have 32 bytes on both sides");

struct switch_log {
	__u64 cnt; /* written so far; number i is at i % SWITCHES_KEPT */
	struct switch_rec v[SWITCHES_KEPT];
};

#endif
