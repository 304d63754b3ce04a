/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the terminal server, its lines and its threads. */
#include <stdlib.h>

#include "workloads/work/work.h"

static const char *const kinds[] = {"log", "spread", "dialog", "wall", "stop", NULL};

/* Each front has a line to each console, twice, as far as there are lines. */
static unsigned lines_of(const struct run_options *o)
{
	unsigned n = 2 * o->workers * o->workers;

	return n > WORK_LINES ? WORK_LINES : n;
}

/* No console without a line. */
static unsigned consoles_of(const struct run_options *o)
{
	unsigned most = lines_of(o) / o->workers;

	return o->workers < most ? o->workers : most;
}

static unsigned threads(const struct run_options *o)
{
	return o->workers + consoles_of(o);
}

/* The lines are there before the first stop, so that each can be shown. */
static void prepare(struct run *r)
{
	const struct run_options *o = r->options;
	struct server *s = run_alloc(1, sizeof(*s));

	r->priv = s;
	s->lines_cnt = lines_of(o);
	s->consoles_cnt = consoles_of(o);
	for (unsigned i = 0; i < s->lines_cnt + WORK_SPARES; i++) {
		struct line *l = &s->lines[i];

		line_open(l, i);
		l->reader[MASTER] = i % o->workers;
		l->reader[SLAVE] = i / o->workers % s->consoles_cnt;
		if (o->calibrate)
			line_show(l);
	}
}

static void open_front(struct run *r, struct server *s, unsigned index)
{
	struct front *f = &s->fronts[index];

	f->w = &r->workers[index];
	f->server = s;
	poller_open(&f->poller);
	for (unsigned i = s->most; i-- > 0;) {
		struct slot *sl = &s->slots[index * s->most + i];

		sl->index = index * s->most + i;
		sl->next = f->free;
		f->free = sl;
	}
}

static void open_console(struct run *r, struct server *s, unsigned index)
{
	struct console *c = &s->consoles[index];

	c->w = &r->workers[r->options->workers + index];
	c->server = s;
	poller_open(&c->poller);
}

static void open_server(struct run *r)
{
	const struct run_options *o = r->options;
	struct server *s = r->priv;

	s->most = o->queue_depth < WORK_MOST ? o->queue_depth : WORK_MOST;
	s->slots = run_alloc((size_t)o->workers * s->most, sizeof(*s->slots));
	s->fronts = run_alloc(o->workers, sizeof(*s->fronts));
	s->consoles = run_alloc(s->consoles_cnt, sizeof(*s->consoles));
	for (unsigned i = 0; i < o->workers; i++)
		open_front(r, s, i);
	for (unsigned i = 0; i < s->consoles_cnt; i++)
		open_console(r, s, i);
	for (unsigned i = 0; i < s->lines_cnt; i++) {
		struct line *l = &s->lines[i];

		poller_add(&s->fronts[l->reader[MASTER]].poller, l->fd[MASTER], &l->in[MASTER]);
		poller_add(&s->consoles[l->reader[SLAVE]].poller, l->fd[SLAVE], &l->in[SLAVE]);
	}
	for (unsigned i = 0; i < WORK_SPARES * SIDES; i++)
		recorder_spare(&r->channel, HANDOFF_WORK, KEY_WORK, false, 0,
			       1 + SIDES * s->lines_cnt + i);
}

static void body(struct worker *w)
{
	struct server *s = w->run->priv;
	unsigned fronts = w->run->options->workers;

	if (w->index < fronts)
		front_body(&s->fronts[w->index]);
	else
		console_body(&s->consoles[w->index - fronts]);
}

static void quiesce(struct worker *w)
{
	front_stop(w, w->run->priv);
}

static void close_server(struct run *r)
{
	struct server *s = r->priv;

	for (unsigned i = 0; i < r->options->workers; i++)
		poller_close(&s->fronts[i].poller);
	for (unsigned i = 0; i < s->consoles_cnt; i++)
		poller_close(&s->consoles[i].poller);
	for (unsigned i = 0; i < s->lines_cnt + WORK_SPARES; i++)
		line_close(&s->lines[i]);
	free(s->slots);
	free(s->fronts);
	free(s->consoles);
	free(s);
}

const struct workload workload = {
	.name = "work",
	.models = "a terminal server",
	.kinds = kinds,
	.keys = 1u << KEY_WORK,
	.handoffs = 1u << HANDOFF_WORK,
	.marks = 1u << MARK_COALESCED | 1u << MARK_REUSED_KEY,
	.defaults = {.ops = 2000,
		     .rate = 2500,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 150,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.prepare = prepare,
	.open = open_server,
	.body = body,
	.quiesce = quiesce,
	.close = close_server,
};
