/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads sleep until somebody has work for them: one futex word, a seat a thread, each with
 * its own bit of the word (FUTEX_WAIT_BITSET). Wakes are recorded, each with the waiter it woke.
 *
 * To sleep: seat_arm, look once more at everything that could be there to do, then seat_sleep or,
 * where there was something, seat_leave. To wake: make the work visible by an atomic operation that
 * is sequentially consistent, then parking_wake. Either the sleeper's last look finds the work or
 * the waker finds the seat armed: both are a write followed by a read of the other's word (Dekker),
 * and all four are seq_cst. tests/spin/park.pml checks it.
 *
 * Who woke whom is never guessed. A seat is claimed by one waker, who alone names its bit in one
 * call, and it is not armed again before that call has returned. So a waiter that returns 0 was
 * woken by the claimant, and a claimant's late call finds nobody.
 *
 * A seat belongs to one thread; the waking functions may be called by all. There are no pointers in
 * it, so that it can be shared by processes.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_PARKING_H
#define ASSAY_WORKLOADS_DRIVER_PARKING_H

#include <stdatomic.h>

#include "workloads/driver/act.h"

enum { PARKING_SEATS = 32, PARKING_SPARES = 4 };

enum seat_state {
	SEAT_AWAKE,
	SEAT_ARMED,   /* its thread sleeps or is about to */
	SEAT_CLAIMED, /* somebody is about to wake it */
	SEAT_CALLED,  /* and has */
};

struct seat {
	_Atomic unsigned state; /* enum seat_state */
	_Atomic bool posted;	/* released after `sent` is written, for the waiter's acquire */
	struct sent sent;
	unsigned cpu;
} __attribute__((aligned(64)));

struct parking { /* zeroed: all awake, of one process */
	_Atomic uint32_t word __attribute__((aligned(64)));
	_Atomic unsigned armed; /* seats; never fewer than there are */
	_Atomic bool used;	/* the word was named by a handoff before */
	bool shared;		/* between processes, see parking_share */
	uint64_t inode, offset;
	_Atomic uint32_t spares[PARKING_SPARES]; /* words that nobody ever names */
	struct seat seats[PARKING_SEATS];
};

/* Before the first thread; cnt seats will be used. Names spare keys for decoys. */
void parking_open(struct parking *p, struct run *r, unsigned cnt);

/*
 * Before parking_open: it lies in memory that processes share, `offset` bytes into a file with that
 * inode. Each process may have it at an address of its own; its key is word and inode.
 */
void parking_share(struct parking *p, uint64_t inode, uint64_t offset);

void seat_arm(struct parking *p, unsigned seat);
void seat_leave(struct parking *p, unsigned seat);
/* until: CLOCK_MONOTONIC ns, UINT64_MAX: for ever. No segment is open. */
void seat_sleep(struct worker *w, struct parking *p, unsigned seat, uint64_t until);

/* Wakes one that sleeps in seats first … first + cnt - 1, on behalf of op. False: all are awake, or
 * about to wake. */
bool parking_wake(struct worker *w, struct parking *p, unsigned first, unsigned cnt, uint64_t op);
bool seat_wake(struct worker *w, struct parking *p, unsigned seat, uint64_t op);

#endif
