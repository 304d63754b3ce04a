/* SPDX-License-Identifier: BSD-2-Clause */
/* Task slots: dealt last in, first out, so that an address is in use again as soon as it can be. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/tasks/crew.h"

/* The most tasks that one operation has at a time: a race with a nested task for each runner. */
enum { SLOTS_OP = 3 + TASK_STRANDS };

void slots_open(struct crew *c, unsigned ops)
{
	size_t bytes;

	c->slots_cnt = ops * SLOTS_OP + 2;
	bytes = c->slots_cnt * sizeof(*c->slots);
	c->slots = aligned_alloc(64, bytes);
	c->buffers = calloc(c->slots_cnt, TASK_BUFFER);
	if (!c->slots || !c->buffers)
		run_fail(-ENOMEM, "slots of tasks");
	memset(c->slots, 0, bytes);
	for (unsigned i = c->slots_cnt; i-- > 0;) {
		c->slots[i].buffer = c->buffers + (size_t)i * TASK_BUFFER;
		c->slots[i].next = c->free;
		c->free = &c->slots[i];
	}
}

static void strand_init(struct task *t, unsigned index)
{
	struct strand *s = &t->strands[index];

	memset(s, 0, sizeof(*s));
	s->task = t;
	s->index = index;
}

static void child_link(struct strand *parent, struct task *t)
{
	spin_lock(&parent->task->lock);
	t->before = NULL;
	t->after = parent->children;
	if (t->after)
		t->after->before = t;
	parent->children = t;
	parent->children_cnt++;
	/* born under a task that is cancelled already */
	atomic_store_explicit(&t->cancelled, atomic_load(&parent->task->cancelled),
			      memory_order_relaxed);
	spin_unlock(&parent->task->lock);
}

struct task *task_new(struct crew *c, struct strand *parent, task_body *body, unsigned width)
{
	struct task *t;

	spin_lock(&c->slots_lock);
	t = c->free;
	if (t)
		c->free = t->next;
	spin_unlock(&c->slots_lock);
	if (!t)
		run_fail(0, "no slot for a task");
	t->epoch++;
	t->body = body;
	t->width = width;
	t->parent = parent;
	t->root = parent ? parent->task->root : t;
	atomic_store_explicit(&t->left, width, memory_order_relaxed);
	atomic_store_explicit(&t->cancelled, false, memory_order_relaxed);
	for (unsigned i = 0; i < width; i++)
		strand_init(t, i);
	if (parent)
		child_link(parent, t);
	return t;
}

void task_free(struct crew *c, struct task *t)
{
	spin_lock(&c->slots_lock);
	t->next = c->free;
	c->free = t;
	spin_unlock(&c->slots_lock);
}
