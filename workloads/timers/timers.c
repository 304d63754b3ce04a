/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service and its threads. */
#include <stdlib.h>

#include "workloads/timers/timers.h"

static const char *const kinds[] = {"descriptor", "signal", "ring", NULL};
static const char *const outcomes[] = {"rearmed", "gave_up", "cancelled_in_time",
				       "cancelled_too_late", NULL};

static unsigned threads(const struct run_options *o)
{
	return o->workers;
}

static void open_spares(struct run *r, struct service *s)
{
	for (unsigned i = 0; i < TIMERS_SPARES; i++)
		recorder_spare(&r->channel, HANDOFF_IO, KEY_USER_DATA, true, s->scope,
			       (uintptr_t)&s->spares[i]);
	for (unsigned i = 0; i < TIMERS_SPARES / 2; i++)
		recorder_spare(&r->channel, HANDOFF_TIMER, KEY_TIMERFD, false, 0,
			       (uint64_t)s->spare_fds[i]);
	for (unsigned i = 0; i < TIMERS_SPARES / 2; i++)
		recorder_spare(&r->channel, HANDOFF_TIMER, KEY_NONE, false, 0, 0);
}

static void open_service(struct run *r, struct service *s, unsigned index)
{
	unsigned depth = r->options->queue_depth;

	s->w = &r->workers[index];
	s->scope = index + 1;
	s->most = depth < TIMERS_MOST ? depth : TIMERS_MOST;
	s->slots = run_alloc(s->most, sizeof(*s->slots));
	s->spares = run_alloc(TIMERS_SPARES, sizeof(*s->spares));
	for (unsigned i = s->most; i-- > 0;)
		slot_put(s, &s->slots[i]);
	poller_open(&s->poller);
	ring_open(s);
	clocks_open(s);
}

static void open_all(struct run *r)
{
	struct service *all = run_alloc(r->options->workers, sizeof(*all));

	r->priv = all;
	clocks_block();
	for (unsigned i = 0; i < r->options->workers; i++)
		open_service(r, &all[i], i);
	open_spares(r, &all[0]);
}

static void body(struct worker *w)
{
	struct service *s = (struct service *)w->run->priv + w->index;

	clocks_start(s);
	service_body(s);
}

static void close_all(struct run *r)
{
	struct service *all = r->priv;

	for (unsigned i = 0; i < r->options->workers; i++) {
		struct service *s = &all[i];

		io_uring_queue_exit(&s->ring);
		clocks_close(s);
		poller_close(&s->poller);
		free(s->slots);
		free(s->spares);
	}
	free(all);
}

const struct workload workload = {
	.name = "timers",
	.models = "a service that tries again later",
	.kinds = kinds,
	.keys = 1u << KEY_USER_DATA | 1u << KEY_TIMERFD,
	.handoffs = 1u << HANDOFF_IO | 1u << HANDOFF_TIMER,
	.marks = 1u << MARK_CANCELLED | 1u << MARK_LATE | 1u << MARK_REUSED_KEY,
	.outcomes = outcomes,
	.defaults = {.ops = 2000,
		     .rate = 2600,
		     .depth = 16,
		     .workers = 2,
		     .queue_depth = 64,
		     .fanout = 3,
		     .cost_us = 180,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_all,
	.body = body,
	.close = close_all,
};
