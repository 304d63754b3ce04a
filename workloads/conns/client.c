/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that take requests: lease, send, wait, return. */
#include "workloads/conns/conns.h"
#include "workloads/driver/settings.h"

/* Shares of what an operation costs, in hundredths; the rest is the backends'. */
enum { SHARE_BEGIN = 20, SHARE_ANSWERS = 20, SHARES = 100 };

enum { IN_VAIN = 3 };

/* With a slow statement, ns; too much, should it ail. */
enum { PATIENCE = 1000000, PATIENCE_AIL = 20000000 };

static unsigned fanout(const struct client *s)
{
	return s->w->run->options->fanout;
}

static bool serial(const struct client *s)
{
	return s->w->run->options->serial;
}

/* ---- slots: last in, first out ---- */

static struct slot *slot_get(struct client *s)
{
	struct slot *sl = s->free;

	if (!sl)
		run_fail(0, "no slot for an operation");
	s->free = sl->next;
	sl->live = true;
	sl->broken = false;
	sl->made = sl->waiting = 0;
	return sl;
}

static void slot_put(struct client *s, struct slot *sl)
{
	sl->next = s->free;
	s->free = sl;
}

/* ---- statements ---- */

static unsigned verb_of(const struct slot *sl, unsigned statement, unsigned in_batch)
{
	if (statement + 1 < sl->statements)
		return in_batch ? VERB_MORE : VERB_LAST;
	if (sl->op.kind == KIND_BROKEN && !sl->broken)
		return VERB_BROKEN;
	return sl->op.kind == KIND_SLOW ? VERB_SLOW : VERB_LAST;
}

static void statement(struct client *s, struct slot *sl, unsigned part, unsigned verb)
{
	struct conn *c = sl->conn;

	watch_use(s, c, part, sl->op.id);
	sl->waiting++;
	stream_send(s->w, c->fd[END_CLIENT], &c->in[END_SERVER],
		    frame_draw(&s->w->rng, sl->index, part, verb), &sl->down[part], HANDOFF_MSG,
		    sl->op.id, s->sends++, 0);
}

/* All that are to be made, in a row; serially only the next. */
static void make_statements(struct client *s, struct slot *sl)
{
	do {
		unsigned part = sl->made++;

		statement(s, sl, part, verb_of(sl, part, !serial(s)));
	} while (sl->made < sl->statements && !serial(s));
}

/* A segment is open; it is closed on return. */
static uint64_t lease(struct client *s, struct slot *sl)
{
	sl->conn = watch_lease(s, sl->op.id);
	if (!sl->conn) {
		sl->waiter = (struct waiter){.slot = sl};
		watch_wait(s, sl, sl->op.id);
		return segment_close(s->w);
	}
	sl->conn->slot = sl;
	make_statements(s, sl);
	return segment_close(s->w);
}

/* ---- operations ---- */

static unsigned draw_kind(struct rng *r)
{
	unsigned x = rng_below(r, 100);

	return x < 55 ? KIND_QUERY : x < 75 ? KIND_UPDATE : x < 87 ? KIND_BROKEN : KIND_SLOW;
}

/* Should it ail: connections are leased and given back, for nothing. */
static void lease_in_vain(struct client *s, uint64_t op)
{
	for (unsigned i = 0; settings_ail(DIAGNOSIS_WASTEFUL) && i < IN_VAIN; i++) {
		struct conn *c = watch_lease(s, op);

		if (!c)
			return;
		watch_return(s, c, op);
		watch_grant(s, op);
	}
}

static void begin(struct client *s, uint64_t arrival)
{
	struct slot *sl = slot_get(s);

	op_begin(s->w, &sl->op, draw_kind(&s->w->rng), arrival);
	sl->statements = sl->op.kind == KIND_UPDATE ? fanout(s) / 2 + 1 : fanout(s);
	act_burn(s->w, SHARE_BEGIN, SHARES);
	lease_in_vain(s, sl->op.id);
	lease(s, sl);
}

/* The operation's last segment is open. */
static uint64_t end(struct client *s, struct slot *sl)
{
	op_end(s->w, &sl->op);
	histogram_add(&s->w->latency, arrivals_clock() - sl->op.arrival);
	arrivals_done(&s->w->arrivals);
	sl->live = false;
	if (!sl->draining)
		slot_put(s, sl);
	return act_now(s->w);
}

static uint64_t finish(struct client *s, struct slot *sl)
{
	watch_return(s, sl->conn, sl->op.id);
	watch_grant(s, sl->op.id);
	return end(s, sl);
}

/* The connection is gone; what broke is made again on another one. */
static uint64_t broke(struct client *s, struct slot *sl)
{
	watch_discard(s, sl->conn, sl->op.id);
	watch_grant(s, sl->op.id);
	sl->broken = true;
	sl->statements++;
	return lease(s, sl);
}

/* All that was sent has been answered. */
static uint64_t went_on(struct client *s, struct slot *sl, unsigned verb)
{
	if (verb == VERB_ERROR)
		return broke(s, sl);
	if (sl->made < sl->statements) {
		make_statements(s, sl);
	} else if (verb == VERB_NOTICE) {
		sl->due = arrivals_clock() +
			  (settings_ail(DIAGNOSIS_CONVOY) ? PATIENCE_AIL : PATIENCE);
		queue_add(&s->due, sl);
	} else {
		return finish(s, sl);
	}
	return segment_close(s->w);
}

/* Too long: the operation ends, and its connection waits for what may still come. */
static void time_out(struct client *s, struct slot *sl)
{
	struct conn *c = sl->conn;

	segment_open(s->w, sl->op.id, act_now(s->w));
	sl->draining = true;
	s->draining++;
	stream_send(s->w, c->fd[END_CLIENT], &c->in[END_SERVER],
		    frame_draw(&s->w->rng, sl->index, 0, VERB_CANCEL), &sl->cancel, HANDOFF_MSG,
		    sl->op.id, s->sends++, 0);
	watch_drain(s, c, sl->op.id);
	end(s, sl);
}

/* ---- what comes in ---- */

static uint64_t late(struct client *s, struct slot *sl, const struct stream *in)
{
	struct sent sent = post_open(&sl->late);

	take_only(s->w, &sent, s->takes++, stream_marks(in) | 1u << MARK_LATE, in->before,
		  in->after, act_now(s->w));
	watch_drained(s, sl->conn, sent.op);
	watch_grant(s, sent.op);
	sl->draining = false;
	s->draining--;
	slot_put(s, sl);
	return act_now(s->w);
}

static uint64_t answered(struct client *s, struct slot *sl, const struct stream *in,
			 const struct frame *f, uint64_t from)
{
	struct sent sent = post_open(&sl->up[f->part]);

	take(s->w, &sent, s->takes++, stream_marks(in), in->before, in->after, from);
	act_burn(s->w, SHARE_ANSWERS, SHARES * sl->statements);
	return --sl->waiting ? segment_close(s->w) : went_on(s, sl, f->verb);
}

static void heard(struct client *s, struct conn *c)
{
	struct stream *in = &c->in[END_CLIENT];
	struct frame f;
	uint64_t from;

	stream_read(s->w, in, &s->poller);
	from = in->after;
	while (stream_next(in, &f)) {
		struct slot *sl = &s->service->slots[f.slot];

		from = sl->live ? answered(s, sl, in, &f, from) : late(s, sl, in);
	}
}

static void take_granted(struct client *s)
{
	for (;;) {
		uint64_t now = act_now(s->w);
		struct slot *sl = queue_take(&s->granted);
		struct sent sent;

		if (!sl) {
			s->granted_look = now;
			return;
		}
		sent = sl->waiter.sent;
		sent.op = sl->op.id;
		now = act_now(s->w);
		take(s->w, &sent, RECORDER_NO_SEQ, 0, s->granted_look, now, now);
		lease(s, sl);
		watch_grant(s, sl->op.id);
	}
}

static void take_due(struct client *s)
{
	while (s->due.first && s->due.first->due <= arrivals_clock())
		time_out(s, queue_take(&s->due));
}

static void admit(struct client *s)
{
	struct arrivals *a = &s->w->arrivals;
	uint64_t arrival;

	while (s->free && arrivals_take(a, arrivals_clock(), &arrival))
		begin(s, arrival);
}

static uint64_t patience(const struct client *s)
{
	uint64_t now = arrivals_clock();
	uint64_t next = s->free ? arrivals_wait(&s->w->arrivals, now) : UINT64_MAX;

	if (s->due.first) {
		uint64_t due = s->due.first->due;
		uint64_t left = due > now ? due - now : 0;

		next = left < next ? left : next;
	}
	return next;
}

static bool over(const struct client *s)
{
	const struct arrivals *a = &s->w->arrivals;

	return !a->inflight && !(a->left && a->limit) && !s->draining;
}

void client_body(struct client *s)
{
	while (!over(s)) {
		take_granted(s);
		take_due(s);
		admit(s);
		poller_wait(&s->poller, s->w, patience(s));
		for (unsigned i = 0; i < s->poller.cnt; i++)
			heard(s, poller_found(&s->poller, i));
	}
	watch_end(s);
}
