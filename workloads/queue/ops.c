/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the queue, named by manifest.yaml. */
#include <stddef.h>

#include "workloads/queue/store.h"

_Static_assert(offsetof(struct job, space) == 12, "manifest.yaml reads the room of a job");

OPERATOR void queue_init(struct queue *q, unsigned capacity, bool by_slots)
{
	q->capacity = capacity;
	q->by_slots = by_slots;
}

OPERATOR bool queue_reserve(struct job *j, unsigned bytes, struct queue *q)
{
	uint32_t units = q->by_slots ? 1 : bytes;
	bool fits;

	spin_lock(&q->lock);
	fits = units <= q->capacity - q->used;
	if (fits) {
		q->used += units;
		j->space = units;
	}
	spin_unlock(&q->lock);
	return fits;
}

OPERATOR void queue_wait(struct queue *q)
{
	spin_lock(&q->lock);
	q->waits++;
	spin_unlock(&q->lock);
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

	spin_lock(&q->lock);
	at = place_of(j, q);
	j->next = *at;
	*at = j;
	spin_unlock(&q->lock);
}

OPERATOR struct job *queue_pop(struct queue *q)
{
	struct job *j;

	spin_lock(&q->lock);
	j = q->first;
	if (j)
		q->first = j->next;
	spin_unlock(&q->lock);
	return j;
}

OPERATOR void queue_look(struct job *j)
{
	j->looks++;
}

OPERATOR void queue_release(struct job *j, struct queue *q)
{
	spin_lock(&q->lock);
	q->used -= j->space;
	j->space = 0;
	spin_unlock(&q->lock);
}
