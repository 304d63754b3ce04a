/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the event loops and their threads. */
#include <stdlib.h>

#include "workloads/loop/loop.h"

static const char *const kinds[] = {"pipe", "spread", "post", NULL};
static const char *const outcomes[] = {"interleaved", "many_alive", NULL};

static unsigned threads(const struct run_options *o)
{
	return o->workers;
}

static void open_loop(struct run *r, struct loop *l, unsigned index)
{
	unsigned depth = r->options->queue_depth;

	l->w = &r->workers[index];
	l->most = depth < LOOP_MOST ? depth : LOOP_MOST;
	l->slots = run_alloc(l->most, sizeof(*l->slots));
	for (unsigned i = l->most; i-- > 0;) {
		struct slot *sl = &l->slots[i];

		sl->index = i;
		sl->next = l->free;
		l->free = sl;
	}
	poller_open(&l->poller);
	sources_open(l);
}

static void open_all(struct run *r)
{
	struct loop *all = run_alloc(r->options->workers, sizeof(*all));

	r->priv = all;
	for (unsigned i = 0; i < r->options->workers; i++)
		open_loop(r, &all[i], i);
	sources_spare(&all[0], &r->channel);
}

static void body(struct worker *w)
{
	loop_body((struct loop *)w->run->priv + w->index);
}

static void close_all(struct run *r)
{
	struct loop *all = r->priv;

	for (unsigned i = 0; i < r->options->workers; i++) {
		sources_close(&all[i]);
		poller_close(&all[i].poller);
		free(all[i].slots);
	}
	free(all);
}

const struct workload workload = {
	.name = "loop",
	.models = "a single-threaded event loop",
	.kinds = kinds,
	.keys = 1u << KEY_FD | 1u << KEY_TIMERFD,
	.handoffs = 1u << HANDOFF_MSG | 1u << HANDOFF_TIMER,
	.marks = 1u << MARK_COALESCED | 1u << MARK_REUSED_KEY,
	.outcomes = outcomes,
	.defaults = {.ops = 2000,
		     .rate = 2900,
		     .depth = 16,
		     .workers = 2,
		     .queue_depth = 64,
		     .fanout = 6,
		     .cost_us = 160,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_all,
	.body = body,
	.close = close_all,
};
