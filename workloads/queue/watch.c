/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. Whether a job has
 * room is read from the job, which is the caller's own at that time.
 */
#include <stddef.h>

#include "workloads/queue/service.h"

_Static_assert(offsetof(struct job, slot) == 24 && offsetof(struct slot, producer) == 8,
	       "manifest.yaml reads the producer of a job");

/* True: it has room now. */
bool watch_reserve(struct producer *p, struct job *j)
{
	uint32_t had = j->space;
	uint64_t t0 = act_now(p->w), t1;

	queue_reserve(j, j->bytes, &p->service->queue);
	t1 = act_now(p->w);
	if (j->space == had)
		return false;
	j->life = recorder_token(&p->w->rec);
	happened(p->w, EVENT_ACQUIRE, CLASS_SPACE, (uintptr_t)j, j->life, j->space - had,
		 j->slot->op.id, DESC_RESERVE, t0, t1);
	return true;
}

/* There is no room yet: its instance is the queue. */
void watch_wait(struct producer *p, uint64_t op)
{
	struct queue *q = &p->service->queue;
	uint64_t t0 = act_now(p->w);

	queue_wait(q);
	happened(p->w, EVENT_WAIT, CLASS_SPACE, (uintptr_t)q, recorder_token(&p->w->rec), 1, op,
		 DESC_WAIT, t0, act_now(p->w));
	act_outcome(p->w, OUTCOME_WAITED);
}

void watch_push(struct producer *p, struct job *j)
{
	struct rec_key key = {.v = (uintptr_t)p, .ns = KEY_TASK};
	uint64_t op = j->slot->op.id;
	struct sent sent;

	sent_begin(p->w, &sent, HANDOFF_QUEUE, op, key, RECORDER_NO_SEQ,
		   p->pushed ? 1u << MARK_REUSED_KEY : 0, act_now(p->w));
	p->pushed = true;
	j->sent = sent;
	queue_push(j, &p->service->queue);
	sent_end(p->w, &sent, act_now(p->w));
	parking_wake(p->w, &p->service->seats, 0, p->service->consumers_cnt, op);
}

struct job *watch_pop(struct consumer *c, uint64_t *ret_before, uint64_t *ret_after)
{
	uint64_t now = act_now(c->w);
	struct job *j = queue_pop(&c->service->queue);

	*ret_before = c->look;
	*ret_after = act_now(c->w);
	if (!j)
		c->look = now;
	return j;
}

void watch_look(struct worker *w, struct job *j)
{
	uint64_t t0 = act_now(w);

	queue_look(j);
	happened(w, EVENT_USE, CLASS_SPACE, (uintptr_t)j, j->life, 1, j->slot->op.id, DESC_LOOK, t0,
		 act_now(w));
}

void watch_release(struct worker *w, struct service *s, struct job *j)
{
	uint32_t had = j->space;
	uint64_t t0 = act_now(w), t1;

	queue_release(j, &s->queue);
	t1 = act_now(w);
	if (j->space != had)
		happened(w, EVENT_RELEASE, CLASS_SPACE, (uintptr_t)j, j->life, had - j->space,
			 j->slot->op.id, DESC_RELEASE, t0, t1);
	parking_wake(w, &s->seats, s->consumers_cnt, s->workers, j->slot->op.id);
}
