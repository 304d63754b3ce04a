/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When each thread was on a CPU, from its context switches (contracts §2, CPU per segment).
 *
 * On a CPU means from the switch to the thread to the switch away from it: system calls, interrupts
 * that hit it and what a hypervisor took are in, and the switch to it, 1 to 2 µs, as in the
 * kernel's own account. Times are CLOCK_MONOTONIC, ns. Immutable once made; owned by whoever made
 * it.
 *
 * A switch that is missing would make a thread seem to run while it did not. One to a thread may
 * be: the tracepoint of 6.18 in a Firecracker guest does not see what some threads of its init are
 * switched to. Then the thread came so long before it left as the kernel counted it to have run
 * since it left last, and at the latest when it first read a clock. A thread whose switches do not
 * alternate otherwise is forgotten. Whoever asks about a stretch that the thread itself has timed
 * learns whether it was on a CPU at both readings: it must have been.
 */
#ifndef ASSAY_GROUNDTRUTH_TIMELINE_H
#define ASSAY_GROUNDTRUTH_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timeline_switch {
	uint64_t t;
	/* of a switch away, ns in all its life: on a CPU, and kept from one; 0: not known */
	uint64_t ran, delayed;
	uint32_t tid;
	bool in;     /* to the thread; else away from it */
	bool sleeps; /* of a switch away: somebody has to wake it */
};

struct timeline;

/* Sorts v. NULL: no memory. */
struct timeline *timeline_make(struct timeline_switch *v, size_t cnt);
void timeline_free(struct timeline *x); /* NULL is fine */

/* CPU time of a thread in [t0, t1]; false where it was on no CPU at one of the two. */
bool timeline_cpu(const struct timeline *x, uint32_t tid, uint64_t t0, uint64_t t1, uint64_t *ret);

/* Time in [t0, t1] in which the thread could have run and did not, where timeline_cpu is true. */
uint64_t timeline_delay(const struct timeline *x, uint32_t tid, uint64_t t0, uint64_t t1);

/* Whether delays are known: the switches told of some. */
bool timeline_knows_delays(const struct timeline *x);

/* Whether anything is known of a thread. */
bool timeline_knows(const struct timeline *x, uint32_t tid);

struct timeline_absence { /* from a CPU */
	uint64_t from, to;
	bool sleeps; /* at its beginning */
};

/* Those of a thread that ended, in order of time: of one that never came back nobody can say
 * whether it lives. What was before a thread came first is none. */
void timeline_absences(const struct timeline *x, uint32_t tid,
		       void (*each)(void *arg, const struct timeline_absence *a), void *arg);

#endif
