/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the operations of one worker begin.
 *
 * Open loop: a Poisson process whose moments are fixed before the run, so that a slow server does
 * not slow its clients down (no coordinated omission); a latency counts from the intended moment.
 * Closed loop: the next operation arrives when a place is free. Belongs to one thread.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_ARRIVALS_H
#define ASSAY_WORKLOADS_DRIVER_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/rng.h"

struct arrivals {
	struct rng rng;
	uint64_t left;	   /* operations still to arrive */
	double mean_gap;   /* ns; 0: closed loop */
	double next;	   /* ns of CLOCK_MONOTONIC: the next intended moment */
	unsigned inflight; /* operations begun and not ended */
	unsigned limit;	   /* of them */
};

uint64_t arrivals_clock(void); /* ns, CLOCK_MONOTONIC */

/* rate: this worker's own, a second; 0: closed loop. */
void arrivals_init(struct arrivals *a, struct rng rng, uint64_t ops, double rate, unsigned limit,
		   uint64_t start);

/* True: an operation begins now, and *ret is the moment at which it was meant to. */
bool arrivals_take(struct arrivals *a, uint64_t now, uint64_t *ret);
void arrivals_done(struct arrivals *a); /* one operation ended */

/* ns until the next arrival can be taken; 0: now, UINT64_MAX: not before an operation ends. */
uint64_t arrivals_wait(const struct arrivals *a, uint64_t now);

/* Sleeps until the next arrival (for workers that have nothing else to wait for). */
void arrivals_sleep(const struct arrivals *a);

/* The same for workers that end each operation before the next begins: sleeps until one does, with
 * *ret the moment at which it was meant to. False: none is left. */
bool arrivals_next(struct arrivals *a, uint64_t *ret);

static inline bool arrivals_finished(const struct arrivals *a)
{
	return a->left == 0 && a->inflight == 0;
}

#endif
