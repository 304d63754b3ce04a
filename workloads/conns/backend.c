/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads behind the connections: statements in, answers out. */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "workloads/conns/conns.h"

/* What a backend does for an operation, in hundredths over its statements. */
enum { SHARE_BACKEND = 60, SHARES = 100 };

static struct slot *slot_of(const struct backend *b, const struct frame *f)
{
	return &b->service->slots[f->slot];
}

static void answer(struct backend *b, struct conn *c, const struct frame *f, struct post *p,
		   unsigned verb, uint64_t op)
{
	stream_send(b->w, c->fd[END_SERVER], &c->in[END_CLIENT],
		    frame_draw(&b->w->rng, f->slot, f->part, verb), p, HANDOFF_MSG, op, b->sends++,
		    0);
}

static unsigned verb_for(const struct frame *f)
{
	return f->verb == VERB_BROKEN ? VERB_ERROR
	       : f->verb == VERB_SLOW ? VERB_NOTICE
				      : VERB_ANSWER;
}

/* No segment is open: with the last answer the operation may be over. */
static void answer_batch(struct backend *b, struct conn *c, uint64_t op)
{
	unsigned n = c->batch_cnt;

	c->batch_cnt = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct frame f = c->batch[i];

		answer(b, c, &f, &slot_of(b, &f)->up[f.part], verb_for(&f), op);
	}
}

static uint64_t execute(struct backend *b, struct conn *c, const struct frame *f, uint64_t from)
{
	struct stream *s = &c->in[END_SERVER];
	struct slot *sl = slot_of(b, f);
	struct sent sent = post_open(&sl->down[f->part]);
	uint64_t t;

	take(b->w, &sent, b->takes++, stream_marks(s), s->before, s->after, from);
	act_burn(b->w, SHARE_BACKEND, SHARES * sl->statements);
	t = segment_close(b->w);
	c->batch[c->batch_cnt++] = *f;
	if (f->verb != VERB_MORE)
		answer_batch(b, c, sent.op);
	return t;
}

/* Its operation is over. */
static uint64_t cancel(struct backend *b, struct conn *c, const struct frame *f)
{
	struct stream *s = &c->in[END_SERVER];
	struct slot *sl = slot_of(b, f);
	struct sent sent = post_open(&sl->cancel);
	uint64_t now = act_now(b->w);

	take_only(b->w, &sent, b->takes++, stream_marks(s) | 1u << MARK_LATE, s->before, s->after,
		  now);
	answer(b, c, f, &sl->late, VERB_ANSWER, sent.op);
	return now;
}

static void heard(struct backend *b, struct conn *c)
{
	struct stream *s = &c->in[END_SERVER];
	struct frame f;
	uint64_t from;

	if (!atomic_load_explicit(&c->served, memory_order_acquire))
		run_fail(0, "a connection that nobody opened");
	stream_read(b->w, s, &b->poller);
	if (s->ended) {
		close(c->fd[END_SERVER]);
		atomic_store_explicit(&c->served, false, memory_order_release);
		return;
	}
	from = s->after;
	while (stream_next(s, &f))
		from = f.verb == VERB_CANCEL ? cancel(b, c, &f) : execute(b, c, &f, from);
}

static void told(struct backend *b)
{
	struct stream *s = &b->told;
	struct sent sent;
	struct frame f;

	stream_read(b->w, s, &b->poller);
	if (!stream_next(s, &f))
		return;
	sent = post_open(&b->stop);
	take_only(b->w, &sent, b->takes++, 0, s->before, s->after, act_now(b->w));
	b->stopped = true;
}

void backend_tell(struct worker *w, struct backend *b, uint64_t op, uint64_t seq)
{
	stream_send(w, b->control[1], &b->told, frame_draw(&w->rng, 0, 0, VERB_STOP), &b->stop,
		    HANDOFF_MSG, op, seq, 0);
}

void backend_body(struct backend *b)
{
	struct sched_param none = {0};

	/* does not preempt who writes to it: batches are written to their end first */
	if (sched_setscheduler(0, SCHED_BATCH, &none) < 0)
		run_fail(-errno, "cannot make a backend a batch thread");
	while (!b->stopped) {
		poller_wait(&b->poller, b->w, UINT64_MAX);
		for (unsigned i = 0; i < b->poller.cnt; i++) {
			void *what = poller_found(&b->poller, i);

			if (what == b)
				told(b);
			else
				heard(b, what);
		}
	}
}
