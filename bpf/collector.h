/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the collector's two sides agree on besides the records: settings and counters.
 *
 * Settings are rodata, written between open and load. Counters only grow; the per-CPU ones are
 * read by user space after detach.
 */
#ifndef ASSAY_BPF_COLLECTOR_H
#define ASSAY_BPF_COLLECTOR_H

#include <linux/types.h>

/* System call numbers of this machine; NR_ABSENT where the machine has no such call. */
#define NR_ABSENT 0xffffffffu
struct collector_nr {
	__u32 futex, futex_wait, futex_wake, futex_requeue, futex_waitv;
	__u32 restart_syscall, io_uring_enter;
};

struct collector_settings {
	struct collector_nr nr;
	__u32 wake_bytes; /* unread bytes at which user space is woken before its own poll */
};

struct collector_cpu {
	__u64 lost;	  /* failed reserves not yet told by an EV_LOST record */
	__u64 lost_first; /* t of the first of them */
	__u64 lost_total; /* all failed reserves */
	__u64 unfollowed; /* processes that did not fit in the tree */
};

/* Of one descriptor on one CPU. */
struct app_tally {
	__u64 hits;
	__u64 passed;  /* by the guard, or it could not be read: each is one EV_APP, or lost */
	__u64 unsaved; /* returns whose arguments were evicted, USDT arguments that are not there */
};

enum {
	COLLECTOR_TREE_MAX = 16384,
	COLLECTOR_RINGS_MAX = 4096,
	COLLECTOR_BLOCKS_MAX = 4096,
	COLLECTOR_CALLS_MAX = 16384, /* calls in flight whose arguments are kept for their return */
};

#endif
