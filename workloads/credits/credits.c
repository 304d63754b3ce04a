/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, its bucket and its threads. */
#include <stdlib.h>
#include <unistd.h>

#include "workloads/credits/service.h"
#include "workloads/driver/settings.h"

static const char *const kinds[] = {"small", "bulk", "burst", "estimate", "refill", "stop", NULL};
static const char *const classes[] = {"credits.token", NULL};
static const char *const known_settings[] = {"capacity", "refill", "tick", "line", NULL};
static const char *const outcomes[] = {"partial",  "waited",   "refused", "retried",
				       "returned", "refilled", NULL};
static const struct ailment ailments[] = {{DIAGNOSIS_STARVED, CLASS_TOKEN}, {0}};

enum {
	CAPACITY = 48,
	REFILL = 44,
	TICK = 400, /* µs */
	LINE = 12,
	TOKENS_MOST = 8, /* that one part asks for */
};

static unsigned senders_of(const struct run_options *o)
{
	unsigned n = 4 * o->workers;

	if (o->serial)
		return 1;
	return n < CREDITS_SENDERS ? n : CREDITS_SENDERS;
}

/* Fronts, senders, the keeper. */
static unsigned threads(const struct run_options *o)
{
	return o->workers + senders_of(o) + 1;
}

static void open_bucket(struct service *s)
{
	s->refill = setting_within("refill", REFILL, 1, 1 << 20);
	s->tick_us = setting_within("tick", TICK, 1, 999999);
	credits_init(&s->bucket, setting_within("capacity", CAPACITY, TOKENS_MOST, 1 << 20),
		     setting_within("line", LINE, 1, CREDITS_SENDERS));
	s->bucket.fd = poller_timerfd();
	poller_open(&s->poller);
	poller_add(&s->poller, s->bucket.fd, s);
}

static void open_front(struct run *r, struct service *s, unsigned index)
{
	struct front *f = &s->fronts[index];
	unsigned most = r->options->queue_depth;

	f->w = &r->workers[index];
	f->service = s;
	s->ends.seats[index].cpu = f->w->cpu;
	for (unsigned i = most; i-- > 0;) {
		struct slot *sl = &s->slots[index * most + i];

		sl->front = f;
		sl->next = f->free;
		f->free = sl;
		for (unsigned k = 0; k < CREDITS_PARTS; k++)
			sl->part[k].slot = sl;
	}
}

static void open_sender(struct run *r, struct service *s, unsigned index)
{
	struct sender *x = &s->senders[index];

	x->w = &r->workers[s->workers + index];
	x->service = s;
	x->index = index;
	s->seats.seats[index].cpu = s->seats.seats[token_seat(s, index)].cpu = x->w->cpu;
}

static void name_spares(struct run *r, struct service *s)
{
	for (unsigned i = 0; i < CREDITS_SPARES; i++) {
		struct part *p = &s->spares[i];

		s->spare_fds[i] = poller_timerfd();
		recorder_spare(&r->channel, HANDOFF_TIMER, KEY_TIMERFD, false, 0,
			       (uint64_t)s->spare_fds[i]);
		recorder_spare(&r->channel, HANDOFF_QUEUE, KEY_TASK, false, 0,
			       (uintptr_t)&s->spare_fronts[i]);
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&p->account);
	}
	recorder_spare(&r->channel, HANDOFF_GRANT, KEY_NONE, false, 0, 0);
}

static void open_service(struct run *r)
{
	const struct run_options *o = r->options;
	struct service *s = run_alloc(1, sizeof(*s));

	r->priv = s;
	s->workers = o->workers;
	s->senders_cnt = senders_of(o);
	s->parts.in_order = o->serial;
	open_bucket(s);
	parking_open(&s->seats, r, 2 * s->senders_cnt);
	parking_open(&s->ends, r, s->workers);
	s->slots = run_alloc((size_t)s->workers * o->queue_depth, sizeof(*s->slots));
	s->fronts = run_alloc(s->workers, sizeof(*s->fronts));
	s->senders = run_alloc(s->senders_cnt, sizeof(*s->senders));
	for (unsigned i = 0; i < s->workers; i++)
		open_front(r, s, i);
	for (unsigned i = 0; i < s->senders_cnt; i++)
		open_sender(r, s, i);
	name_spares(r, s);
}

static void body(struct worker *w)
{
	struct service *s = w->run->priv;

	if (w->index < s->workers)
		front_body(&s->fronts[w->index]);
	else if (w->index < s->workers + s->senders_cnt)
		sender_body(&s->senders[w->index - s->workers]);
	else
		keeper_body(w, s);
}

/* All operations have ended. The keeper stops when the timer expires once more. */
static void quiesce(struct worker *w)
{
	struct service *s = w->run->priv;
	struct op op;

	op_begin(w, &op, KIND_STOP, arrivals_clock());
	atomic_store(&s->stop, true);
	while (parking_wake(w, &s->seats, 0, s->senders_cnt, op.id))
		continue;
	spin_lock(&s->bucket.lock);
	watch_arm(w, s, op.id);
	spin_unlock(&s->bucket.lock);
	op_end(w, &op);
}

static void close_service(struct run *r)
{
	struct service *s = r->priv;

	for (unsigned i = 0; i < CREDITS_SPARES; i++)
		close(s->spare_fds[i]);
	close(s->bucket.fd);
	poller_close(&s->poller);
	free(s->slots);
	free(s->fronts);
	free(s->senders);
	free(s);
}

const struct workload workload = {
	.name = "credits",
	.models = "a token bucket",
	.kinds = kinds,
	.settings = known_settings,
	.ailments = ailments,
	.keys = 1u << KEY_TASK | 1u << KEY_UADDR | 1u << KEY_TIMERFD,
	.handoffs = 1u << HANDOFF_QUEUE | 1u << HANDOFF_GRANT | 1u << HANDOFF_WAKE |
		    1u << HANDOFF_TIMER,
	.marks = 1u << MARK_REUSED_KEY | 1u << MARK_CROSS,
	.outcomes = outcomes,
	.classes = classes,
	.records = 64,
	.defaults = {.ops = 2000,
		     .rate = 1500,
		     .depth = 8,
		     .workers = 2,
		     .queue_depth = 16,
		     .fanout = 4,
		     .cost_us = 260,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.quiesce = quiesce,
	.close = close_service,
};
