/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker: finds a strand, runs it, suspends or ends it; sleeps when there is none. */
#include <string.h>

#include "workloads/tasks/crew.h"

/* How often the injector comes before the own deque, so that it does not starve. */
enum { TICKS = 61 };

/*
 * What was found, and the windows of the look that found it. What came to a line or was granted was
 * not there when nothing was. A run is seen after that look: those that one look leaves behind come
 * to be the next by it, else the time of one run would lie in the windows of others.
 */
struct found {
	struct strand *strand;
	uint16_t marks;
	uint64_t empty, before, after;
};

/* ---- running ---- */

static bool cancelled(const struct task *t)
{
	return atomic_load_explicit(&t->cancelled, memory_order_acquire);
}

static uint16_t cross(const struct runner *x, const struct strand *s)
{
	return s->from != x ? 1u << MARK_CROSS : 0;
}

static void take_one(struct runner *x, struct sent *sent, uint64_t before, uint64_t after,
		     uint64_t op, uint16_t marks)
{
	sent->op = op;
	take(x->w, sent, x->takes++, marks, before, after, after);
}

/* Everything that brought the strand here starts its segment. */
static void take_all(struct runner *x, struct strand *s, const struct found *f, uint64_t op)
{
	uint16_t marks = f->marks | cross(x, s);

	if (s->has_queued)
		take_one(x, &s->queued, f->empty, f->after, op, 0);
	if (s->has_granted)
		take_one(x, &s->granted, f->empty, f->after, op, 0);
	s->has_queued = s->has_granted = false;
	if (s->ran && cancelled(s->task))
		marks |= 1u << MARK_CANCELLED;
	if (s->ran && s->from != x)
		act_outcome(x->w, OUTCOME_RESUMED_ELSEWHERE);
	take_one(x, &s->due, f->before, f->after, op, marks);
}

/* The operation of a root task is over; its last segment is open. */
static void op_over(struct runner *x, struct task *t)
{
	struct crew *c = x->crew;
	struct runner *home = &c->runners[t->home];
	uint64_t op = t->op.id;

	op_end(x->w, &t->op);
	histogram_add(&x->w->latency, arrivals_clock() - t->op.arrival);
	rt_end(t);
	task_free(c, t);
	if (home == x) {
		arrivals_done(&x->w->arrivals);
	} else {
		atomic_fetch_add(&home->ended, 1);
		seat_wake(x->w, &c->seats, home->seat, op);
	}
	if (atomic_fetch_sub(&c->active, 1) != 1)
		return;
	atomic_store(&c->over, true);
	while (parking_wake(x->w, &c->seats, 0, c->workers, op))
		continue;
}

/* The strand has come to its end; `open`: in a segment. */
static void finish(struct runner *x, struct strand *s, bool open)
{
	struct task *t = s->task;
	struct strand *p = t->parent;

	if (!p) {
		rt_finish(s, t);
		op_over(x, t);
		return;
	}
	if (open)
		segment_close(x->w);
	if (s->won) /* before the last strand may tell the parent to go on without us */
		parent_told(x, p, true, NULL);
	if (!rt_finish(s, t))
		return;
	parent_told(x, p, false, t);
	task_free(x->crew, t);
}

/* It was cancelled before it ever ran. */
static void drop(struct runner *x, struct strand *s)
{
	sent_lost(x->w, &s->due, 1u << MARK_CANCELLED);
	x->dropped++;
	act_outcome(x->w, OUTCOME_CANCELLED_UNRUN);
	finish(x, s, false);
}

static void suspend(struct runner *x, struct strand *s)
{
	watch_park(x, s);
	segment_close(x->w); /* once it is armed, its operation may end at any time */
	await_arm(x, s);
}

static void count_run(struct runner *x, struct strand *s)
{
	if (atomic_fetch_sub_explicit(&s->owed, 1, memory_order_relaxed) != 1)
		run_fail(0, "a strand runs twice");
	if (s->ran)
		x->resumed++;
}

static void run_strand(struct runner *x, const struct found *f)
{
	struct strand *s = f->strand;
	struct task *t = s->task;

	count_run(x, s);
	if (t->body == sweep_body) { /* each of its runs is an operation of its own */
		x->ran++;
		op_begin(x->w, &t->op, KIND_SWEEP, arrivals_clock());
		s->due.op = t->op.id;
		take(x->w, &s->due, x->takes++, f->marks | cross(x, s), f->before, f->after,
		     x->w->segment_t0);
		rt_run(s, t, x);
		return;
	}
	if (!s->ran && cancelled(t)) {
		drop(x, s);
		return;
	}
	x->ran += !s->ran;
	take_all(x, s, f, op_of(t));
	if (rt_run(s, t, x) == NEXT_DONE)
		finish(x, s, true);
	else
		suspend(x, s);
}

/* ---- finding ---- */

/* Whose turn it is to be robbed says a count: requests are drawn from the worker's random numbers,
 * and how often it looks around is not to change them. */
static struct strand *steal(struct runner *x)
{
	struct crew *c = x->crew;
	unsigned first = x->looks++ % c->workers;

	for (unsigned i = 0; i < c->workers; i++) {
		struct runner *other = &c->runners[(first + i) % c->workers];
		struct strand *s = other == x ? NULL : deque_steal(&other->deque);

		if (s)
			return s;
	}
	return NULL;
}

static struct strand *inject(struct runner *x)
{
	struct line *l = &x->crew->injector;

	return atomic_load(&l->cnt) ? rt_pop(l) : NULL;
}

static struct strand *look(struct runner *x, uint16_t *ret_marks)
{
	bool fair = !serial(x->crew) && x->ticks++ % TICKS == 0;
	struct strand *s = fair ? inject(x) : NULL;

	if (!s)
		s = deque_take(&x->deque);
	if (!s)
		s = inject(x);
	if (s)
		return s;
	s = steal(x);
	if (s)
		*ret_marks = 1u << MARK_STOLEN;
	return s;
}

static bool find(struct runner *x, struct found *ret)
{
	*ret = (struct found){.empty = x->looked, .before = x->look};
	ret->strand = look(x, &ret->marks);
	ret->after = x->look = act_now(x->w);
	return ret->strand != NULL;
}

/* ---- sleeping ---- */

/* A look that finds no strand may have lost one to another thread, with more behind it; this one
 * says that all was empty. */
static bool anything(struct runner *x)
{
	struct crew *c = x->crew;

	if (atomic_load(&c->over) || atomic_load(&x->ended) || atomic_load(&c->injector.cnt))
		return true;
	for (unsigned i = 0; i < c->workers; i++) {
		if (!deque_is_empty(&c->runners[i].deque))
			return true;
	}
	return false;
}

static uint64_t next_arrival(const struct runner *x)
{
	const struct arrivals *a = &x->w->arrivals;
	uint64_t now = arrivals_clock();
	uint64_t ns = a->inflight < x->crew->most ? arrivals_wait(a, now) : UINT64_MAX;

	return ns == UINT64_MAX ? ns : now + ns;
}

static void idle(struct runner *x)
{
	struct parking *p = &x->crew->seats;
	uint64_t now;

	seat_arm(p, x->seat);
	now = act_now(x->w);
	if (anything(x)) {
		seat_leave(p, x->seat);
		return;
	}
	x->looked = now;
	seat_sleep(x->w, p, x->seat, next_arrival(x));
}

/* ---- the whole ---- */

static void count_ended(struct runner *x)
{
	for (unsigned n = atomic_exchange(&x->ended, 0); n; n--)
		arrivals_done(&x->w->arrivals);
}

void worker_body(struct runner *x)
{
	struct found f;

	for (;;) {
		count_ended(x);
		if (find(x, &f)) {
			run_strand(x, &f);
			continue;
		}
		if (atomic_load(&x->crew->over))
			return;
		if (!admit(x))
			idle(x);
	}
}

/* ---- the end ---- */

static void forget(struct runner *x, struct strand *s)
{
	sent_lost(x->w, &s->due, 1u << MARK_CANCELLED);
	x->dropped++;
}

/* What was re-submitted and never came round. Workers have ended; all operations have. */
void crew_settle(struct runner *x)
{
	struct crew *c = x->crew;
	struct strand *s = atomic_exchange(&c->later, NULL);
	uint64_t spawned = 0, ran = 0, dropped = 0, parked = 0, resumed = 0;

	if (s)
		forget(x, s);
	for (unsigned i = 0; i < c->workers; i++) {
		while ((s = deque_steal(&c->runners[i].deque)))
			forget(x, s);
	}
	for (unsigned i = 0; i <= c->run->threads_cnt; i++) {
		const struct runner *r = &c->runners[i];

		spawned += r->spawned;
		ran += r->ran;
		dropped += r->dropped;
		parked += r->parked;
		resumed += r->resumed;
	}
	if (spawned != ran + dropped || parked != resumed)
		run_fail(0,
			 "%llu strands spawned, %llu run, %llu dropped; %llu suspended, %llu "
			 "resumed",
			 (unsigned long long)spawned, (unsigned long long)ran,
			 (unsigned long long)dropped, (unsigned long long)parked,
			 (unsigned long long)resumed);
}
