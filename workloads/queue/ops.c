/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the queue, named by manifest.yaml. */
#include <sched.h>
#include <stddef.h>

#include "workloads/queue/store.h"

_Static_assert(offsetof(struct job, space) == 12, "manifest.yaml reads the room of a job");

/* No futex: whoever sleeps here does it on purpose, and is recorded. */
static void lock(struct queue *q)
{
	while (atomic_exchange_explicit(&q->lock, true, memory_order_acquire))
		sched_yield();
}

static void unlock(struct queue *q)
{
	atomic_store_explicit(&q->lock, false, memory_order_release);
}

OPERATOR void queue_init(struct queue *q, unsigned capacity, bool by_slots)
{
	q->capacity = capacity;
	q->by_slots = by_slots;
}

OPERATOR bool queue_reserve(struct job *j, unsigned bytes, struct queue *q)
{
	uint32_t units = q->by_slots ? 1 : bytes;
	bool fits;

	lock(q);
	fits = units <= q->capacity - q->used;
	if (fits) {
		q->used += units;
		j->space = units;
	}
	unlock(q);
	return fits;
}

OPERATOR void queue_wait(struct queue *q)
{
	lock(q);
	q->waits++;
	unlock(q);
}

/* Before those that are larger, behind all others. */
static struct job **place_of(const struct job *j, struct queue *q)
{
	struct job **at = &q->first;

	while (*at && (q->in_order || (*at)->bytes <= j->bytes))
		at = &(*at)->next;
	return at;
}

OPERATOR void queue_push(struct job *j, struct queue *q)
{
	struct job **at;

	lock(q);
	at = place_of(j, q);
	j->next = *at;
	*at = j;
	unlock(q);
}

OPERATOR struct job *queue_pop(struct queue *q)
{
	struct job *j;

	lock(q);
	j = q->first;
	if (j)
		q->first = j->next;
	unlock(q);
	return j;
}

OPERATOR void queue_look(struct job *j)
{
	j->looks++;
}

OPERATOR void queue_release(struct job *j, struct queue *q)
{
	lock(q);
	q->used -= j->space;
	j->space = 0;
	unlock(q);
}
