/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_event_open(2) rings of one event: opened, waited for, emptied.
 *
 * On every CPU (so that the event may be inherited by threads and children: the kernel maps no
 * ring of an inherited event that is not bound to a CPU), or one that follows a single thread. One
 * thread at a time; the records handed out are lent for the time of the call.
 */
#ifndef ASSAY_LIB_PERF_RINGS_H
#define ASSAY_LIB_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct perf_rings;

/* Data bytes of a ring, powers of two: `most`, or as much below that as the user may lock, but not
 * less than `least`. */
struct perf_rings_size {
	size_t most, least;
};

/* Negative errno. A CPU that is off has no ring. */
int perf_rings_open(const struct perf_event_attr *a, pid_t pid, bool each_cpu,
		    struct perf_rings_size size, struct perf_rings **ret);
void perf_rings_free(struct perf_rings *r); /* NULL is fine */

/* Sleeps until a ring wants to be emptied, or for timeout_ms (-1: for ever). True: stop_fd is
 * readable. */
bool perf_rings_wait(struct perf_rings *r, int stop_fd, int timeout_ms);

/* Hands on what is there, a ring at a time, each in its order. */
typedef void perf_rings_fn(void *arg, const struct perf_event_header *record);
void perf_rings_drain(struct perf_rings *r, perf_rings_fn *fn, void *arg);

/* No more records from here on. */
void perf_rings_stop(struct perf_rings *r);

#endif
