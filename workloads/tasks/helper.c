/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocking calls, on threads of their own that are started when they are needed. */
#include <errno.h>
#include <unistd.h>

#include "workloads/tasks/crew.h"

/* ---- the callers' side ---- */

/* One more where those that there are have enough to do. The operation whose request this is stays
 * in its segment meanwhile: the thread is born inside it. */
void helper_ready(struct runner *x)
{
	struct crew *c = x->crew;
	unsigned wanted = atomic_load(&c->helpers_busy) + atomic_load(&c->blocking.cnt) + 1;
	unsigned index = 0;

	spin_lock(&c->helpers_lock);
	if (c->helpers_started < CREW_HELPERS && c->helpers_started < wanted)
		index = c->run->threads_cnt - CREW_HELPERS + c->helpers_started++;
	spin_unlock(&c->helpers_lock);
	if (!index)
		return;
	act_outcome(x->w, OUTCOME_HELPER_BORN);
	run_start(&c->run->workers[index]);
}

void helper_call(struct runner *x, struct strand *s)
{
	uint64_t op = op_of(s->task);

	watch_queue(x, s, &x->crew->blocking);
	wake_helper(x, op);
}

/* ---- the helpers' side ---- */

enum { BLOCK_PARTS = 4, CALL_BYTES = TASK_SHORT };

/* A call that blocks: nothing of it can be cancelled once it has begun. */
OPERATOR static void blocking_call(struct runner *x, struct strand *s)
{
	off_t at = (off_t)s->index * CALL_BYTES;

	if (pread(x->crew->file, s->task->buffer + at, CALL_BYTES, at) != CALL_BYTES)
		run_fail(-errno, "cannot read the data file");
	act_burn(x->w, 1, BLOCK_PARTS * s->task->width);
}

static bool serve(struct runner *x)
{
	struct crew *c = x->crew;
	uint64_t before = x->looked, now = act_now(x->w), after;
	struct strand *s = atomic_load(&c->blocking.cnt) ? rt_pop(&c->blocking) : NULL;

	if (!s) {
		x->looked = now;
		return false;
	}
	after = act_now(x->w);
	atomic_fetch_add(&c->helpers_busy, 1);
	s->has_queued = false;
	take(x->w, &s->queued, x->takes++, 1u << MARK_CROSS, before, after, after);
	if (!atomic_load_explicit(&s->task->cancelled, memory_order_acquire))
		blocking_call(x, s);
	segment_close(x->w);
	watch_ready(x, s);
	atomic_fetch_sub(&c->helpers_busy, 1);
	return true;
}

void helper_body(struct runner *x)
{
	struct crew *c = x->crew;
	struct parking *p = &c->seats;

	for (;;) {
		if (serve(x))
			continue;
		if (atomic_load(&c->stop))
			return;
		seat_arm(p, x->seat);
		if (atomic_load(&c->blocking.cnt) || atomic_load(&c->stop))
			seat_leave(p, x->seat);
		else
			seat_sleep(x->w, p, x->seat, UINT64_MAX);
	}
}

/* `stop` has been set. */
void helper_stop(struct runner *x, uint64_t op)
{
	while (wake_helper(x, op))
		continue;
}
