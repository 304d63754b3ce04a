/* SPDX-License-Identifier: BSD-2-Clause */
/* queue, spawn, resume, grant and call handoffs: what a manifest's runtime adapters say. */
#include "profilers/causal/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>
#include <utlist.h>

#include "profilers/adapter/events.h"
#include "profilers/causal/confidence.h"

enum { SEQUENCE = 255 }; /* numbers go round from 1 to this */

struct hit { /* one event of an instance */
	uint8_t event;
	uint8_t seq;
	uint32_t tid;
	uint64_t t, target;
};

struct open { /* a src that waits for its dst */
	uint8_t type;
	struct hit src;
	struct open *prev, *next;
};

struct late { /* an event that came before its number's turn */
	struct hit hit;
	struct late *prev, *next;
};

struct node_key {
	uint64_t instance;
	uint32_t tgid, resource;
};

struct node {
	struct node_key key;
	uint8_t last; /* number of the last event that was taken; 0: none yet */
	uint8_t late_cnt;
	bool broken;	   /* something that was open may have been lost */
	uint64_t lost_cnt; /* records lost until its last event */
	struct open *open;
	struct late *late;
	UT_hash_handle hh;
};
_Static_assert(sizeof(struct node) <= 128, "bytes a live causal node");

struct runtime {
	struct events events;
	struct outlet *out;
	uint32_t *acts; /* one a resource, of events_acts: those of runtimes */
	bool *targets;	/* one a resource: its descriptors give targets */
	/* one a resource, bits 1 << handoff_type: sends that came to nothing, and ends that nobody
	 * had sent, where no event was missing. One end alone is then no proof of a handoff. */
	uint16_t *unmet, *unsent;
	struct node *nodes;
	uint64_t lost; /* until when */
	uint64_t lost_cnt;
	bool numbered; /* events have numbers here: one without has lost its own */
};

/* ---- what a manifest says ---- */

enum {
	STRANDS = 1u << EVENT_SPAWN | 1u << EVENT_PARK,
	ALL = STRANDS | 1u << EVENT_RUN | 1u << EVENT_HANDLE | 1u << EVENT_PUSH | 1u << EVENT_POP |
	      1u << EVENT_SUBMIT | 1u << EVENT_BEGIN,
};

static bool is_runtime(const struct manifest_descriptor *d)
{
	return ALL & 1u << d->event && d->instance_key.kind != EXPR_NONE;
}

static void read_manifest(struct runtime *r, const struct manifest *m)
{
	for (uint32_t i = 0; i < m->resources_cnt; i++) {
		r->targets[i] = true;
		r->acts[i] &= ALL;
	}
	for (uint32_t i = 0; i < m->descriptors_cnt; i++) {
		const struct manifest_descriptor *d = &m->descriptors[i];

		if (!is_runtime(d))
			continue;
		if (d->event != EVENT_BEGIN && d->target_id.kind == EXPR_NONE)
			r->targets[d->resource] = false;
	}
}

struct runtime *runtime_new(const struct manifest *m, struct outlet *out)
{
	struct runtime *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->out = out;
	r->acts = events_acts(m);
	r->targets = calloc(m->resources_cnt + 1, sizeof(*r->targets));
	r->unmet = calloc(m->resources_cnt + 1, sizeof(*r->unmet));
	r->unsent = calloc(m->resources_cnt + 1, sizeof(*r->unsent));
	if (!r->acts || !r->targets || !r->unmet || !r->unsent || events_open(&r->events, m, out)) {
		runtime_free(r);
		return NULL;
	}
	read_manifest(r, m);
	return r;
}

/* ---- claims ---- */

static int put(struct runtime *r, const struct node *n, uint8_t type, const struct hit *src,
	       const struct hit *dst)
{
	bool both = src && dst;
	struct claim c = {.kind = CLAIM_HANDOFF,
			  .type = type,
			  .how = both ? HOW_OBSERVED : HOW_UNKNOWN,
			  .source = SOURCE_RUNTIME,
			  .has = HAS_CONF};

	c.handoff.conf = both ? CONFIDENCE_OBSERVED : CONFIDENCE_ORPHAN;
	if (src) {
		c.has |= HAS_SRC;
		c.handoff.src_tid = src->tid;
		c.handoff.src_t = src->t;
	}
	if (dst) {
		c.has |= HAS_DST;
		c.handoff.dst_tid = dst->tid;
		c.handoff.dst_t = dst->t;
	}
	/* a waiter, or a call's record, is nobody's task */
	if (type != HANDOFF_GRANT && type != HANDOFF_CALL) {
		c.has |= HAS_KEY;
		c.ns = KEY_TASK;
		c.handoff.key_v = n->key.instance;
	}
	return r->out->put(r->out->arg, &c);
}

/* ---- what is open ---- */

static void open_drop(struct node *n, struct open *o)
{
	DL_DELETE(n->open, o);
	free(o);
}

static struct open *open_find(const struct node *n, uint8_t type, uint64_t target)
{
	struct open *o;

	DL_FOREACH(n->open, o)
	{
		if (o->type == type && o->src.target == target)
			return o;
	}
	return NULL;
}

/* A send whose end was not seen. */
static int orphan_src(struct runtime *r, struct node *n, struct open *o)
{
	bool sure = !(r->unmet[n->key.resource] & 1u << o->type);
	int err = sure ? put(r, n, o->type, &o->src, NULL) : 0;

	open_drop(n, o);
	return err;
}

static int begin(struct runtime *r, struct node *n, uint8_t type, const struct hit *h)
{
	struct open *o = open_find(n, type, h->target);
	int err = 0;

	if (o && h->seq) { /* begun anew: it came to nothing */
		r->unmet[n->key.resource] |= (uint16_t)(1u << type);
		open_drop(n, o);
	} else if (o) {
		err = orphan_src(r, n, o);
	}
	o = err ? NULL : calloc(1, sizeof(*o));
	if (!o)
		return err ? err : -ENOMEM;
	o->type = type;
	o->src = *h;
	DL_APPEND(n->open, o);
	return 0;
}

static int end(struct runtime *r, struct node *n, uint8_t type, const struct hit *h)
{
	struct open *o = open_find(n, type, h->target);
	bool sure = o && (h->seq || r->lost < o->src.t);
	int err;

	if (!o && h->seq && !n->broken) { /* nobody had sent anything */
		r->unsent[n->key.resource] |= (uint16_t)(1u << type);
		return 0;
	}
	n->broken = false;
	if (!o && r->unsent[n->key.resource] & 1u << type)
		return 0;
	if (!sure)
		return put(r, n, type, NULL, h);
	err = put(r, n, type, &o->src, h);
	open_drop(n, o);
	return err;
}

/* What a strand that runs goes on from; where that was lost it cannot be told from the other. */
static int run(struct runtime *r, struct node *n, const struct hit *h)
{
	uint32_t acts = r->acts[n->key.resource];
	int err;

	if (!(acts & 1u << EVENT_HANDLE) && open_find(n, HANDOFF_GRANT, h->target)) {
		err = end(r, n, HANDOFF_GRANT, h);
		if (err)
			return err;
	}
	if (acts == 1u << EVENT_RUN) /* who calls and what is called are one context */
		return put(r, n, HANDOFF_CALL, h, h);
	if (!(acts & STRANDS)) {
		struct open *o = open_find(n, HANDOFF_CALL, h->target);

		return o && o->src.tid == h->tid ? end(r, n, HANDOFF_CALL, h) : 0;
	}
	if (open_find(n, HANDOFF_SPAWN, h->target))
		return end(r, n, HANDOFF_SPAWN, h);
	if (open_find(n, HANDOFF_RESUME, h->target))
		return end(r, n, HANDOFF_RESUME, h);
	return 0;
}

static int take(struct runtime *r, struct node *n, const struct hit *h)
{
	switch (h->event) {
	case EVENT_PUSH:
		return begin(r, n, HANDOFF_QUEUE, h);
	case EVENT_POP:
		return end(r, n, HANDOFF_QUEUE, h);
	case EVENT_SUBMIT:
		return begin(r, n, HANDOFF_GRANT, h);
	case EVENT_HANDLE:
		return end(r, n, HANDOFF_GRANT, h);
	case EVENT_SPAWN:
		return begin(r, n, HANDOFF_SPAWN, h);
	case EVENT_PARK:
		return begin(r, n, HANDOFF_RESUME, h);
	case EVENT_BEGIN:
		if (!events_begin_calls(r->acts[n->key.resource]))
			return 0;
		return begin(r, n, HANDOFF_CALL, h);
	case EVENT_RUN:
		return run(r, n, h);
	default:
		return 0;
	}
}

/* ---- the order of an instance's events ---- */

/* How far b comes after a: 1 is the next, SEQUENCE the same again. */
static unsigned distance(uint8_t a, uint8_t b)
{
	unsigned d = (b + SEQUENCE - a) % SEQUENCE;

	return d ? d : SEQUENCE;
}

static bool in_turn(const struct node *n, const struct hit *h)
{
	return !n->last || distance(n->last, h->seq) == 1;
}

static int take_next(struct runtime *r, struct node *n, const struct hit *h)
{
	n->broken |= !n->last && h->seq != 1; /* its first events were not seen */
	n->last = h->seq;
	return take(r, n, h);
}

/* An event of this instance is missing: whatever is open may have ended with it. */
static int abandon(struct runtime *r, struct node *n)
{
	int err = 0;

	n->broken = true;
	while (n->open && !err)
		err = orphan_src(r, n, n->open);
	return err;
}

static struct late *earliest(const struct node *n)
{
	struct late *l, *best = n->late;

	DL_FOREACH(n->late, l)
	{
		if (distance(n->last, l->hit.seq) < distance(n->last, best->hit.seq))
			best = l;
	}
	return best;
}

static void late_drop(struct node *n, struct late *l)
{
	DL_DELETE(n->late, l);
	n->late_cnt--;
	free(l);
}

static int late_add(struct node *n, const struct hit *h)
{
	struct late *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->hit = *h;
	DL_APPEND(n->late, l);
	n->late_cnt++;
	return 0;
}

/* Takes what is in its turn; what has waited too long, or has no room to wait, shows a loss. */
static int settle(struct runtime *r, struct node *n, uint64_t now)
{
	int err = 0;

	while (n->late && !err) {
		struct late *l = earliest(n);
		bool turn = in_turn(n, &l->hit);

		if (!turn && l->hit.t + CAUSAL_RUNTIME_NS > now && n->late_cnt < CAUSAL_LATE_MAX)
			break;
		if (!turn)
			err = abandon(r, n);
		if (!err)
			err = take_next(r, n, &l->hit);
		late_drop(n, l);
	}
	return err;
}

/* Its number is forgotten: how many events of the instance are missing before it and behind it
 * cannot be told, so it ends nothing and nothing ends it. */
static int happen_unnumbered(struct runtime *r, struct node *n, const struct hit *h)
{
	int err = settle(r, n, UINT64_MAX);

	if (!err)
		err = abandon(r, n);
	n->last = 0;
	if (!err)
		err = take(r, n, h);
	return err ? err : abandon(r, n);
}

/* Numbers go round: where as many are missing as there are, the next one may be any. */
static int forget_count(struct runtime *r, struct node *n)
{
	uint64_t lost = r->lost_cnt - n->lost_cnt;
	int err;

	n->lost_cnt = r->lost_cnt;
	if (!n->last || lost < SEQUENCE)
		return 0;
	err = settle(r, n, UINT64_MAX);
	if (!err)
		err = abandon(r, n);
	n->last = 0;
	return err;
}

static int happen(struct runtime *r, struct node *n, const struct hit *h)
{
	int err = forget_count(r, n);

	if (err)
		return err;
	r->numbered |= h->seq != 0;
	if (!h->seq)
		return r->numbered ? happen_unnumbered(r, n, h) : take(r, n, h);
	if (in_turn(n, h))
		err = take_next(r, n, h);
	else
		err = late_add(n, h);
	return err ? err : settle(r, n, h->t);
}

/* ---- nodes ---- */

static void node_free(struct runtime *r, struct node *n)
{
	while (n->open)
		open_drop(n, n->open);
	while (n->late)
		late_drop(n, n->late);
	HASH_DEL(r->nodes, n);
	free(n);
}

static int node_forget(struct runtime *r, struct node *n)
{
	int err = settle(r, n, UINT64_MAX);

	node_free(r, n);
	return err;
}

static int node_get(struct runtime *r, const struct node_key *key, struct node **ret)
{
	struct node *n;
	int err = 0;

	HASH_FIND(hh, r->nodes, key, sizeof(*key), n);
	if (!n) {
		if (HASH_COUNT(r->nodes) >= CAUSAL_INSTANCES_MAX)
			err = node_forget(r, r->nodes);
		n = err ? NULL : calloc(1, sizeof(*n));
		if (!n)
			return err ? err : -ENOMEM;
		n->key = *key;
		HASH_ADD(hh, r->nodes, key, sizeof(n->key), n);
	}
	*ret = n;
	return 0;
}

int runtime_record(struct runtime *r, const struct ev_rec *v)
{
	uint32_t i = v->kind == EV_APP ? events_of(&r->events, v) : EVENTS_NONE;
	const struct manifest_descriptor *d;
	struct node_key key;
	struct node *n;
	struct hit h;
	int err;

	if (i == EVENTS_NONE || v->flags & EV_F_CUT)
		return 0;
	d = &r->events.m->descriptors[i];
	if (!r->acts[d->resource] || (v->e >> 48 & EV_APP_FAULT_INSTANCE))
		return 0;
	memset(&key, 0, sizeof(key));
	key.instance = v->a;
	key.tgid = v->tgid;
	key.resource = d->resource;
	h = (struct hit){.event = d->event,
			 .seq = (uint8_t)(v->e >> 40),
			 .tid = v->tid,
			 .t = v->t,
			 .target = r->targets[d->resource] ? v->c : 0};
	err = node_get(r, &key, &n);
	return err ? err : happen(r, n, &h);
}

void runtime_lost(struct runtime *r, uint64_t t, uint64_t cnt)
{
	if (t > r->lost)
		r->lost = t;
	r->lost_cnt += cnt;
}

/* Of what is open at the end nothing is known: it may go on after the collector has left. */
int runtime_finish(struct runtime *r)
{
	int err = 0;

	for (struct node *n = r->nodes; n && !err; n = n->hh.next)
		err = settle(r, n, UINT64_MAX);
	return err;
}

void runtime_free(struct runtime *r)
{
	struct node *n, *next;

	if (!r)
		return;
	HASH_ITER(hh, r->nodes, n, next)
	node_free(r, n);
	events_close(&r->events);
	free(r->acts);
	free(r->targets);
	free(r->unmet);
	free(r->unsent);
	free(r);
}
