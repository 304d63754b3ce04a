/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of resources, window by window. */
#include "profilers/adapter/reading.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "profilers/adapter/events.h"
#include "profilers/adapter/gone.h"

enum { INSTANCES_MAX = 1 << 16, REQUESTS_MAX = 1 << 12, THREADS = 64, TRANSFERS = 64 };

struct instance_key {
	uint64_t instance;
	uint32_t tgid, resource;
};

struct instance { /* that is held, or waits for more */
	struct instance_key key;
	uint64_t units, since;
	uint32_t tid;	 /* who began the life */
	uint32_t waiter; /* who waits for it; 0: nobody */
	bool used;
	UT_hash_handle hh;
};

struct request { /* a transfer under way */
	uint64_t req, t;
	uint32_t tid;
	UT_hash_handle hh;
};

struct thread { /* the latest transfers of one, ns; found by tid modulo THREADS */
	uint32_t tid, cnt;
	uint64_t ns[TRANSFERS];
};

struct held { /* one resource */
	struct visible see;
	double in_use, capacity; /* 0: not known */
	uint64_t from, last;	 /* the window; the last change of in_use */
	double area, low, high, acquired;
	struct figures now;
	uint64_t held_ns[WINDOW_OPENS];
	uint32_t held_cnt;
	uint32_t server; /* the thread that last ended a life of another's */
};

struct reading {
	const struct manifest *m;
	uint8_t *means; /* one a descriptor: enum event_kind that it comes to, or EVENT_KIND_CNT */
	struct held *v; /* one a resource */
	struct instance *instances;
	struct request *requests;
	struct gone gone;
	struct thread threads[THREADS];
};

/* ---- what a manifest lets one see ---- */

static bool moves_block_io(const struct manifest *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++) {
		const struct manifest_invariant *v = &m->invariants[i];

		if ((v->kind == INV_SILENCE || v->kind == INV_SYSTEM_EFFECT) &&
		    v->effect == EFFECT_BLOCK_IO && v->of[0] == id)
			return true;
	}
	return false;
}

/* A ratio ties an acquire that reads from a device to an acquire of the resource. */
static void note_ratio(struct reading *r, const struct manifest_invariant *v)
{
	const struct manifest_descriptor *a, *b;

	if (v->kind != INV_RATIO || v->of_cnt < 2 || !moves_block_io(r->m, v->of[0]))
		return;
	a = manifest_descriptor_by_id(r->m, v->of[0]);
	b = manifest_descriptor_by_id(r->m, v->of[1]);
	if (a->event == EVENT_ACQUIRE && b->event == EVENT_ACQUIRE && a->resource != b->resource)
		r->v[b->resource].see.fill = a->resource;
}

/* A capacity counts where the manifest vouches that what is in use keeps within it. */
static void note_invariants(struct reading *r)
{
	for (uint32_t i = 0; i < r->m->invariants_cnt; i++) {
		const struct manifest_invariant *v = &r->m->invariants[i];

		if (v->kind == INV_BALANCE)
			r->v[manifest_descriptor_by_id(r->m, v->of[0])->resource].see.bounded =
				true;
		note_ratio(r, v);
	}
}

static void note_descriptors(struct reading *r)
{
	for (uint32_t i = 0; i < r->m->descriptors_cnt; i++) {
		struct visible *s = &r->v[r->m->descriptors[i].resource].see;

		s->opens |= r->means[i] == EVENT_ACQUIRE;
		s->uses |= r->means[i] == EVENT_USE;
		s->closes |= r->means[i] == EVENT_RELEASE;
		s->waits |= r->means[i] == EVENT_WAIT;
	}
}

static bool balances(const struct manifest *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->invariants_cnt; i++)
		for (uint32_t k = 0; k < m->invariants[i].of_cnt; k++)
			if (m->invariants[i].kind == INV_BALANCE && m->invariants[i].of[k] == id)
				return true;
	return false;
}

/* What begins and ends is acquired and released where the manifest says that it balances. */
static uint8_t meaning(const struct manifest *m, const struct manifest_descriptor *d)
{
	switch (d->event) {
	case EVENT_WAIT:
	case EVENT_ACQUIRE:
	case EVENT_USE:
	case EVENT_RELEASE:
		return d->event;
	case EVENT_BEGIN:
		return balances(m, d->id) ? EVENT_ACQUIRE : EVENT_KIND_CNT;
	case EVENT_END:
		return balances(m, d->id) ? EVENT_RELEASE : EVENT_KIND_CNT;
	default:
		return EVENT_KIND_CNT;
	}
}

static void forget_instance(struct reading *r, struct instance *i)
{
	HASH_DEL(r->instances, i);
	free(i);
}

static void forget_request(struct reading *r, struct request *q)
{
	HASH_DEL(r->requests, q);
	free(q);
}

void reading_free(struct reading *r)
{
	if (!r)
		return;
	while (r->instances)
		forget_instance(r, r->instances);
	while (r->requests)
		forget_request(r, r->requests);
	free(r->means);
	free(r->v);
	free(r);
}

struct reading *reading_new(const struct manifest *m)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->m = m;
	r->v = calloc(m->resources_cnt + 1, sizeof(*r->v));
	r->means = calloc(m->descriptors_cnt + 1, sizeof(*r->means));
	if (!r->v || !r->means) {
		reading_free(r);
		return NULL;
	}
	for (uint32_t i = 0; i < m->descriptors_cnt; i++)
		r->means[i] = meaning(m, &m->descriptors[i]);
	for (uint32_t i = 0; i < m->resources_cnt; i++)
		r->v[i].see.fill = READING_NONE;
	note_descriptors(r);
	note_invariants(r);
	return r;
}

const struct visible *reading_visible(const struct reading *r, uint32_t resource)
{
	return &r->v[resource].see;
}

/* ---- windows ---- */

static int by_ns(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static void find_longest_fifth(struct held *h, struct figures *ret)
{
	double all = 0, longest = 0;
	uint32_t n = h->held_cnt;

	qsort(h->held_ns, n, sizeof(h->held_ns[0]), by_ns);
	for (uint32_t i = 0; i < n; i++) {
		all += (double)h->held_ns[i];
		longest += i >= n - n / 5 ? (double)h->held_ns[i] : 0;
	}
	ret->longest = all > 0 ? longest / all : 0;
	ret->longest_ns = n / 5 ? longest / (n / 5) : 0;
}

static uint64_t median_transfer(struct reading *r, uint32_t tid)
{
	struct thread *t = &r->threads[tid % THREADS];
	uint32_t n = t->cnt < TRANSFERS ? t->cnt : TRANSFERS;
	uint64_t ns[TRANSFERS];

	if (t->tid != tid || n < SLOW_TRANSFERS)
		return 0;
	memcpy(ns, t->ns, sizeof(ns));
	qsort(ns, n, sizeof(ns[0]), by_ns);
	return ns[n / 2];
}

static void begin(struct held *h, uint64_t t)
{
	h->from = h->last = t;
	h->low = h->high = h->in_use;
	h->area = h->acquired = 0;
	h->held_cnt = 0;
	h->now = (struct figures){.opened = 0};
}

static void end(struct reading *r, struct held *h, uint64_t t, struct figures *ret)
{
	double span = t > h->from ? (double)(t - h->from) : 1;

	*ret = h->now;
	ret->full = h->see.bounded && h->capacity > 0 ? h->area / span / h->capacity : -1;
	find_longest_fifth(h, ret);
	ret->acquired = h->acquired;
	ret->low = h->low;
	ret->high = h->high;
	ret->io_ns = h->server ? median_transfer(r, h->server) : 0;
	begin(h, t);
}

static void in_use_changes(struct held *h, double by, uint64_t t)
{
	if (t > h->last) {
		h->area += h->in_use * (double)(t - h->last);
		h->last = t;
	}
	h->in_use += by;
	if (h->in_use < h->low)
		h->low = h->in_use;
	if (h->in_use > h->high)
		h->high = h->in_use;
}

/* ---- lives ---- */

static struct instance *find(struct reading *r, const struct ev_rec *rec, uint32_t resource)
{
	struct instance_key key = {.instance = rec->a, .tgid = rec->tgid, .resource = resource};
	struct instance *i;

	HASH_FIND(hh, r->instances, &key, sizeof(key), i);
	return i;
}

/* The instance of a record; a new one holds nothing. NULL: no memory. */
static struct instance *meet(struct reading *r, const struct ev_rec *rec, uint32_t resource)
{
	struct instance *i = find(r, rec, resource);

	if (i)
		return i;
	if (HASH_COUNT(r->instances) >= INSTANCES_MAX)
		forget_instance(r, r->instances); /* uthash keeps order: the oldest */
	i = calloc(1, sizeof(*i));
	if (!i)
		return NULL;
	i->key = (struct instance_key){.instance = rec->a, .tgid = rec->tgid, .resource = resource};
	HASH_ADD(hh, r->instances, key, sizeof(i->key), i);
	return i;
}

static void wait_begins(struct reading *r, const struct ev_rec *rec, uint32_t resource)
{
	struct instance *i = meet(r, rec, resource);

	if (i)
		i->waiter = rec->tid;
}

static void open_life(struct reading *r, struct held *h, const struct ev_rec *rec,
		      uint32_t resource, uint64_t units)
{
	struct instance *i = meet(r, rec, resource);

	if (!i)
		return;
	if (!i->units) {
		i->since = rec->t;
		i->tid = rec->tid;
		i->used = false;
	}
	h->now.granted += i->waiter && i->waiter != rec->tid;
	i->waiter = 0;
	i->units += units;
}

static void close_life(struct reading *r, struct held *h, const struct ev_rec *rec,
		       uint32_t resource, uint64_t units)
{
	struct instance *i = find(r, rec, resource);

	if (!i || !i->units)
		return;
	i->units -= units < i->units ? units : i->units;
	if (i->units)
		return;
	h->now.closed++;
	h->now.unused += !i->used;
	if (i->tid != rec->tid) {
		h->now.foreign++;
		h->server = rec->tid;
	}
	if (h->held_cnt < WINDOW_OPENS)
		h->held_ns[h->held_cnt++] = rec->t > i->since ? rec->t - i->since : 0;
	forget_instance(r, i);
}

/* Acquires of what fills another resource from a device count in that one's window. */
static void count_fill(struct reading *r, uint32_t resource)
{
	for (uint32_t i = 0; i < r->m->resources_cnt; i++)
		r->v[i].now.fills += r->v[i].see.fill == resource;
}

bool reading_event(struct reading *r, uint32_t desc, const struct ev_rec *rec, struct figures *ret)
{
	const struct manifest_descriptor *d = &r->m->descriptors[desc];
	struct held *h = &r->v[d->resource];
	bool given = d->unit_key.kind != EXPR_NONE && !(rec->e >> 48 & EV_APP_FAULT_UNITS);
	uint64_t units = given ? rec->b : 1;
	struct instance *i;

	if (!h->from)
		begin(h, rec->t);
	switch (r->means[desc]) {
	case EVENT_WAIT:
		h->now.waits++;
		wait_begins(r, rec, d->resource);
		return false;
	case EVENT_USE:
		i = find(r, rec, d->resource);
		if (i)
			i->used = true;
		return false;
	case EVENT_RELEASE:
		in_use_changes(h, -(double)units, rec->t);
		close_life(r, h, rec, d->resource, units);
		return false;
	case EVENT_ACQUIRE:
		in_use_changes(h, (double)units, rec->t);
		h->acquired += (double)units;
		open_life(r, h, rec, d->resource, units);
		count_fill(r, d->resource);
		if (++h->now.opened < WINDOW_OPENS)
			return false;
		end(r, h, rec->t, ret);
		return true;
	default:
		return false;
	}
}

void reading_lost(struct reading *r)
{
	for (uint32_t i = 0; i < r->m->resources_cnt; i++)
		r->v[i].from = 0;
	while (r->instances)
		forget_instance(r, r->instances);
	while (r->requests)
		forget_request(r, r->requests);
}

/* ---- transfers ---- */

static struct request *find_request(struct reading *r, uint64_t req)
{
	struct request *q;

	HASH_FIND(hh, r->requests, &req, sizeof(req), q);
	return q;
}

static void submitted(struct reading *r, const struct ev_rec *rec)
{
	struct request *q = find_request(r, rec->b);

	if (rec->flags & EV_F_KERNEL || !events_moves_data(rec)) {
		if (q) /* whose end came without a completion (IOSQE_CQE_SKIP_SUCCESS) */
			forget_request(r, q);
		return;
	}
	if (!q) {
		if (HASH_COUNT(r->requests) >= REQUESTS_MAX)
			forget_request(r, r->requests);
		q = calloc(1, sizeof(*q));
		if (!q)
			return;
		q->req = rec->b;
		HASH_ADD(hh, r->requests, req, sizeof(q->req), q);
	}
	q->t = rec->t;
	q->tid = rec->tid;
}

static void completed(struct reading *r, const struct ev_rec *rec)
{
	struct request *q = find_request(r, rec->b);
	struct thread *t;

	if (!q)
		return;
	t = &r->threads[q->tid % THREADS];
	if (t->tid != q->tid)
		*t = (struct thread){.tid = q->tid};
	t->ns[t->cnt++ % TRANSFERS] = rec->t > q->t ? rec->t - q->t : 0;
	forget_request(r, q);
}

/* Each that is set up adds its own; what has more than 32 bits is none. */
static void add_capacity(struct held *h, const struct ev_rec *rec)
{
	if (rec->a <= UINT32_MAX)
		h->capacity += (double)rec->a;
}

static void forget_gone(struct reading *r)
{
	struct instance *i, *next;

	HASH_ITER(hh, r->instances, i, next)
	if (gone_has(&r->gone, i->key.tgid))
		forget_instance(r, i);
	gone_clear(&r->gone);
}

void reading_record(struct reading *r, const struct ev_rec *rec)
{
	uint32_t resource = (uint32_t)rec->e;

	if (gone_record(&r->gone, rec))
		forget_gone(r);
	switch (rec->kind) {
	case EV_IO_SUBMIT:
		submitted(r, rec);
		return;
	case EV_IO_COMPLETE:
		completed(r, rec);
		return;
	case EV_APP_CAPACITY:
		if (resource < r->m->resources_cnt && !(rec->flags & EV_F_FAULT))
			add_capacity(&r->v[resource], rec);
		return;
	default:
		return;
	}
}
