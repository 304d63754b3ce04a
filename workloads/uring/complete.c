/* SPDX-License-Identifier: BSD-2-Clause */
/* What a completion is recognised as, and what it sets going. */
#include <errno.h>
#include <unistd.h>

#include "workloads/uring/entries.h"

static unsigned fanout(const struct server *sv)
{
	return sv->w->run->options->fanout;
}

/* To itself: what reads it is the server that wrote it, once the poll has seen it. */
void notify(struct slot *s)
{
	struct server *sv = s->owner;

	sent_begin(sv->w, &s->note, HANDOFF_MSG, s->op.id, s->pipe_key, sv->seq++,
		   s->noted ? 1u << MARK_REUSED_KEY : 0, act_now(sv->w));
	if (write(s->pipe[1], "", 1) != 1)
		run_fail(-errno, "cannot write a notification");
	sent_end(sv->w, &s->note, act_now(sv->w));
	s->noted = true;
}

static void read_note(struct slot *s)
{
	struct server *sv = s->owner;
	uint64_t after;
	char byte;

	if (read(s->pipe[0], &byte, 1) != 1)
		run_fail(-errno, "cannot read a notification");
	after = act_now(sv->w);
	take_only(sv->w, &s->note, sv->takes++, 0, s->note.t0, after, after);
}

/* ---- work for others ---- */

/* Message taken: a slot of our own stands for the asker's operation here. */
static uint64_t work_begin(struct server *sv, struct slot *home, const struct sent *sent,
			   const struct completion *c)
{
	struct slot *s = slot_get(sv);

	if (!s)
		run_fail(0, "no slot for another's operation");
	take(sv->w, sent, sv->takes++, 0, c->before, c->after, c->from);
	s->op = home->op;
	s->home = home;
	s->asker = home->owner;
	s->pieces = home->pieces;
	if (sv->sqpoll)
		add_chain(sv, s);
	else
		add_reads(sv, s, fanout(sv));
	server_submit(sv, s->op.id);
	return segment_close(sv->w);
}

/* All done here: answer. No segment is open: the operation may end before we are back. */
static void work_end(struct server *sv, struct slot *s)
{
	s->waiting = 1; /* our own end of the message */
	s->stage++;
	server_message(sv, s, s->asker, s->home, VERB_REPLY, 0);
	server_submit(sv, s->op.id);
}

/* ---- completions ---- */

static bool matches(const struct slot *s, const struct request *q, const struct completion *c)
{
	if (!q->used || q->apart != c->apart)
		return false;
	switch (q->expect) {
	case EXPECT_BYTES:
		return c->res == (int32_t)request_bytes(s, q);
	case EXPECT_TIMER:
		return c->res == -ETIME;
	case EXPECT_CANCELLED:
		return c->res == -ECANCELED;
	case EXPECT_CANCEL:
		return c->res == 1 && !(c->flags & IORING_CQE_F_MORE);
	case EXPECT_POLL:
		return (c->res > 0 && c->flags & IORING_CQE_F_MORE) || c->res == -ECANCELED;
	default:
		return c->res == 0;
	}
}

/* The one request that can have returned this. */
static struct request *find_request(struct slot *s, const struct completion *c)
{
	struct request *found = NULL;

	for (unsigned i = 0; i < URING_REQUESTS; i++) {
		struct request *q = &s->request[i];

		if (!matches(s, q, c))
			continue;
		if (found)
			run_fail(0, "result %d fits two requests", c->res);
		found = q;
	}
	if (!found)
		run_fail(0, "result %d (flags %x) fits no request", c->res, c->flags);
	return found;
}

/* An operation has nothing left to wait for; its last segment is open, and closed on return. */
static uint64_t operation_end(struct server *sv, struct slot *s)
{
	uint64_t now;

	op_end(sv->w, &s->op);
	now = arrivals_clock();
	histogram_add(&sv->w->latency, now - s->op.arrival);
	arrivals_done(&sv->w->arrivals);
	slot_put(s);
	return act_now(sv->w);
}

static uint64_t step_end(struct server *sv, struct slot *s)
{
	uint64_t t;

	if (!s->home)
		return operation_end(sv, s);
	t = segment_close(sv->w);
	work_end(sv, s);
	return t;
}

static void burn_piece(struct server *sv, const struct slot *s)
{
	act_burn(sv->w, SHARE_PIECES, SHARES * s->pieces);
}

/* One shot of many: the next notification, or enough of them. */
static void followed(struct server *sv, struct slot *s)
{
	read_note(s);
	if (--s->notes) {
		notify(s);
		return;
	}
	add_cancel(sv, s);
	server_submit(sv, s->op.id);
}

/* A multishot request's sending end is written with each of its shots. */
static struct sent shot(struct server *sv, struct request *q, bool more)
{
	struct sent s = q->sent;

	if (q->expect != EXPECT_POLL)
		return s;
	if (more) {
		uint64_t t0 = q->sent.t0;

		sent_begin(sv->w, &q->sent, HANDOFF_IO, s.op, s.key, s.seq, s.marks, t0);
	} else {
		s.marks |= 1u << MARK_CANCELLED;
	}
	sent_end(sv->w, &s, q->t1);
	return s;
}

/* Taken after its operation, or of no consequence to it: no segment. */
static uint64_t completed_aside(struct server *sv, const struct sent *sent, uint16_t marks,
				const struct completion *c)
{
	uint64_t now = act_now(sv->w);

	take_only(sv->w, sent, sv->takes++, marks, c->before, c->after, now);
	return now;
}

/* The answer's own end: nobody waits for it, the operation may be over. */
static uint64_t answered(struct server *sv, struct slot *s, const struct sent *sent,
			 const struct completion *c)
{
	slot_put(s);
	return completed_aside(sv, sent, 0, c);
}

static uint64_t request_completed(struct server *sv, struct slot *s, const struct completion *c)
{
	struct request *q = find_request(s, c);
	bool more = c->flags & IORING_CQE_F_MORE, late = !s->busy || q->serial != s->serial;
	bool awaited = q->awaited && !more, poll = q->expect == EXPECT_POLL && more;
	struct sent sent = shot(sv, q, more);

	if (!more) {
		q->used = false;
		sv->outstanding--;
	}
	if (late || !(awaited || poll))
		return completed_aside(sv, &sent, late ? 1u << MARK_LATE : 0, c);
	if (s->home && s->stage)
		return answered(sv, s, &sent, c);
	take(sv->w, &sent, sv->takes++, 0, c->before, c->after, c->from);
	if (q->expect != EXPECT_SENT && q->expect != EXPECT_CANCEL)
		burn_piece(sv, s);
	if (poll)
		followed(sv, s);
	else if (--s->waiting == 0)
		return step_end(sv, s);
	return segment_close(sv->w);
}

static struct sent mail_open(struct slot *s)
{
	if (!atomic_load_explicit(&s->mail.posted, memory_order_acquire))
		run_fail(0, "a message without a sender");
	atomic_store_explicit(&s->mail.posted, false, memory_order_relaxed);
	return s->mail.sent;
}

static uint64_t message_completed(struct server *sv, struct slot *s, enum verb verb,
				  const struct completion *c)
{
	struct sent sent = mail_open(s);

	switch (verb) {
	case VERB_WORK:
		return work_begin(sv, s, &sent, c);
	case VERB_REPLY:
		take(sv->w, &sent, sv->takes++, 0, c->before, c->after, c->from);
		burn_piece(sv, s);
		if (--s->waiting == 0)
			return step_end(sv, s);
		return segment_close(sv->w);
	default:
		sv->stopping = true;
		sv->last_op = sent.op;
		return completed_aside(sv, &sent, 0, c);
	}
}

uint64_t operation_completed(struct server *sv, const struct completion *c)
{
	if (c->res >= URING_MESSAGE)
		return message_completed(sv, c->slot, (enum verb)(c->res - URING_MESSAGE), c);
	return request_completed(sv, c->slot, c);
}
