/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growable work-stealing deque: its owner pushes and takes at the bottom, thieves steal at the
 * top.
 *
 * Chase and Lev: Dynamic circular work-stealing deque, SPAA 2005; orderings after Lê, Pop, Cohen,
 * Zappa Nardelli: Correct and efficient work-stealing for weak memory models, PPoPP 2013, with
 * seq_cst accesses in the place of their fences, which no race checker follows:
 *
 *   push: store of bottom (release at least)   pairs with   steal: load of bottom. The thief sees
 *         the slot's item and all that was written before it was pushed.
 *   grow: store of array (release)             pairs with   steal: load of array (acquire). The
 *         thief sees the copied items.
 *   steal: CAS of top (seq_cst)                pairs with   push: load of top (acquire). What the
 *         thief read from a slot was read before the owner fills that slot anew.
 *   take: store of bottom, then load of top    against      steal: load of top, then load of
 *         bottom. All four are seq_cst: either the owner sees that the thief was there or the thief
 *         sees that the owner was; at the last item both try the CAS of top, and one wins.
 *   push: store of bottom is seq_cst           for what     comes after it: who looks for sleepers
 *         next to it and who looks for work before it sleeps meet (workloads/driver/parking.h).
 *
 * An array that has been replaced stays until deque_free, since a thief may still read it.
 */
#ifndef ASSAY_WORKLOADS_TASKS_DEQUE_H
#define ASSAY_WORKLOADS_TASKS_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct deque_array;

struct deque {
	_Atomic int64_t top __attribute__((aligned(64)));
	_Atomic int64_t bottom __attribute__((aligned(64)));
	_Atomic(struct deque_array *) array;
	uint64_t pushes, grown; /* the owner's */
};

/* size: a power of two. False: no memory. */
bool deque_open(struct deque *d, unsigned size);
void deque_free(struct deque *d);

/* Owner. False: it was full and there was no memory to let it grow. */
bool deque_push(struct deque *d, void *item);
void *deque_take(struct deque *d); /* the newest, or NULL */

/* Anyone. The oldest, or NULL: empty, or another was faster. */
void *deque_steal(struct deque *d);
bool deque_is_empty(struct deque *d); /* at some moment during the call */

#endif
