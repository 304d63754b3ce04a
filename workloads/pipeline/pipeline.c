/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the pipeline, its memory and its threads. */
#include <stdlib.h>
#include <unistd.h>

#include "workloads/driver/settings.h"
#include "workloads/pipeline/pipeline.h"

static const char *const kinds[] = {"straight", "fan", "stop", NULL};
static const char *const classes[] = {"pipeline.lease", NULL};
static const char *const names[] = {"length", "fan", NULL};
static const char *const outcomes[] = {
	[OUTCOME_EMPTY] = "a way of no handoff",
	[OUTCOME_LONGEST] = "a way of sixteen handoffs",
	[OUTCOME_JOINED] = "branches joined",
	NULL,
};

enum { FAN_USUAL = 95 };

/* Serially there is one keeper: which of several gets a grant is chance, and no handoff that counts
 * for sameness says that another thread goes on. */
static unsigned keepers_of(const struct run_options *o)
{
	return o->serial ? 1 : KEEPERS;
}

static unsigned threads(const struct run_options *o)
{
	return o->workers + STATION_KEEPERS + keepers_of(o);
}

/* ---- open ---- */

/* Ptys are there before the first stop, so that each can be shown. */
static void prepare(struct run *r)
{
	struct pipeline *pl = run_alloc(1, sizeof(*pl));

	r->priv = pl;
	pl->run = r;
	way_parse(pl, r->options->path);
	for (unsigned i = 0; i <= LINES; i++) {
		line_open(&pl->lines[i], i);
		if (r->options->calibrate)
			line_show(&pl->lines[i]);
	}
}

static void open_token(struct pipeline *pl, struct poller *clock, struct token *t)
{
	t->timer = poller_timerfd();
	poller_add(clock, t->timer, t);
}

static void open_requests(struct pipeline *pl, struct poller *clock)
{
	pl->requests_cnt = pl->fronts * pl->most;
	pl->requests = run_alloc(pl->requests_cnt, sizeof(*pl->requests));
	pl->buffers = run_alloc((size_t)pl->requests_cnt * TOKENS, READ_UNIT * TOKENS);
	for (unsigned i = pl->requests_cnt; i-- > 0;) {
		struct request *q = &pl->requests[i];

		q->index = i;
		for (unsigned k = 0; k < TOKENS; k++) {
			q->tokens[k].request = q;
			q->tokens[k].index = k;
			q->tokens[k].buffer =
				pl->buffers + (size_t)(i * TOKENS + k) * READ_UNIT * TOKENS;
			open_token(pl, clock, &q->tokens[k]);
		}
		q->next = pl->free;
		pl->free = q;
	}
	open_token(pl, clock, &pl->clock_stop);
}

static void open_places(struct run *r, struct pipeline *pl)
{
	pl->places = run_alloc(r->threads_cnt + 1, sizeof(*pl->places));
	parking_open(&pl->seats, r, pl->fronts + SEATS);
	for (unsigned i = 0; i <= r->threads_cnt; i++) {
		struct place *x = &pl->places[i];

		x->w = i < r->threads_cnt ? &r->workers[i] : run_main_worker(r);
		x->pl = pl;
		poller_open(&x->poller);
		if (i >= pl->fronts && i < pl->fronts + STATION_BOXES)
			continue;
		/* those with seats stand in the order of their seats */
		x->seat = i < pl->fronts ? i : i - STATION_BOXES + SEAT_BOXES;
		if (i < r->threads_cnt)
			pl->seats.seats[x->seat].cpu = x->w->cpu;
	}
}

static void name_spares(struct run *r, struct pipeline *pl)
{
	static const unsigned by_task[] = {HANDOFF_QUEUE, HANDOFF_SPAWN, HANDOFF_RESUME};
	struct rec_key pipe = pl->pipes[0].key;

	for (unsigned i = 0; i < SPARES; i++) {
		uintptr_t address = (uintptr_t)&pl->spares[i];

		for (unsigned k = 0; k < sizeof(by_task) / sizeof(by_task[0]); k++)
			recorder_spare(&r->channel, by_task[k], KEY_TASK, false, 0, address);
		recorder_spare(&r->channel, HANDOFF_IO, KEY_USER_DATA, true, 1, address);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&pl->spare_leases[i]);
	}
	for (unsigned side = MASTER; side < SIDES; side++)
		recorder_spare(&r->channel, HANDOFF_WORK, KEY_WORK, false, 0,
			       pl->lines[LINES].in[side].key.v);
	/* the writing end of a pipe, which nobody reads; a descriptor that is no timer's */
	recorder_spare(&r->channel, HANDOFF_MSG, KEY_FD, true, pipe.scope,
		       (uint64_t)pl->pipe_in[0]);
	recorder_spare(&r->channel, HANDOFF_TIMER, KEY_TIMERFD, false, 0, (uint64_t)pl->file);
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
	recorder_spare(&r->channel, HANDOFF_CALL, KEY_NONE, false, 0, 0);
}

static void open_pipeline(struct run *r)
{
	const struct run_options *o = r->options;
	struct pipeline *pl = r->priv;

	pl->length = setting_within("length", WAY_MOST + 1, 0, WAY_MOST + 1);
	pl->fan = setting_within("fan", FAN_USUAL, 0, 100);
	pl->fronts = o->workers;
	pl->most = OPS_MOST / o->workers;
	pl->most = o->queue_depth < pl->most ? o->queue_depth : pl->most;
	open_places(r, pl);
	open_requests(pl, &pl->places[pl->fronts + STATION_CLOCK].poller);
	leases_init(&pl->desk, LEASES);
	ring_open(pl);
	streams_open(pl);
	name_spares(r, pl);
}

/* ---- threads ---- */

static void body(struct worker *w)
{
	struct pipeline *pl = w->run->priv;
	struct place *x = &pl->places[w->index];
	unsigned nth = w->index - pl->fronts;

	if (w->index < pl->fronts)
		front_body(x);
	else if (nth == STATION_RING)
		ring_body(x);
	else if (nth == STATION_CLOCK)
		clock_body(x);
	else if (nth == STATION_LINES)
		lines_body(x);
	else if (nth < STATION_BOXES)
		pipes_body(x);
	else if (nth < STATION_RUNNERS)
		boxes_body(x, nth - STATION_BOXES);
	else if (nth < STATION_KEEPERS)
		runners_body(x);
	else
		keepers_body(x);
}

static void quiesce(struct worker *w)
{
	struct pipeline *pl = w->run->priv;
	struct place *x = &pl->places[w->run->threads_cnt];
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	ring_stop(x, op.id);
	clock_stop(x, op.id);
	pipes_stop(x, op.id);
	lines_stop(x, op.id);
	atomic_store(&pl->stop, true);
	while (parking_wake(w, &pl->seats, pl->fronts, SEATS, op.id))
		continue;
	op_end(w, &op);
}

/* ---- close ---- */

static void close_pipeline(struct run *r)
{
	struct pipeline *pl = r->priv;

	for (unsigned i = 0; i < pl->requests_cnt * TOKENS; i++)
		close(pl->requests[i / TOKENS].tokens[i % TOKENS].timer);
	close(pl->clock_stop.timer);
	for (unsigned i = 0; i < PIPES; i++) {
		close(pl->pipe_in[i]);
		close(pl->pipes[i].fd);
	}
	for (unsigned i = 0; i <= LINES; i++)
		line_close(&pl->lines[i]);
	for (unsigned i = 0; i <= r->threads_cnt; i++)
		poller_close(&pl->places[i].poller);
	io_uring_queue_exit(&pl->ring);
	close(pl->file);
	free(pl->requests);
	free(pl->buffers);
	free(pl->places);
	free(pl);
}

const struct workload workload = {
	.name = "pipeline",
	.models = "a request through every kind of handoff",
	.kinds = kinds,
	.classes = classes,
	.settings = names,
	.outcomes = outcomes,
	.keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR | 1u << KEY_TASK | 1u << KEY_WORK |
		1u << KEY_FD | 1u << KEY_TIMERFD,
	.handoffs = (1u << HANDOFF_TYPE_CNT) - 1,
	.marks = 1u << MARK_PUNTED | 1u << MARK_CROSS | 1u << MARK_REUSED_KEY |
		 1u << MARK_COALESCED | 1u << MARK_CANCELLED | 1u << MARK_LOST,
	.records = 160,
	.defaults = {.ops = 2000,
		     .rate = 700,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 8,
		     .fanout = 4,
		     .cost_us = 450,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.prepare = prepare,
	.open = open_pipeline,
	.body = body,
	.quiesce = quiesce,
	.close = close_pipeline,
};
