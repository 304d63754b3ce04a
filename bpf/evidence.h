/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Evidence: the raw records of the one collector, shared by the BPF side and user space.
 *
 * Fixed size, one ring buffer, one order. The kernel side filters, stamps and emits; everything
 * that can be decided later is decided in user space. Kinds are numbered by hand and append-only.
 * Times are bpf_ktime_get_ns (CLOCK_MONOTONIC, ns); tids are of the initial pid namespace. The
 * order of records is that of their reserves: causes come before their effects, but the times of
 * two CPUs may be a few hundred ns out of step with it.
 *
 * Records are lost. So what could be taken for something else once a record between is missing
 * carries a stamp of which one it is (of which submission a CQE is, of which wait an exit): counted
 * in the kernel, whatever becomes of the records. A stamp of 0 says that it is not known: the
 * bounded table that counts had to forget it.
 */
#ifndef ASSAY_BPF_EVIDENCE_H
#define ASSAY_BPF_EVIDENCE_H

#include <linux/types.h>

enum ev_kind {
	EV_NONE = 0,
	/* records lost before this one (ring buffer full): a = count, b = t of the first one lost,
	 * t = of the last; cpu = where they were lost */
	EV_LOST = 1,

	/* io_uring_create: a = ctx, b = ring fd, c = sq entries, d = cq entries, e = setup flags |
	 * number << 32: the how many-th ring of its process it is */
	EV_IO_CREATE = 2,
	/* io_uring_submit_req: a = ctx, b = req, c = user_data, d = opcode, e = sqe flags. Flag
	 * EV_F_SQPOLL when the submitter is the SQPOLL thread; EV_F_REFUSED when the kernel refused
	 * the request at once (io_uring_req_failed): its CQE follows, opcode is not to be trusted.
	 * e from bit EV_IO_NUMBER on, 16 bits: the number of the ring; 0: not known. e from bit
	 * EV_IO_STAMP on: which submission of this ring it is */
	EV_IO_SUBMIT = 3,
	/* io_uring_complete: a = ctx, b = req (0: multishot aux CQE, MSG_RING), c = user_data,
	 * d = res (sign-extended), e = cflags and EV_CQE_DYING. The CQE becomes visible a little
	 * after t. e from bit EV_IO_STAMP on: the stamp of the submission that it answers; of a CQE
	 * that names no request that of the newest submission of this key that can post such, or
	 * for a message the low bits of the time of its EV_IO_MSG */
	EV_IO_COMPLETE = 4,
	/* io_uring_queue_async_work: a = ctx, b = req, c = user_data, d = opcode, e = hashed */
	EV_IO_PUNT = 5,
	/* follows the EV_IO_SUBMIT of a MSG_RING request: a = ctx, b = req, c = user_data of the
	 * message, d = target ring fd | result of the message << 32, e = target ctx (0: unknown) */
	EV_IO_MSG = 6,
	/* sys_enter io_uring_enter: a = fd, b = to_submit, c = min_complete, d = flags, e = ctx
	 * (0: unknown) */
	EV_IO_ENTER = 7,
	/* sys_exit io_uring_enter: a = fd, b = return value, d = flags */
	EV_IO_EXIT = 8,
	/* the CQE of the EV_IO_COMPLETE after or before it did not fit and went to the overflow
	 * list: a = ctx, c = user_data, d = res, e = cflags */
	EV_IO_OVERFLOW = 9,

	/* futex syscalls, old and new in one form: a = uaddr, b = op (FUTEX_* command and flags;
	 * futex2 calls appear as their bitset or requeue form, see also enum ev_futex_op), c = val
	 * (count for wakes), d = bitset, e = uaddr2 */
	EV_FUTEX_ENTER = 16,
	/* same but c = return value (s64). futex_waitv: a = the word that was woken. b from bit 32
	 * on: how many sched_waking there were inside the call, of a wait: for it, by other futex
	 * calls. d from bit 32 on: low half of the time of its ENTER, as stamp */
	EV_FUTEX_EXIT = 17,
	/* before the ENTER of a call that is not private: what is mapped shared where its word
	 * lies, once for each process and page, and again when it is something else. a = address
	 * of the page, b = inode, c = offset of the page in its file; b = 0: it is not shared */
	EV_FUTEX_PAGE = 18,

	/* sched_waking: tid = current; a = wakee tid, b = wakee tgid; flags bit EV_F_IRQ where the
	 * waker's context is surely an interrupt (the idle task wakes nobody). A wake from an
	 * interrupt that hit a running thread shows that innocent thread: tell by its syscalls.
	 * c = time of the ENTER of the futex call that current is in, d = of that which the wakee
	 * waits in (0: none), e = word of current's call */
	EV_SCHED_WAKING = 32,
	/* sched_switch: tid = prev; a = next tid, b = prev state (0: preempted), c = next tgid */
	EV_SCHED_SWITCH = 33,

	/* block_rq_issue by a watched process: a = request, b = sector, c = bytes, d = operation
	 * (REQ_OP_*), e = device */
	EV_BLOCK_ISSUE = 40,
	/* block_rq_complete of such a request, in whatever context: a = request, b = sector,
	 * c = bytes, d = operation, e = device */
	EV_BLOCK_DONE = 41,

	/* sched_process_fork: tid = parent; a = child tid, b = child tgid. Parent 0: the process
	 * was there when the collector attached; c = its threads, d = rings open then (those have
	 * no EV_IO_CREATE) */
	EV_PROC_FORK = 48,
	/* sched_process_exec: a = tid before (it changes when a thread other than the leader calls)
	 */
	EV_PROC_EXEC = 49,
	/* sched_process_exit: a = 1 for the last thread of the process, b = ns that the thread has
	 * been on a CPU in its life, by the kernel's account (sum_exec_runtime), which is as of its
	 * last switch or tick: up to 1/HZ less than it was; 0: not known */
	EV_PROC_EXIT = 50,
	/* told by user space of a thread that does not exit yet, at attach after the EV_PROC_FORK
	 * of its process, and at the end before the last records, which may have its exit: tid and
	 * tgid are the thread's, a = as b of EV_PROC_EXIT, b = 0 at attach, 1 at the end. Flag
	 * EV_F_KERNEL: an io worker */
	EV_PROC_CPU = 51,

	/* a descriptor's site was hit and its guard passed: a = instance, b = units, c = target,
	 * d = where (of a return: the address returned to), e = descriptor id | event << 32 |
	 * sequence << 40 | enum ev_app_fault << 48. Values that could not be read are 0 and flagged
	 * EV_F_FAULT. The sequence counts the events of an instance of a resource, 1 … 255 and
	 * round again */
	EV_APP = 56,
	/* told by user space from time to time and at the end, after the records of the time
	 * before: a = descriptor id, b = hits so far, c = hits that passed the guard so far (each
	 * is an EV_APP, or lost), d = hits whose arguments were not there */
	EV_APP_HITS = 57,
	/* at attach: a = descriptor id, b = 0 or why it is not attached (positive errno), c =
	 * sites, d = offset of the first in the file, e = enum ev_app_how */
	EV_APP_SITE = 58,
	/* a resource's capacity: a = value, d = where, e = index of the resource | 255 << 32 |
	 * faults << 48 */
	EV_APP_CAPACITY = 59,

	/*
	 * Byte streams: pipes, sockets, eventfds, ptys. One record a call that moved something, at
	 * its exit; calls that failed, moved nothing or only peeked are none. a = the stream, named
	 * by its receiving end (enum ev_stream says how), b = its position before the call, c =
	 * units moved, d = descriptor | inode of the descriptor's file << 32, e = enum ev_stream |
	 * enum ev_stream_bit << 8 | head << 32: a hash of the first eight bytes, never 0; 0: they
	 * could not be read. Units are bytes, messages of sockets that keep message borders, or
	 * what an eventfd counts.
	 *
	 * Positions are counted where the calls are seen, by stream and direction, so a lost record
	 * shifts no other: [b, b + c) of a read are the units of the writes that say the same. Of
	 * writes whose calls overlap the order may be the other one; the head tells. io_uring,
	 * splice, sendfile and the mmsg calls are not seen: reads of what they wrote have other
	 * heads.
	 */
	EV_STREAM_WRITE = 64,
	EV_STREAM_READ = 65,

	/*
	 * Timers of timerfds and of timer_create. a = the timer (enum ev_timer says how), b = its
	 * descriptor or id, c = when the call that armed it was entered (0: not known), d = of SET
	 * the time asked for in ns, 0 where it was disarmed; of TAKE how often it had expired, e =
	 * enum ev_timer | enum ev_timer_bit << 8 | tid that armed it << 32.
	 *
	 * SET: exit of timerfd_settime or timer_settime that succeeded. TAKE: exit of a read of the
	 * timerfd; the signal in its handler's thread, or exit of the sigtimedwait that returned
	 * it. EXPIRE: the timer's interrupt, of timerfds only (d = 0).
	 */
	EV_TIMER_SET = 68,
	EV_TIMER_TAKE = 69,
	EV_TIMER_EXPIRE = 70,

	/* workqueue_queue_work by a watched process, and what becomes of that item, in whatever
	 * context: a = work_struct, b = its function. Queueing an item that is pending already is
	 * none: it is done with the one before. ACTIVATE may come later than QUEUE (max_active) */
	EV_WORK_QUEUE = 72,
	EV_WORK_ACTIVATE = 73,
	EV_WORK_START = 74,
	EV_WORK_END = 75,

	/* page_fault_user: a = address, b = instruction, c = error code of the architecture. At its
	 * begin; its end is not seen */
	EV_FAULT_USER = 76,
};

/* What a stream is, and what names it: its receiving end. */
enum ev_stream {
	EV_STREAM_PIPE = 1,    /* inode */
	EV_STREAM_UNIX = 2,    /* AF_UNIX, bytes: inode of the receiving socket */
	EV_STREAM_PACKET = 3,  /* AF_UNIX, messages: inode of the receiving socket */
	EV_STREAM_TCP = 4,     /* hash of addresses and ports, from sender to receiver */
	EV_STREAM_EVENTFD = 5, /* kernel address of its context */
	EV_STREAM_PTY = 6,     /* kernel address of the work_struct that fills the reader's buffer:
				* the a of its EV_WORK records */
};

/* First bit of the stamps of EV_IO_SUBMIT and EV_IO_COMPLETE, and how many there are; first bit of
 * the ring's number. */
enum { EV_IO_STAMP = 34, EV_IO_STAMP_BITS = 30, EV_IO_NUMBER = 16 };

enum ev_stream_bit {
	EV_STREAM_BORN =
		1u << 0, /* counted from its creation on; else from when it was first seen */
};

enum ev_timer {
	EV_TIMER_FD = 1,    /* kernel address of its context; b = descriptor */
	EV_TIMER_POSIX = 2, /* tgid << 32 | id; b = id */
};

enum ev_timer_bit {
	EV_TIMER_ABSOLUTE = 1u << 0,
	EV_TIMER_PERIODIC = 1u << 1,
	EV_TIMER_SIGNAL = 1u << 2, /* TAKE: in a handler */
	EV_TIMER_WAITED = 1u << 3, /* TAKE: by sigtimedwait */
};

enum ev_flag {
	EV_F_KERNEL = 1u << 0, /* current is a kernel thread or io worker (PF_KTHREAD/IO_WORKER) */
	EV_F_IRQ = 1u << 1,    /* surely an interrupt */
	EV_F_SQPOLL = 1u << 2, /* current is a SQPOLL thread */
	EV_F_OTHER = 1u << 3,  /* current is not of the watched process tree */
	EV_F_CUT = 1u << 4,    /* truncated by a regime: args from b on are zero */
	EV_F_FAULT = 1u << 5,  /* EV_APP, EV_APP_CAPACITY: something could not be read */
};

/* What could not be read. */
enum ev_app_fault {
	EV_APP_FAULT_INSTANCE = 1u << 0,
	EV_APP_FAULT_UNITS = 1u << 1,
	EV_APP_FAULT_TARGET = 1u << 2,
	EV_APP_FAULT_WHEN = 1u << 3,	/* the guard: whether it would have passed is not known */
	EV_APP_FAULT_UNSAVED = 1u << 4, /* arguments: evicted before the return, or not there */
};

enum ev_app_how { EV_APP_MULTI = 0, EV_APP_PERF = 1, EV_APP_USDT = 2 };

/* Beside the eight flags of an SQE. */
enum ev_submit_flag { EV_SUBMIT_REFUSED = 1u << 8 };

/* Beside the cflags of a CQE: the task that posts it exits or execs, and cancels what it has. */
#define EV_CQE_DYING (1ull << 32)

/* Commands that have no FUTEX_* number. */
enum ev_futex_op {
	EV_FUTEX_WAITV = 64,
	EV_FUTEX_RESTART = 65, /* restart_syscall: goes on with the thread's interrupted wait */
};

enum { EV_AGO_SCALES = 33 }; /* the greatest ago_scale */

struct ev_rec {
	__u64 t;
	__u32 tid;  /* current's tid (prev's for sched_switch) */
	__u32 tgid; /* current's tgid */
	__u8 kind;
	__u8 ago_scale; /* see ago */
	__u8 flags;
	__u8 ago; /* how long before t the record that this CPU counted before this one was, lost or
		   * not: ago ns if ago_scale is 1, (256 + ago) << (ago_scale - 2) from 2 on, a bit
		   * more in both cases (less than 0.4 %); ago_scale 0: not known */
	__u16 cpu;
	__u16 seq; /* counts the records of that CPU, those that are lost too, 1 … 65535 and round
		    * again; neighbours may be swapped; 0: not counted, and without stamps */
	__u64 a, b, c, d, e;
};
_Static_assert(sizeof(struct ev_rec) == 64, "evidence records have 64 bytes on both sides");

#endif
