/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suspended strands: handed to what they wait for, taken out of it by a cancellation, told that a
 * child has ended.
 *
 * A cancellation sets the task's flag under its lock and takes out what can be taken out; whoever
 * is armed later sees the flag under the same lock. A read and a blocking call are waited for. What
 * is taken out is resumed all the same, so that it can give back what it holds.
 */
#include "workloads/tasks/crew.h"

/* Under the task's lock. True: the strand waits no longer. */
static bool joined(const struct strand *s, enum await what)
{
	return !s->children_cnt || (what == AWAIT_FIRST && s->wins);
}

static bool arm_locked(struct runner *x, struct strand *s)
{
	enum await what = s->await;

	if (what == AWAIT_JOIN || what == AWAIT_FIRST) {
		if (joined(s, what))
			return false;
		s->wait = what;
		return true;
	}
	if (atomic_load_explicit(&s->task->cancelled, memory_order_relaxed))
		return false;
	s->wait = what;
	if (what == AWAIT_SLEEP) {
		clock_arm(x, s);
		return true;
	}
	if (watch_wait(x, s))
		return true;
	s->wait = AWAIT_NOTHING; /* one has become free since it asked */
	return false;
}

/* Where the lock is held, nobody takes it out or lets it run before it is armed. */
void await_arm(struct runner *x, struct strand *s)
{
	struct task *t = s->task;
	bool armed;

	if (s->await == AWAIT_READ) {
		reactor_read(x, s);
		return;
	}
	if (s->await == AWAIT_BLOCK) {
		helper_call(x, s);
		return;
	}
	spin_lock(&t->lock);
	armed = arm_locked(x, s);
	spin_unlock(&t->lock);
	if (!armed)
		watch_ready(x, s);
}

/* ---- cancelling ---- */

/* Under the task's lock. True: taken out of what it waited in; the caller resumes it. */
static bool taken_out(struct runner *x, struct strand *s)
{
	bool out = false;

	if (s->wait == AWAIT_SLEEP)
		out = clock_cancel(x, s);
	else if (s->wait == AWAIT_PERMIT)
		out = permit_leave(&x->crew->permits, s);
	if (out)
		s->wait = AWAIT_NOTHING;
	return out;
}

static void task_cancel(struct runner *x, struct task *t)
{
	struct strand *out[TASK_STRANDS];
	unsigned n = 0;

	spin_lock(&t->lock);
	atomic_store_explicit(&t->cancelled, true, memory_order_release);
	for (unsigned i = 0; i < t->width; i++) {
		struct strand *s = &t->strands[i];

		for (struct task *c = s->children; c; c = c->after)
			task_cancel(x, c);
		if (taken_out(x, s))
			out[n++] = s;
	}
	spin_unlock(&t->lock);
	for (unsigned i = 0; i < n; i++)
		watch_ready(x, out[i]);
}

void children_cancel(struct runner *x, struct strand *p)
{
	spin_lock(&p->task->lock);
	for (struct task *c = p->children; c; c = c->after)
		task_cancel(x, c);
	spin_unlock(&p->task->lock);
}

/* ---- parents ---- */

static void child_unlink(struct strand *p, struct task *t)
{
	if (t->before)
		t->before->after = t->after;
	else
		p->children = t->after;
	if (t->after)
		t->after->before = t->before;
	p->children_cnt--;
}

void parent_told(struct runner *x, struct strand *p, bool won, struct task *ended)
{
	struct task *t = p->task;
	bool ready;

	spin_lock(&t->lock);
	p->wins += won;
	if (ended)
		child_unlink(p, ended);
	ready = (p->wait == AWAIT_JOIN || p->wait == AWAIT_FIRST) && joined(p, p->wait);
	if (ready)
		p->wait = AWAIT_NOTHING;
	spin_unlock(&t->lock);
	if (ready)
		watch_ready(x, p);
}
