/* SPDX-License-Identifier: BSD-2-Clause */
/* Callbacks: what an operation does when something of it is found ready; and the loop. */
#include "workloads/loop/loop.h"

/* Shares of what an operation costs, in hundredths: first, over its parts, after its delay, last.
 */
enum { SHARE_BEGIN = 20, SHARE_PARTS = 50, SHARE_DELAYED = 15, SHARE_LAST = 15, SHARES = 100 };

/* Nanoseconds. */
enum { DELAY_MIN = 500000, DELAY_SPREAD = 3000000 };

static bool serial(const struct loop *l)
{
	return l->w->run->options->serial;
}

/* ---- slots: last in, first out ---- */

OPERATOR struct slot *slot_get(struct loop *l)
{
	struct slot *sl = l->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	l->free = sl->next;
	sl->live = true;
	sl->sent = sl->waiting = 0;
	return sl;
}

OPERATOR void slot_put(struct loop *l, struct slot *sl)
{
	sl->live = false;
	sl->next = l->free;
	l->free = sl;
}

/* ---- what an operation does ---- */

static void send_next(struct loop *l, struct slot *sl)
{
	unsigned part = sl->sent++;

	sl->waiting++;
	switch (sl->op.kind) {
	case KIND_POST:
		bell_post(l, BELL_PARTS, sl, part);
		break;
	case KIND_SPREAD:
		pipe_send(l, sl->pipe + part, sl, part);
		break;
	default:
		pipe_send(l, sl->pipe, sl, part);
		break;
	}
}

/* In a row; serially each after the one before has come back. */
static void send_parts(struct loop *l, struct slot *sl)
{
	do
		send_next(l, sl);
	while (sl->sent < sl->parts && !serial(l));
}

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 50 ? KIND_PIPE : x < 60 ? KIND_SPREAD : KIND_POST;
}

static void begin(struct loop *l, uint64_t arrival)
{
	struct slot *sl = slot_get(l);

	op_begin(l->w, &sl->op, draw_kind(&l->w->rng), arrival);
	sl->parts = l->w->run->options->fanout;
	sl->pipe = rng_below(&l->w->rng, LOOP_PIPES);
	act_burn(l->w, SHARE_BEGIN, SHARES);
	send_parts(l, sl);
	segment_close(l->w);
	if (l->w->arrivals.inflight >= LOOP_MANY)
		act_outcome(l->w, OUTCOME_ALIVE);
}

/* A callback of this operation: was the one before another's, that is still alive? */
static void enter(struct loop *l, const struct slot *sl)
{
	if (l->last && l->last != sl && l->last->live)
		act_outcome(l->w, OUTCOME_INTERLEAVED);
	l->last = sl;
}

/* A segment is open in all of these; they close it and return when the thread was free again. */

static uint64_t part_done(struct loop *l, struct slot *sl)
{
	act_burn(l->w, SHARE_PARTS, SHARES * sl->parts);
	if (--sl->waiting == 0 && sl->sent == sl->parts)
		timer_arm(l, sl, DELAY_MIN + rng_below(&l->w->rng, DELAY_SPREAD));
	else if (sl->sent < sl->parts)
		send_next(l, sl);
	return segment_close(l->w);
}

static uint64_t delayed(struct loop *l, struct slot *sl)
{
	act_burn(l->w, SHARE_DELAYED, SHARES);
	bell_post(l, BELL_LAST, sl, LOOP_PARTS);
	return segment_close(l->w);
}

static uint64_t last_call(struct loop *l, struct slot *sl)
{
	act_burn(l->w, SHARE_LAST, SHARES);
	op_end(l->w, &sl->op);
	histogram_add(&l->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&l->w->arrivals);
	slot_put(l, sl);
	return act_now(l->w);
}

/* ---- what the loop finds ---- */

static void on_pipe(struct loop *l, struct stream *s)
{
	struct frame f;
	uint64_t from;

	stream_read(l->w, s, &l->poller);
	from = s->after;
	while (stream_next(s, &f)) {
		struct slot *sl = &l->slots[f.slot];
		struct sent sent = post_open(&sl->post[f.part]);

		enter(l, sl);
		take(l->w, &sent, l->takes++, stream_marks(s), s->before, s->after, from);
		from = part_done(l, sl);
	}
}

static void on_bell(struct loop *l, struct bell *b)
{
	unsigned n = bell_read(l, b);
	uint16_t marks = n > 1 ? 1u << MARK_COALESCED : 0;
	uint64_t before = l->poller.before, after = act_now(l->w), from = after;

	while (n--) {
		struct posted *p = bell_next(b);

		enter(l, p->slot);
		take(l->w, &p->sent, l->takes++, marks, before, after, from);
		from = b == &l->bells[BELL_LAST] ? last_call(l, p->slot) : part_done(l, p->slot);
	}
}

static void on_timer(struct loop *l, struct timer *t)
{
	struct slot *sl = t->slot;
	uint64_t after;

	if (!timer_read(t))
		return;
	after = act_now(l->w);
	enter(l, sl);
	take(l->w, &t->sent, l->takes++, 0, l->poller.before, after, after);
	timer_put(l, t);
	delayed(l, sl);
}

static void ready(struct loop *l, struct waitable *s)
{
	switch (s->kind) {
	case WAIT_PIPE:
		on_pipe(l, &((struct pipe_line *)s)->in);
		break;
	case WAIT_BELL:
		on_bell(l, (struct bell *)s);
		break;
	case WAIT_TIMER:
		on_timer(l, (struct timer *)s);
		break;
	}
}

static void admit(struct loop *l)
{
	struct arrivals *a = &l->w->arrivals;
	uint64_t arrival;

	while (l->free && arrivals_take(a, arrivals_clock(), &arrival))
		begin(l, arrival);
}

static uint64_t patience(const struct loop *l)
{
	return l->free ? arrivals_wait(&l->w->arrivals, arrivals_clock()) : UINT64_MAX;
}

static bool over(const struct loop *l)
{
	const struct arrivals *a = &l->w->arrivals;

	return !a->inflight && !(a->left && a->limit);
}

void loop_body(struct loop *l)
{
	while (!over(l)) {
		admit(l);
		poller_wait(&l->poller, l->w, patience(l));
		for (unsigned i = 0; i < l->poller.cnt; i++)
			ready(l, poller_found(&l->poller, i));
	}
}
