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

/* What a system call is to the collector: by its number, in collector_settings. */
enum collector_call {
	CALL_NONE = 0,
	CALL_FUTEX,
	CALL_FUTEX_WAIT,
	CALL_FUTEX_WAKE,
	CALL_FUTEX_REQUEUE,
	CALL_FUTEX_WAITV,
	CALL_FUTEX_RESTART, /* restart_syscall */
	CALL_FUTEX_LAST = CALL_FUTEX_RESTART,
	CALL_RING_ENTER,
	/* (fd, buffer, bytes), (fd, iovec), (fd, buffer, bytes, flags), (fd, msghdr, flags) */
	CALL_READ,
	CALL_READV,
	CALL_RECVFROM,
	CALL_RECVMSG,
	CALL_WRITE,
	CALL_WRITEV,
	CALL_SENDTO,
	CALL_SENDMSG,
	CALL_STREAM_LAST = CALL_SENDMSG,
	/* makers of streams: (int fds[2]), (…, …, …, int fds[2]), and those that return one */
	CALL_PIPE,
	CALL_SOCKETPAIR,
	CALL_EVENTFD,
	CALL_OPEN,
	CALL_TIMERFD_SET,
	CALL_TIMER_SET,
	CALL_SIGWAIT,
};

enum { COLLECTOR_CALL_NUMBERS = 512 };

/* Kinds of file that are told apart by their operations, learned from one open file of each. */
enum collector_file {
	FILE_PIPE,
	FILE_SOCKET,
	FILE_EVENTFD,
	FILE_TIMERFD,
	FILE_PTY_MASTER,
	FILE_PTY_SLAVE,
	FILE_KINDS,
	FILE_OTHER = FILE_KINDS,
};

struct collector_samples {
	__s32 fd[FILE_KINDS]; /* of the caller; -1: it has none */
};

struct collector_settings {
	__u8 call[COLLECTOR_CALL_NUMBERS]; /* enum collector_call of each number */
	__u32 wake_bytes; /* unread bytes at which user space is woken before its own poll */
	__u32 page_bytes;
};

struct collector_cpu {
	__u64 lost;	  /* failed reserves not yet told by an EV_LOST record */
	__u64 lost_first; /* t of the first of them */
	__u64 lost_last;  /* and of the last */
	__u64 before;	  /* t of its last record, kept or lost; 0: none yet */
	__u64 lost_total; /* all failed reserves */
	__u64 unfollowed; /* processes that did not fit in the tree */
	__u16 seq;	  /* of its last record */
	__u16 pad[3];
};

/* Of one descriptor on one CPU. */
struct app_tally {
	__u64 hits;
	__u64 passed;  /* by the guard, or it could not be read: each is one EV_APP, or lost */
	__u64 unsaved; /* returns whose arguments were evicted, USDT arguments that are not there */
};

/* In the tree: the process had rings before the collector came, so its next has no known number. */
#define COLLECTOR_UNNUMBERED 0x80000000u

enum {
	COLLECTOR_TREE_MAX = 16384,
	COLLECTOR_RINGS_MAX = 4096,
	COLLECTOR_BLOCKS_MAX = 4096,
	COLLECTOR_REQUESTS_MAX = 32768, /* addresses of io_uring requests */
	COLLECTOR_NAMES_MAX = 16384,	/* keys of CQEs that name no request */
	COLLECTOR_STREAMS_MAX = 16384,
	COLLECTOR_TIMERS_MAX = 16384,
	COLLECTOR_WORKS_MAX = 4096,
	COLLECTOR_PAGES_MAX = 4096,  /* of futexes that processes share */
	COLLECTOR_LIVES_MAX = 65536, /* instances whose events are numbered */
	COLLECTOR_CALLS_MAX = 16384, /* calls in flight whose arguments are kept for their return */
};

#endif
