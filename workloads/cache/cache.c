/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, its caches and its threads. */
#include <stdlib.h>

#include "workloads/cache/service.h"
#include "workloads/driver/settings.h"

static const char *const kinds[] = {"get", "report", "update", "scan", "stop", NULL};
static const char *const classes[] = {"cache.ref", "cache.entry", NULL};
static const char *const known_settings[] = {"capacity", NULL};
static const char *const outcomes[] = {"hit",	      "shared",	  "miss",      "joined", "evicted",
				       "invalidated", "outlived", "overtaken", NULL};
static const struct ailment ailments[] = {{DIAGNOSIS_WASTEFUL, CLASS_REF}, {0}};

enum { CAPACITY = 16000, CAPACITY_LEAST = 2048, CAPACITY_MOST = 1 << 20 };

/* Twice as many as fronts, as far as all can sleep on one word. */
static unsigned loaders_of(const struct run_options *o)
{
	unsigned most = PARKING_SEATS - o->workers;

	if (o->serial)
		return 1;
	return 2 * o->workers < most ? 2 * o->workers : most;
}

static unsigned threads(const struct run_options *o)
{
	return o->workers + loaders_of(o);
}

static void open_front(struct run *r, struct service *s, unsigned index)
{
	struct front *f = &s->fronts[index];
	unsigned most = r->options->queue_depth;

	f->w = &r->workers[index];
	f->service = s;
	f->inbox.in_order = s->loads.in_order;
	s->seats.seats[front_seat(f)].cpu = f->w->cpu;
	cache_init(&f->cache, setting_within("capacity", CAPACITY, CAPACITY_LEAST, CAPACITY_MOST));
	for (unsigned i = most; i-- > 0;) {
		struct slot *sl = &s->slots[index * most + i];

		sl->next = f->free;
		f->free = sl;
		for (unsigned k = 0; k < CACHE_KEYS; k++) {
			sl->want[k].slot = sl;
			sl->want[k].load.front = f;
			sl->want[k].load.want = &sl->want[k];
		}
	}
}

static void open_loader(struct run *r, struct service *s, unsigned index)
{
	struct loader *x = &s->loaders[index];

	x->w = &r->workers[s->workers + index];
	x->service = s;
	x->seat = index;
	s->seats.seats[index].cpu = x->w->cpu;
}

static void name_spares(struct run *r, struct service *s)
{
	for (unsigned i = 0; i < CACHE_SPARES; i++) {
		recorder_spare(&r->channel, HANDOFF_QUEUE, KEY_TASK, false, 0,
			       (uintptr_t)&s->spare_fronts[i]);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&s->spare_entries[i]);
	}
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
}

static void open_service(struct run *r)
{
	const struct run_options *o = r->options;
	struct service *s = run_alloc(1, sizeof(*s));

	r->priv = s;
	s->workers = o->workers;
	s->loaders_cnt = loaders_of(o);
	s->loads.in_order = o->serial;
	parking_open(&s->seats, r, s->loaders_cnt + s->workers);
	s->slots = run_alloc((size_t)s->workers * o->queue_depth, sizeof(*s->slots));
	s->fronts = run_alloc(s->workers, sizeof(*s->fronts));
	s->loaders = run_alloc(s->loaders_cnt, sizeof(*s->loaders));
	for (unsigned i = 0; i < s->workers; i++)
		open_front(r, s, i);
	for (unsigned i = 0; i < s->loaders_cnt; i++)
		open_loader(r, s, i);
	name_spares(r, s);
}

static void body(struct worker *w)
{
	struct service *s = w->run->priv;

	if (w->index < s->workers)
		front_body(&s->fronts[w->index]);
	else
		loader_body(&s->loaders[w->index - s->workers]);
}

static void quiesce(struct worker *w)
{
	struct service *s = w->run->priv;
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	atomic_store(&s->stop, true);
	while (parking_wake(w, &s->seats, 0, s->loaders_cnt, op.id))
		continue;
	op_end(w, &op);
}

static void close_service(struct run *r)
{
	struct service *s = r->priv;

	free(s->slots);
	free(s->fronts);
	free(s->loaders);
	free(s);
}

const struct workload workload = {
	.name = "cache",
	.models = "a bounded query cache",
	.kinds = kinds,
	.settings = known_settings,
	.ailments = ailments,
	.keys = 1u << KEY_TASK | 1u << KEY_UADDR,
	.handoffs = 1u << HANDOFF_QUEUE | 1u << HANDOFF_GRANT | 1u << HANDOFF_WAKE,
	.marks = 1u << MARK_REUSED_KEY | 1u << MARK_CROSS,
	.outcomes = outcomes,
	.classes = classes,
	.defaults = {.ops = 2000,
		     .rate = 3100,
		     .depth = 16,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 220,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.quiesce = quiesce,
	.close = close_service,
};
