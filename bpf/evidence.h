/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Evidence: the raw records of the one collector, shared by the BPF side and user space.
 *
 * Fixed size, one ring buffer, one order. The kernel side filters, stamps and emits; everything
 * that can be decided later is decided in user space. Kinds are numbered by hand and append-only.
 * Times are bpf_ktime_get_ns (CLOCK_MONOTONIC, ns); tids are of the initial pid namespace.
 * Include after <linux/types.h>-compatible __u64 … or vmlinux-like declarations.
 */
#ifndef ASSAY_BPF_EVIDENCE_H
#define ASSAY_BPF_EVIDENCE_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum ev_kind {
	EV_NONE = 0,
	/* lost records between the previous record and this one: a = count, b = first lost t or 0
	 */
	EV_LOST = 1,
	/* a = ctx, b = ring fd, c = sq entries, d = cq entries, e = setup flags */
	EV_IO_CREATE = 2,
	/* a = ctx, b = req, c = user_data, d = opcode, e = sqe flags | (target ctx known ? …) :
	 * flags bit EV_F_SQPOLL when the submitter is the SQPOLL thread */
	EV_IO_SUBMIT = 3,
	/* a = ctx, b = req (0: multishot aux CQE, MSG_RING), c = user_data, d = res (as s32),
	 * e = cflags */
	EV_IO_COMPLETE = 4,
	/* io_uring_queue_async_work: a = ctx, b = req, c = user_data, d = opcode, e = hashed */
	EV_IO_PUNT = 5,
	/* a MSG_RING request seen at submit: a = ctx, b = req, c = message user_data,
	 * d = target ring fd, e = target ctx (0: unknown) */
	EV_IO_MSG = 6,
	/* sys_enter/exit io_uring_enter: a = fd, b = to_submit, c = min_complete, d = flags */
	EV_IO_ENTER = 7,
	/* a = fd, b = return value */
	EV_IO_EXIT = 8,
	/* CQE went to the overflow list: a = ctx, c = user_data, d = res, e = cflags */
	EV_IO_OVERFLOW = 9,

	/* futex syscalls. enter: a = uaddr, b = op (FUTEX_* command and flags), c = val (count for
	 * wakes), d = bitset, e = uaddr2 */
	EV_FUTEX_ENTER = 16,
	/* a = uaddr, b = op, c = return value (s64), d = bitset, e = uaddr2 */
	EV_FUTEX_EXIT = 17,

	/* sched_waking: tid = current; a = wakee tid, b = wakee tgid; flags bit EV_F_IRQ where the
	 * waker's context is an interrupt (then the wake has no waker) */
	EV_SCHED_WAKING = 32,
	/* sched_switch: tid = prev; a = next tid, b = prev state (0: preempted), c = next tgid */
	EV_SCHED_SWITCH = 33,

	/* sched_process_fork: tid = parent; a = child tid, b = child tgid */
	EV_PROC_FORK = 48,
	/* sched_process_exec */
	EV_PROC_EXEC = 49,
	/* sched_process_exit */
	EV_PROC_EXIT = 50,
};

enum ev_flag {
	EV_F_KERNEL = 1u << 0, /* current is a kernel thread or io worker (PF_KTHREAD/IO_WORKER) */
	EV_F_IRQ = 1u << 1,    /* hard or soft interrupt context */
	EV_F_SQPOLL = 1u << 2, /* current is a SQPOLL thread */
	EV_F_OTHER = 1u << 3,  /* current is not of the watched process tree */
	EV_F_CUT = 1u << 4,    /* truncated by a regime: args from b on are zero */
};

struct ev_rec {
	__u64 t;
	__u32 tid;  /* current's tid (prev's for sched_switch) */
	__u32 tgid; /* current's tgid */
	__u16 kind;
	__u16 flags;
	__u32 cpu;
	__u64 a, b, c, d, e;
};
_Static_assert(sizeof(struct ev_rec) == 64, "evidence records have 64 bytes on both sides");

#endif
