/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads behind the terminals: read what was written, do it, answer. */
#include <errno.h>
#include <sched.h>

#include "workloads/work/work.h"

/* What a console does for one message, in hundredths of an operation over its messages. */
enum { SHARE_CONSOLE = 60, SHARES = 100 };

static uint64_t obey(struct console *c, const struct stream *s, const struct frame *f,
		     uint64_t from)
{
	struct slot *sl = &c->server->slots[f->slot];
	struct sent sent = post_open(&sl->down[f->part]);
	struct line *home = sl->home;
	uint64_t t;

	take(c->w, &sent, c->takes++, stream_marks(s), s->before, s->after, from);
	act_burn(c->w, SHARE_CONSOLE, SHARES * sl->parts);
	/* with the answer the operation may be over: no segment is open any more */
	t = segment_close(c->w);
	line_send(c->w, home, MASTER, frame_draw(&c->w->rng, f->slot, f->part, VERB_ANSWER),
		  &sl->up[f->part], sent.op, c->sends++);
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
