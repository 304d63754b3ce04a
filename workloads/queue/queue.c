/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, its queue and its threads. */
#include <stdlib.h>

#include "workloads/driver/settings.h"
#include "workloads/queue/service.h"

static const char *const kinds[] = {"single", "batch", "bulk", "try", "stop", NULL};
static const char *const classes[] = {"queue.space", NULL};
static const char *const known_settings[] = {"capacity", "slots", "batch", NULL};
static const char *const outcomes[] = {"waited", "refused", "batched", NULL};
static const struct ailment ailments[] = {{DIAGNOSIS_OVERLOAD, CLASS_SPACE}, {0}};

enum { CAPACITY_BYTES = 5000, CAPACITY_SLOTS = 5, CAPACITY_MOST = 1 << 20, BATCH = 3 };

/* Twice as many as producers, as far as all can sleep on one word. */
static unsigned consumers_of(const struct run_options *o)
{
	unsigned most = PARKING_SEATS - o->workers;

	if (o->serial)
		return 1;
	return 2 * o->workers < most ? 2 * o->workers : most;
}

static unsigned threads(const struct run_options *o)
{
	return o->workers + consumers_of(o);
}

/* Serially all jobs of an operation have room: who waits there depends on time. */
static void open_queue(struct service *s, const struct run_options *o)
{
	bool by_slots = setting("slots", 0) != 0;
	unsigned least = by_slots ? 1 : JOB_LARGE;
	unsigned usual = by_slots ? CAPACITY_SLOTS : CAPACITY_BYTES;

	if (o->serial)
		least = usual = QUEUE_JOBS * least;
	s->queue.in_order = o->serial;
	queue_init(&s->queue, setting_within("capacity", usual, least, CAPACITY_MOST), by_slots);
}

static void open_producer(struct run *r, struct service *s, unsigned index)
{
	struct producer *p = &s->producers[index];
	unsigned most = r->options->queue_depth;

	p->w = &r->workers[index];
	p->service = s;
	s->seats.seats[room_seat(p)].cpu = s->ends.seats[index].cpu = p->w->cpu;
	for (unsigned i = most; i-- > 0;) {
		struct slot *sl = &s->slots[index * most + i];

		sl->producer = p;
		sl->next = p->free;
		p->free = sl;
		for (unsigned k = 0; k < QUEUE_JOBS; k++)
			sl->job[k].slot = sl;
	}
}

static void open_consumer(struct run *r, struct service *s, unsigned index)
{
	struct consumer *c = &s->consumers[index];

	c->w = &r->workers[s->workers + index];
	c->service = s;
	c->seat = index;
	s->seats.seats[c->seat].cpu = c->w->cpu;
}

static void open_service(struct run *r)
{
	const struct run_options *o = r->options;
	struct service *s = run_alloc(1, sizeof(*s));

	r->priv = s;
	s->workers = o->workers;
	s->batch = setting_within("batch", BATCH, 1, QUEUE_BATCH);
	open_queue(s, o);
	s->consumers_cnt = consumers_of(o);
	parking_open(&s->seats, r, s->consumers_cnt + s->workers);
	parking_open(&s->ends, r, s->workers);
	s->slots = run_alloc((size_t)s->workers * o->queue_depth, sizeof(*s->slots));
	s->producers = run_alloc(s->workers, sizeof(*s->producers));
	s->consumers = run_alloc(s->consumers_cnt, sizeof(*s->consumers));
	for (unsigned i = 0; i < s->workers; i++)
		open_producer(r, s, i);
	for (unsigned i = 0; i < s->consumers_cnt; i++)
		open_consumer(r, s, i);
	for (unsigned i = 0; i < QUEUE_SPARES; i++) {
		recorder_spare(&r->channel, HANDOFF_QUEUE, KEY_TASK, false, 0,
			       (uintptr_t)&s->spare_producers[i]);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&s->spares[i]);
	}
}

static void body(struct worker *w)
{
	struct service *s = w->run->priv;

	if (w->index < s->workers)
		producer_body(&s->producers[w->index]);
	else
		consumer_body(&s->consumers[w->index - s->workers]);
}

/* All operations have ended: the queue is empty, and whoever does not sleep sees the word. */
static void quiesce(struct worker *w)
{
	struct service *s = w->run->priv;
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	atomic_store(&s->stop, true);
	while (parking_wake(w, &s->seats, 0, s->consumers_cnt, op.id))
		continue;
	op_end(w, &op);
}

static void close_service(struct run *r)
{
	struct service *s = r->priv;

	free(s->slots);
	free(s->producers);
	free(s->consumers);
	free(s);
}

const struct workload workload = {
	.name = "queue",
	.models = "a bounded work queue",
	.kinds = kinds,
	.settings = known_settings,
	.ailments = ailments,
	.keys = 1u << KEY_TASK | 1u << KEY_UADDR,
	.handoffs = 1u << HANDOFF_QUEUE | 1u << HANDOFF_WAKE,
	.marks = 1u << MARK_REUSED_KEY | 1u << MARK_CROSS,
	.outcomes = outcomes,
	.classes = classes,
	.defaults = {.ops = 2000,
		     .rate = 2800,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 200,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.quiesce = quiesce,
	.close = close_service,
};
