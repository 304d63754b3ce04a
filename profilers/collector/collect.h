/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector, from user space: attach to a process tree, hand on its records, say what is lost.
 *
 * One struct collect is one attachment. Records arrive in ring-buffer order, EV_LOST records in
 * their place; the last losses come with collect_finish. A feature that this kernel lacks is off
 * and named by collect_missing. Needs root (CAP_BPF, CAP_PERFMON) and kernel BTF. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_COLLECTOR_COLLECT_H
#define ASSAY_PROFILERS_COLLECTOR_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"
#include "lib/diag.h"

struct collect;

/* What to look for. Bits of enum evidence_can, and the dear ones apart. */
enum collect_want {
	COLLECT_IO = 1u << 0,	  /* rings, and io_uring_enter */
	COLLECT_FUTEX = 1u << 1,  /* futex calls */
	COLLECT_SCHED = 1u << 2,  /* sched_waking */
	COLLECT_PROC = 1u << 3,	  /* fork, exec, exit: without it no child is followed */
	COLLECT_SWITCH = 1u << 4, /* sched_switch: several records a system call that sleeps */
	COLLECT_BLOCK = 1u << 5,  /* block I/O */
	COLLECT_STREAM = 1u << 7, /* reads and writes of pipes, sockets, eventfds, ptys */
	COLLECT_TIMER = 1u << 8,  /* timerfds, POSIX timers */
	COLLECT_WORK = 1u << 9,	  /* workqueues */
	COLLECT_FAULT = 1u << 10, /* page faults */
	COLLECT_ALL = ((1u << 11) - 1) & ~(1u << 6),
};

struct app_options;

struct collect_options {
	uint32_t pid;		       /* root of the tree; children that exist are watched too */
	uint32_t want;		       /* enum collect_want */
	uint64_t ring_bytes;	       /* ring buffer, a power of two of at least a page; 0: what
					* ASSAY_RING_BYTES in the environment says, else 16 MiB */
	const struct app_options *app; /* the application's probe sites, or NULL; outlives it all */
};

struct collect_stats {
	uint64_t records;    /* handed on, those that tell of losses included */
	uint64_t lost;	     /* failed reserves in the kernel */
	uint64_t unfollowed; /* processes that did not fit into the tree */
	uint64_t unsaved;    /* returns whose arguments were evicted */
};

/* How often an attachment should be drained. Being woken costs a profiler more than the records
 * that it then finds: on a virtual machine some 60 us, with its look at the tallies. */
enum { COLLECT_POLL_MS = 50 };

/* Negative to stop draining; it is returned. */
typedef int collect_fn(void *arg, const struct ev_rec *r);

/*
 * Opens, loads, seeds, attaches. NULL and *d on failure: -EPERM (rights), -ENOTSUP (the kernel
 * has no BTF or none of what is wanted), -ESRCH (no such process).
 */
struct collect *collect_open(const struct collect_options *o, struct diag *d);
void collect_free(struct collect *c);

uint64_t collect_attached(const struct collect *c);   /* ns, after the last attach */
uint32_t collect_can(const struct collect *c);	      /* enum collect_want that is on */
const char *collect_missing(const struct collect *c); /* "" or what is off and why */
/* How many of the application's sites are attached. */
uint32_t collect_sites(const struct collect *c);
int collect_fd(const struct collect *c); /* readable when the buffer is filling up */

/* Hands on all that is there now, and now and then the tallies of the application's sites. Number
 * of records from the ring buffer or negative errno. */
int collect_drain(struct collect *c, collect_fn *fn, void *arg);

/*
 * Other sites in place of the application's, for one that was opened with sites which say
 * `replaced`: collect_leave detaches those that there are and hands on what they saw; collect_take
 * attaches the others, and the next drain hands on what came of each. 0 or negative errno.
 */
int collect_leave(struct collect *c, collect_fn *fn, void *arg);
int collect_take(struct collect *c, const struct app_options *app);

/* Detaches, drains, hands on what was lost and not told. 0 or negative errno. */
int collect_finish(struct collect *c, collect_fn *fn, void *arg, struct collect_stats *ret);

#endif
