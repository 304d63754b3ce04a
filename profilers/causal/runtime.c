/* SPDX-License-Identifier: BSD-2-Clause */
/* queue, spawn, resume, grant and call handoffs: what a manifest's runtime adapters say. */
#include "profilers/causal/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "profilers/causal/confidence.h"
#include "profilers/causal/runtime_state.h"

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

static void open_drop(struct runtime *r, struct node *n, struct open *o)
{
	DL_DELETE(n->open, o);
	n->open_cnt--;
	r->open_cnt--;
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
int runtime_orphan(struct runtime *r, struct node *n, struct open *o)
{
	bool sure = !(r->unmet[n->key.resource] & 1u << o->type);
	int err = sure ? put(r, n, o->type, &o->src, NULL) : 0;

	open_drop(r, n, o);
	return err;
}

static int node_forget(struct runtime *r, struct node *n);

/* The oldest send of the node makes room, or the instance that was seen first. */
static int opens_bound(struct runtime *r, struct node *n)
{
	int err = 0;

	while (!err && (n->open_cnt >= CAUSAL_OPEN_MAX || r->open_cnt >= CAUSAL_OPENS_MAX))
		if (n->open)
			err = runtime_orphan(r, n, n->open);
		else
			err = node_forget(r, r->nodes == n ? n->hh.next : r->nodes);
	return err;
}

static int begin(struct runtime *r, struct node *n, uint8_t type, const struct hit *h)
{
	struct open *o = open_find(n, type, h->target);
	int err = 0;

	if (o && h->seq) { /* begun anew: it came to nothing */
		r->unmet[n->key.resource] |= (uint16_t)(1u << type);
		open_drop(r, n, o);
	} else if (o) {
		err = runtime_orphan(r, n, o);
	}
	if (!err)
		err = opens_bound(r, n);
	o = err ? NULL : calloc(1, sizeof(*o));
	if (!o)
		return err ? err : -ENOMEM;
	o->type = type;
	o->src = *h;
	DL_APPEND(n->open, o);
	n->open_cnt++;
	r->open_cnt++;
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
	open_drop(r, n, o);
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

int runtime_take(struct runtime *r, struct node *n, const struct hit *h)
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

/* ---- nodes ---- */

static void node_free(struct runtime *r, struct node *n)
{
	while (n->open)
		open_drop(r, n, n->open);
	while (n->late)
		runtime_late_drop(n, n->late);
	HASH_DEL(r->nodes, n);
	free(n);
}

static int node_forget(struct runtime *r, struct node *n)
{
	int err = runtime_settle(r, n, UINT64_MAX);

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

/* What is open in a process that has ended was sent to nobody. */
static int nodes_forget(struct runtime *r)
{
	struct node *n, *next;
	int err = 0;

	HASH_ITER(hh, r->nodes, n, next)
	if (!err && gone_has(&r->gone, n->key.tgid))
		err = node_forget(r, n);
	gone_clear(&r->gone);
	return err;
}

int runtime_record(struct runtime *r, const struct ev_rec *v)
{
	uint32_t i = v->kind == EV_APP ? events_of(&r->events, v) : EVENTS_NONE;
	const struct manifest_descriptor *d;
	struct node_key key;
	struct node *n;
	struct hit h;
	int err;

	if (gone_record(&r->gone, v))
		return nodes_forget(r);
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
	return err ? err : runtime_happen(r, n, &h);
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
		err = runtime_settle(r, n, UINT64_MAX);
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
