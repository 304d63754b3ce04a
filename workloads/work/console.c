/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads behind the terminals: read what was written, do it, answer. */
#include <errno.h>
#include <sched.h>

#include "workloads/work/work.h"

/* What a console does for one message, in hundredths of an operation over its messages. */
enum { SHARE_CONSOLE = 60, SHARES = 100 };

/* With its answer an operation may be over: no segment is open any more. */
static void answer(struct console *c)
{
	for (unsigned i = 0; i < c->done_cnt; i++) {
		const struct frame f = c->done[i];
		struct slot *sl = &c->server->slots[f.slot];

		line_send(c->w, sl->home, MASTER,
			  frame_draw(&c->w->rng, f.slot, f.part, VERB_ANSWER), &sl->up[f.part],
			  sl->op.id, c->sends++);
	}
	c->done_cnt = 0;
}

static uint64_t obey(struct console *c, const struct stream *s, const struct frame *f,
		     uint64_t from)
{
	struct slot *sl = &c->server->slots[f->slot];
	struct sent sent = post_open(&sl->down[f->part]);
	uint64_t t;

	take(c->w, &sent, c->takes++, stream_marks(s), s->before, s->after, from);
	act_burn(c->w, SHARE_CONSOLE, SHARES * sl->parts);
	t = segment_close(c->w);
	c->done[c->done_cnt++] = *f;
	if (c->done_cnt == WORK_DONE)
		answer(c);
	return t;
}

static uint64_t stop(struct console *c, const struct stream *s, const struct frame *f)
{
	struct sent sent = post_open(&c->server->stops[f->slot]);
	uint64_t now = act_now(c->w);

	take_only(c->w, &sent, c->takes++, stream_marks(s), s->before, s->after, now);
	c->stopped = true;
	return now;
}

static void heard(struct console *c, struct stream *s)
{
	struct frame f;
	uint64_t from;

	stream_read(c->w, s, &c->poller);
	from = s->after;
	while (stream_next(s, &f))
		from = f.verb == VERB_STOP ? stop(c, s, &f) : obey(c, s, &f, from);
	answer(c);
}

void console_body(struct console *c)
{
	struct sched_param none = {0};

	/* does not preempt who writes to it: bursts are written to their end first */
	if (sched_setscheduler(0, SCHED_BATCH, &none) < 0)
		run_fail(-errno, "cannot make a console a batch thread");
	while (!c->stopped) {
		poller_wait(&c->poller, c->w, UINT64_MAX);
		for (unsigned i = 0; i < c->poller.cnt; i++)
			heard(c, poller_found(&c->poller, i));
	}
}
