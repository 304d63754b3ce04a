/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded work queue: its state and its operators.
 *
 * The smallest job is done first: who waits for a large one waits for its work anyway. A job needs
 * room, by its bytes or one slot, from before it is pushed until it has been done. It
 * is the producer's up to queue_push, the consumer's from queue_pop on. The queue is shared; its
 * lock is held for moments. Operators may be called by any thread.
 */
#ifndef ASSAY_WORKLOADS_QUEUE_STORE_H
#define ASSAY_WORKLOADS_QUEUE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/driver/act.h"
#include "workloads/driver/spin.h"

struct slot;

struct job {
	struct job *next;
	uint32_t bytes;
	uint32_t space; /* room that it has, in the queue's units; 0: none */
	uint32_t looks;
	struct slot *slot;
	uint64_t life; /* of its room */
	struct sent sent;
} __attribute__((aligned(64)));

struct queue {
	_Atomic bool lock;
	bool by_slots;
	bool in_order; /* first in, first out; else the smallest first */
	uint32_t capacity, used;
	uint32_t waits;
	struct job *first;
} __attribute__((aligned(64)));

/* ---- ops.c: operators, named by manifest.yaml ---- */
void queue_init(struct queue *q, unsigned capacity, bool by_slots);
bool queue_reserve(struct job *j, unsigned bytes, struct queue *q); /* false: there is no room */
void queue_wait(struct queue *q); /* somebody is about to sleep until there is */
void queue_push(struct job *j, struct queue *q);
struct job *queue_pop(struct queue *q); /* NULL: empty */
void queue_look(struct job *j);		/* it is being done */
void queue_release(struct job *j, struct queue *q);

#endif
