/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from the state of deques, strands and permits, as far as they are still the caller's to look
 * at: a strand that has been handed over is not.
 */
#include "workloads/tasks/crew.h"

static const struct rec_key no_key = {.ns = KEY_NONE};

/* ---- strands ---- */

static void spawn_begin(struct runner *x, struct strand *s, struct sent *sent, uint64_t op,
			uint16_t marks)
{
	sent_begin(x->w, sent, HANDOFF_SPAWN, op, task_key(s->task), x->seq++,
		   marks | task_marks(s->task), act_now(x->w));
	s->due = *sent;
	s->from = x;
}

static void spawn_call(struct runner *x, struct strand *s, const struct sent *sent)
{
	uint64_t pushes = x->deque.pushes, grown = x->deque.grown;

	rt_spawn(s, s->task, &x->deque);
	if (x->deque.grown != grown)
		act_outcome(x->w, OUTCOME_DEQUE_GROWN);
	if (x->deque.pushes == pushes)
		return;
	sent_end(x->w, sent, act_now(x->w));
	x->spawned++;
}

void watch_spawn(struct runner *x, struct strand *s, uint16_t marks)
{
	uint64_t op = op_of(s->task);
	struct sent sent;

	spawn_begin(x, s, &sent, op, marks);
	spawn_call(x, s, &sent);
	wake_worker(x, op);
}

void watch_spawn_root(struct runner *x, struct strand *s)
{
	uint64_t op = op_of(s->task);
	struct sent sent;

	spawn_begin(x, s, &sent, op, 0);
	segment_close(x->w); /* once it is pushed, the operation may end at any time */
	spawn_call(x, s, &sent);
	wake_worker(x, op);
}

/* Into the hands of whoever comes round. */
void watch_again(struct runner *x, struct strand *s, uint64_t op)
{
	struct sent sent;

	spawn_begin(x, s, &sent, op, s->ran ? 1u << MARK_REUSED_KEY : 0);
	x->spawned++;
	if (s->ran)
		act_outcome(x->w, OUTCOME_AGAIN);
	rt_again(s, s->task, &x->crew->later);
	sent_end(x->w, &sent, act_now(x->w));
}

void watch_park(struct runner *x, struct strand *s)
{
	struct sent sent;

	sent_begin(x->w, &sent, HANDOFF_RESUME, op_of(s->task), task_key(s->task), x->seq++,
		   task_marks(s->task), act_now(x->w));
	s->due = sent;
	s->from = x;
	rt_park(s, s->task);
	if (s->state != STRAND_SUSPENDED)
		run_fail(0, "a strand does not suspend");
	sent_end(x->w, &sent, act_now(x->w));
	x->parked++;
}

void watch_queue(struct runner *x, struct strand *s, struct line *l)
{
	struct sent sent;

	sent_begin(x->w, &sent, HANDOFF_QUEUE, op_of(s->task), task_key(s->task), x->seq++,
		   task_marks(s->task), act_now(x->w));
	s->queued = sent;
	s->has_queued = true;
	rt_push(s, s->task, l);
	sent_end(x->w, &sent, act_now(x->w));
}

void watch_ready(struct runner *x, struct strand *s)
{
	uint64_t op = op_of(s->task);

	if (x->is_worker) {
		rt_ready(s, s->task, &x->deque);
	} else {
		strand_due(s);
		watch_queue(x, s, &x->crew->injector);
	}
	wake_worker(x, op);
}

/* ---- permits ---- */

static unsigned permit_index(const struct crew *c, const struct permit *q)
{
	return (unsigned)(q - c->permit);
}

bool watch_take(struct runner *x, struct strand *s)
{
	struct crew *c = x->crew;
	unsigned held = s->held;
	uint64_t t0 = act_now(x->w), t1, life;

	permit_take(&c->permits, s);
	t1 = act_now(x->w);
	if (s->held == held)
		return false;
	life = recorder_token(&x->w->rec);
	c->permit_life[permit_index(c, s->permit)] = life;
	happened(x->w, EVENT_ACQUIRE, CLASS_PERMIT, (uintptr_t)s->permit, life, s->held - held,
		 op_of(s->task), DESC_ACQUIRE, t0, t1);
	return true;
}

bool watch_wait(struct runner *x, struct strand *s)
{
	struct permits *p = &x->crew->permits;
	uint64_t op = op_of(s->task), t0 = act_now(x->w);

	if (!permit_wait(p, s))
		return false;
	happened(x->w, EVENT_WAIT, CLASS_PERMIT, (uintptr_t)p, recorder_token(&x->w->rec), 1, op,
		 DESC_WAIT, t0, act_now(x->w));
	return true;
}

void watch_use(struct runner *x, struct strand *s)
{
	struct crew *c = x->crew;
	struct permit *q = s->permit;
	uint64_t t0 = act_now(x->w);

	permit_use(q);
	happened(x->w, EVENT_USE, CLASS_PERMIT, (uintptr_t)q, c->permit_life[permit_index(c, q)], 1,
		 op_of(s->task), DESC_USE, t0, act_now(x->w));
}

static void grant(struct runner *x, uint64_t op)
{
	struct crew *c = x->crew;

	while (atomic_load(&c->permits.line.cnt)) {
		struct strand *to;
		struct sent sent;

		sent_begin(x->w, &sent, HANDOFF_GRANT, op, no_key, RECORDER_NO_SEQ, 0,
			   act_now(x->w));
		to = permit_grant(&c->permits, &sent);
		if (!to)
			return;
		sent_end(x->w, &sent, act_now(x->w));
		spin_lock(&to->task->lock);
		to->wait = AWAIT_NOTHING;
		spin_unlock(&to->task->lock);
		watch_ready(x, to);
	}
}

void watch_give(struct runner *x, struct strand *s)
{
	struct crew *c = x->crew;
	struct permit *q = s->permit;
	uint64_t life = c->permit_life[permit_index(c, q)], op = op_of(s->task);
	unsigned held = s->held;
	uint64_t t0 = act_now(x->w), t1;

	permit_give(q, &c->permits, s);
	t1 = act_now(x->w);
	if (s->held != held)
		happened(x->w, EVENT_RELEASE, CLASS_PERMIT, (uintptr_t)q, life, held - s->held, op,
			 DESC_RELEASE, t0, t1);
	grant(x, op);
}
