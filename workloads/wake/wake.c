/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the pool, its memory and its threads. */
#include <stdlib.h>

#include "workloads/wake/wake.h"

static const char *const kinds[] = {"scatter", "broadcast", "convoy", "nudge", "stop", NULL};

static unsigned helpers_of(const struct run_options *o)
{
	unsigned n = o->workers * o->fanout;

	return n > WAKE_HELPERS ? WAKE_HELPERS : n;
}

static unsigned threads(const struct run_options *o)
{
	return o->workers + helpers_of(o);
}

static void open_pool(struct run *r)
{
	struct pool *p = run_alloc(1, sizeof(*p));

	p->helpers = helpers_of(r->options);
	p->fronts = run_alloc(r->options->workers + 1, sizeof(*p->fronts));
	r->priv = p;
	for (unsigned i = 0; i < WAKE_SPARES; i++)
		recorder_spare(&r->channel, HANDOFF_WAKE, KEY_UADDR, false, 0,
			       (uintptr_t)&p->spares[i]);
	for (unsigned i = 0; i <= r->options->workers; i++)
		p->fronts[i].w = i < r->options->workers ? &r->workers[i] : run_main_worker(r);
	for (unsigned i = 0; i < p->helpers; i++) {
		p->box[i].bit = 1u << i;
		p->box[i].cpu = r->workers[r->options->workers + i].cpu;
	}
}

static void body(struct worker *w)
{
	struct pool *p = w->run->priv;
	unsigned fronts = w->run->options->workers;

	if (w->index < fronts)
		front_body(&p->fronts[w->index]);
	else
		helper_body(w, p, &p->box[w->index - fronts]);
}

static void quiesce(struct worker *w)
{
	struct pool *p = w->run->priv;

	front_stop_helpers(&p->fronts[w->run->options->workers]);
}

static void close_pool(struct run *r)
{
	struct pool *p = r->priv;

	free(p->fronts);
	free(p);
}

const struct workload workload = {
	.name = "wake",
	.models = "a thread pool with futex mailboxes",
	.kinds = kinds,
	.keys = 1u << KEY_UADDR,
	.handoffs = 1u << HANDOFF_WAKE,
	.marks = 1u << MARK_CROSS | 1u << MARK_FANOUT | 1u << MARK_SPURIOUS | 1u << MARK_REUSED_KEY,
	.defaults = {.ops = 2000,
		     .rate = 2900,
		     .depth = 2,
		     .workers = 2,
		     .queue_depth = 1,
		     .fanout = 4,
		     .cost_us = 150,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_pool,
	.body = body,
	.quiesce = quiesce,
	.close = close_pool,
};
