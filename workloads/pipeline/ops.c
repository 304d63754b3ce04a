/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of queue, tasks, boxes and calls. */
#include "workloads/pipeline/pipeline.h"

static void put(struct stack *s, struct token *t)
{
	spin_lock(&s->lock);
	t->next = s->first;
	s->first = t;
	/* seq_cst: who looks for sleepers next and who looks here before it sleeps meet */
	atomic_fetch_add(&s->cnt, 1);
	spin_unlock(&s->lock);
}

static struct token *get(struct stack *s)
{
	struct token *t;

	spin_lock(&s->lock);
	t = s->first;
	if (t) {
		s->first = t->next;
		atomic_fetch_sub(&s->cnt, 1);
	}
	spin_unlock(&s->lock);
	return t;
}

OPERATOR void queue_push(struct token *t, struct request *q, struct stack *s)
{
	put(s, t);
}

OPERATOR struct token *queue_pop(struct stack *s)
{
	return get(s);
}

OPERATOR void task_spawn(struct token *t, struct request *q, struct stack *s)
{
	put(s, t);
}

OPERATOR void task_park(struct token *t, struct request *q)
{
	t->parked = true;
}

OPERATOR void task_ready(struct token *t, struct request *q, struct stack *s)
{
	put(s, t);
}

OPERATOR struct token *task_next(struct stack *s)
{
	return get(s);
}

OPERATOR uint64_t task_run(struct token *t, struct request *q, struct place *x)
{
	t->parked = false;
	return hop_received(x, t);
}

OPERATOR void box_put(struct token *t, struct request *q, struct stack *s)
{
	put(s, t);
}

OPERATOR struct token *box_take(struct stack *s)
{
	return get(s);
}

OPERATOR void request_begin(struct request *q)
{
	q->epoch++;
}

OPERATOR void request_end(struct request *q)
{
	atomic_store_explicit(&q->left, 0, memory_order_relaxed);
}
