/* SPDX-License-Identifier: BSD-2-Clause */
/* Wall time of operations, from their BEGIN to their END. */
#include "profilers/causal/costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "profilers/adapter/events.h"
#include "profilers/adapter/gone.h"

enum { SEQUENCE = 255 }; /* numbers go round from 1 to this */

struct operation_key {
	uint64_t instance;
	uint32_t tgid, resource;
};

struct operation { /* has begun */
	struct operation_key key;
	uint32_t tid;
	uint8_t last;	   /* number of its last event */
	uint64_t lost_cnt; /* records lost until then */
	uint64_t t;
	UT_hash_handle hh;
};

struct costs {
	struct events events;
	struct outlet *out;
	bool *timed; /* one a resource: its BEGIN and END are those of operations */
	struct operation *open;
	struct gone gone;
	uint64_t lost; /* until when */
	uint64_t lost_cnt;
};

static bool is_timed(uint32_t acts)
{
	const uint32_t both = 1u << EVENT_BEGIN | 1u << EVENT_END;

	return (acts & both) == both && !events_begin_calls(acts);
}

static int read_manifest(struct costs *c, const struct manifest *m)
{
	uint32_t *acts = events_acts(m);

	if (!acts)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->resources_cnt; i++)
		c->timed[i] = is_timed(acts[i]);
	free(acts);
	return 0;
}

struct costs *costs_new(const struct manifest *m, struct outlet *out)
{
	struct costs *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->out = out;
	c->timed = calloc(m->resources_cnt + 1, sizeof(*c->timed));
	if (c->timed && !events_open(&c->events, m, out) && !read_manifest(c, m))
		return c;
	costs_free(c);
	return NULL;
}

static void forget(struct costs *c, struct operation *o)
{
	HASH_DEL(c->open, o);
	free(o);
}

void costs_free(struct costs *c)
{
	if (!c)
		return;
	while (c->open)
		forget(c, c->open);
	events_close(&c->events);
	free(c->timed);
	free(c);
}

static int begin(struct costs *c, const struct operation_key *key, struct operation *o,
		 const struct ev_rec *r, uint8_t seq)
{
	if (!o) {
		if (HASH_COUNT(c->open) >= CAUSAL_OPERATIONS_MAX)
			forget(c, c->open); /* uthash keeps order: the first made */
		o = calloc(1, sizeof(*o));
		if (!o)
			return -ENOMEM;
		o->key = *key;
		HASH_ADD(hh, c->open, key, sizeof(o->key), o);
	}
	o->tid = r->tid;
	o->t = r->t;
	o->last = seq;
	o->lost_cnt = c->lost_cnt;
	return 0;
}

static int claim(struct costs *c, const struct operation *o, uint64_t end)
{
	int64_t kind = c->out->str(c->out->arg, "wall");
	struct claim x = {.kind = CLAIM_COST, .has = HAS_SRC};

	if (kind < 0)
		return (int)kind;
	x.cost.root_tid = o->tid;
	x.cost.root_t = o->t;
	x.cost.kind_str = (uint32_t)kind;
	x.cost.v = end > o->t ? end - o->t : 0;
	return c->out->put(c->out->arg, &x);
}

/* Nothing of the operation is missing up to this event. Where so many records are that its numbers
 * may have gone round, they say nothing. */
static bool follows(const struct costs *c, const struct operation *o, uint8_t seq)
{
	if (!seq || !o->last)
		return o->t > c->lost;
	return seq == o->last % SEQUENCE + 1 && c->lost_cnt - o->lost_cnt < SEQUENCE;
}

static int happen(struct costs *c, const struct operation_key *key, uint8_t event,
		  const struct ev_rec *r)
{
	uint8_t seq = (uint8_t)(r->e >> 40);
	struct operation *o;
	int err = 0;

	HASH_FIND(hh, c->open, key, sizeof(*key), o);
	if (event == EVENT_BEGIN)
		return begin(c, key, o, r, seq);
	if (!o)
		return 0;
	if (!follows(c, o, seq)) {
		forget(c, o);
		return 0;
	}
	o->last = seq;
	o->lost_cnt = c->lost_cnt;
	if (event != EVENT_END)
		return 0;
	err = claim(c, o, r->t);
	forget(c, o);
	return err;
}

static void forget_gone(struct costs *c)
{
	struct operation *o, *next;

	HASH_ITER(hh, c->open, o, next)
	if (gone_has(&c->gone, o->key.tgid))
		forget(c, o);
	gone_clear(&c->gone);
}

int costs_record(struct costs *c, const struct ev_rec *r)
{
	uint32_t i = r->kind == EV_APP && !(r->flags & EV_F_CUT) ? events_of(&c->events, r)
								 : EVENTS_NONE;
	const struct manifest_descriptor *d;
	struct operation_key key;

	if (gone_record(&c->gone, r))
		forget_gone(c);
	if (i == EVENTS_NONE || r->e >> 48 & EV_APP_FAULT_INSTANCE)
		return 0;
	d = &c->events.m->descriptors[i];
	if (!c->timed[d->resource])
		return 0;
	memset(&key, 0, sizeof(key));
	key.instance = r->a;
	key.tgid = r->tgid;
	key.resource = d->resource;
	return happen(c, &key, d->event, r);
}

void costs_lost(struct costs *c, uint64_t t, uint64_t cnt)
{
	if (t > c->lost)
		c->lost = t;
	c->lost_cnt += cnt;
}
