/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the runtime's service, its memory and its threads. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "workloads/driver/settings.h"
#include "workloads/tasks/crew.h"

static const char *const kinds[] = {"fork", "gather", "block", "race", "sweep", "stop", NULL};
static const char *const classes[] = {"tasks.permit", NULL};
static const char *const names[] = {"permits", "deque", NULL};
static const char *const outcomes[] = {
	[OUTCOME_HELPER_BORN] = "helper born in a request",
	[OUTCOME_AGAIN] = "submitted itself again",
	[OUTCOME_RESUMED_ELSEWHERE] = "resumed on another worker",
	[OUTCOME_DEQUE_GROWN] = "deque grown",
	[OUTCOME_CANCELLED_UNRUN] = "cancelled before its first run",
	[OUTCOME_CANCELLED_IN_LINE] = "cancelled waiting for a permit",
	[OUTCOME_CANCELLED_HOLDING] = "cancelled between acquire and release",
	[OUTCOME_CANCELLED_READING] = "cancelled reading",
	[OUTCOME_CANCELLED_JOINING] = "cancelled joining",
	[OUTCOME_CANCELLED_BLOCKING] = "cancelled in a blocking call",
	NULL,
};

/* Workers first, then the reactor, the clock thread, and the helpers that may come. */
enum { THREAD_REACTOR, THREAD_CLOCK, THREAD_HELPERS, OPS_MOST = 128 };

static unsigned threads(const struct run_options *o)
{
	return o->workers + THREAD_HELPERS + CREW_HELPERS;
}

static unsigned late(const struct run_options *o)
{
	return CREW_HELPERS;
}

/* ---- open ---- */

static void open_runners(struct crew *c, struct run *r)
{
	unsigned size = setting_within("deque", 4, 1, 4096), seat = c->workers;

	if (size & (size - 1))
		run_refuse("deque takes a power of two, not %u", size);
	c->runners = run_alloc(r->threads_cnt + 1, sizeof(*c->runners));
	for (unsigned i = 0; i <= r->threads_cnt; i++) {
		struct runner *x = &c->runners[i];

		x->w = &r->workers[i];
		x->crew = c;
		x->is_worker = i < c->workers;
		x->seat = x->is_worker ? i : 0;
		if (x->is_worker) {
			c->seats.seats[i].cpu = x->w->cpu;
			if (!deque_open(&x->deque, size))
				run_fail(-ENOMEM, "a deque");
			c->active += x->w->arrivals.left && x->w->arrivals.limit;
		} else if (i >= c->workers + THREAD_HELPERS && i < r->threads_cnt) {
			x->seat = seat++;
			c->seats.seats[x->seat].cpu = x->w->cpu;
		}
	}
}

static void name_spares(struct crew *c, struct run *r)
{
	static const unsigned by_task[] = {HANDOFF_SPAWN, HANDOFF_RESUME, HANDOFF_QUEUE};

	for (unsigned i = 0; i < CREW_SPARES; i++) {
		uintptr_t task = (uintptr_t)&c->spares[i];

		for (unsigned k = 0; k < sizeof(by_task) / sizeof(by_task[0]); k++)
			recorder_spare(&r->channel, by_task[k], KEY_TASK, false, 0, task);
		recorder_spare(&r->channel, HANDOFF_IO, KEY_USER_DATA, true, 1, task);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&c->spare_permits[i]);
	}
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
	/* a descriptor that is open, and no handoff's */
	recorder_spare(&r->channel, HANDOFF_TIMER, KEY_TIMERFD, false, 0, (uint64_t)c->clock.fd);
}

static void open_crew(struct run *r)
{
	const struct run_options *o = r->options;
	struct crew *c = run_alloc(1, sizeof(*c));

	r->priv = c;
	c->run = r;
	c->workers = o->workers;
	c->most = OPS_MOST / o->workers;
	c->most = o->queue_depth < c->most ? o->queue_depth : c->most;
	parking_open(&c->seats, r, c->workers + CREW_HELPERS);
	open_runners(c, r);
	slots_open(c, c->workers * c->most);
	permits_init(&c->permits, setting_within("permits", c->workers, 1, PERMITS_MOST),
		     c->permit);
	reactor_open(c);
	clock_open(c, c->workers * c->most * (TASK_STRANDS + 1));
	name_spares(c, r);
}

/* ---- threads ---- */

static void body(struct worker *w)
{
	struct crew *c = w->run->priv;
	struct runner *x = &c->runners[w->index];

	if (x->is_worker)
		worker_body(x);
	else if (w->index == c->workers + THREAD_REACTOR)
		reactor_body(x);
	else if (w->index == c->workers + THREAD_CLOCK)
		clock_body(x);
	else
		helper_body(x);
}

static void quiesce(struct worker *w)
{
	struct crew *c = w->run->priv;
	struct runner *x = &c->runners[w->run->threads_cnt];
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	crew_settle(x);
	atomic_store(&c->stop, true);
	helper_stop(x, op.id);
	clock_stop(x, op.id);
	reactor_stop(x, op.id);
	op_end(w, &op);
}

static void close_crew(struct run *r)
{
	struct crew *c = r->priv;

	for (unsigned i = 0; i < c->workers; i++)
		deque_free(&c->runners[i].deque);
	io_uring_queue_exit(&c->ring);
	close(c->file);
	clock_close(c);
	free(c->slots);
	free(c->buffers);
	free(c->runners);
	free(c);
}

const struct workload workload = {
	.name = "tasks",
	.models = "a work-stealing task runtime",
	.kinds = kinds,
	.classes = classes,
	.outcomes = outcomes,
	.marks = 1u << MARK_PUNTED | 1u << MARK_CANCELLED | 1u << MARK_STOLEN | 1u << MARK_NESTED |
		 1u << MARK_REUSED_KEY | 1u << MARK_CROSS | 1u << MARK_LOST,
	.settings = names,
	.keys = 1u << KEY_TASK | 1u << KEY_USER_DATA | 1u << KEY_UADDR | 1u << KEY_TIMERFD,
	.handoffs = 1u << HANDOFF_SPAWN | 1u << HANDOFF_RESUME | 1u << HANDOFF_QUEUE |
		    1u << HANDOFF_GRANT | 1u << HANDOFF_WAKE | 1u << HANDOFF_IO |
		    1u << HANDOFF_TIMER,
	.records = 100,
	.defaults = {.ops = 2000,
		     .rate = 1500,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 8,
		     .fanout = 4,
		     .cost_us = 300,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.late = late,
	.open = open_crew,
	.body = body,
	.quiesce = quiesce,
	.close = close_crew,
};
