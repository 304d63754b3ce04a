/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the runtime. */
#include "workloads/tasks/rt.h"

/* A strand may be run by another thread as soon as it is in a deque or a line: what is said about
 * it is said before. */
void strand_due(struct strand *s)
{
	s->state = STRAND_DUE;
	if (atomic_fetch_add_explicit(&s->owed, 1, memory_order_relaxed) != 0)
		run_fail(0, "a strand is due twice");
}

static void into_deque(struct strand *s, struct deque *d)
{
	strand_due(s);
	if (!deque_push(d, s))
		run_fail(0, "no memory for a deque");
}

OPERATOR void rt_spawn(struct strand *s, struct task *t, struct deque *d)
{
	into_deque(s, d);
}

OPERATOR void rt_again(struct strand *s, struct task *t, _Atomic(struct strand *) *later)
{
	s->stage = 0;
	s->ran = false;
	s->state = STRAND_NEW;
	atomic_store(later, s);
}

OPERATOR enum next rt_run(struct strand *s, struct task *t, struct runner *x)
{
	s->state = STRAND_RUNNING;
	s->ran = true;
	return t->body(x, s);
}

OPERATOR void rt_park(struct strand *s, struct task *t)
{
	s->state = STRAND_SUSPENDED;
}

OPERATOR void rt_ready(struct strand *s, struct task *t, struct deque *d)
{
	into_deque(s, d);
}

OPERATOR void rt_push(struct strand *s, struct task *t, struct line *l)
{
	spin_lock(&l->lock);
	line_add(l, s);
	spin_unlock(&l->lock);
}

OPERATOR struct strand *rt_pop(struct line *l)
{
	struct strand *s;

	spin_lock(&l->lock);
	s = line_take(l);
	spin_unlock(&l->lock);
	return s;
}

OPERATOR bool rt_finish(struct strand *s, struct task *t)
{
	s->state = STRAND_DONE;
	return atomic_fetch_sub_explicit(&t->left, 1, memory_order_acq_rel) == 1;
}

OPERATOR void rt_begin(struct task *t)
{
	t->root = t;
}

OPERATOR void rt_end(struct task *t)
{
	t->root = NULL;
}
