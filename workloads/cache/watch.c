/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of the operators: each call, its window, and what it did to whom. What happened is
 * read from the counts of all entries before and after, not from what the operator returned.
 */
#include "workloads/cache/service.h"

struct call {
	struct front *f;
	uint64_t op, t0, t1;
	uint32_t desc;	/* of references that are taken or dropped */
	unsigned freed; /* enum cache_outcome, if an entry is */
};

static void event(const struct call *k, unsigned kind, unsigned cls, const struct entry *e,
		  uint64_t life, uint32_t units, uint32_t desc)
{
	happened(k->f->w, kind, cls, (uintptr_t)e, life, units, k->op, desc, k->t0, k->t1);
}

/* In the order in which one call can have done it: a reference goes before its entry, and an entry
 * before the one that takes its place. */
static void entry_changed(const struct call *k, struct entry *e, struct known *n)
{
	struct worker *w = k->f->w;

	if (e->drops != n->drops)
		event(k, EVENT_RELEASE, CLASS_REF, e, n->ref, e->drops - n->drops, k->desc);
	if (e->frees != n->frees)
		event(k, EVENT_RELEASE, CLASS_ENTRY, e, n->entry, n->bytes, DESC_FREE);
	if (e->inserts != n->inserts) {
		n->entry = recorder_token(&w->rec);
		event(k, EVENT_ACQUIRE, CLASS_ENTRY, e, n->entry, e->bytes, DESC_ENTER);
	}
	if (e->takes != n->takes) {
		if (n->takes == n->drops)
			n->ref = recorder_token(&w->rec);
		else
			act_outcome(w, OUTCOME_SHARED);
		event(k, EVENT_ACQUIRE, CLASS_REF, e, n->ref, e->takes - n->takes, k->desc);
	}
}

static bool same(const struct entry *e, const struct known *n)
{
	return e->inserts == n->inserts && e->frees == n->frees && e->takes == n->takes &&
	       e->drops == n->drops;
}

static void cache_changed(const struct call *k)
{
	struct front *f = k->f;

	if (f->changes == f->cache.changes)
		return;
	f->changes = f->cache.changes;
	for (unsigned i = 0; i < CACHE_ENTRIES; i++) {
		struct entry *e = &f->cache.entry[i];
		struct known *n = &f->known[i];

		if (same(e, n))
			continue;
		if (e->frees != n->frees)
			act_outcome(f->w, k->freed);
		entry_changed(k, e, n);
		n->inserts = e->inserts;
		n->frees = e->frees;
		n->takes = e->takes;
		n->drops = e->drops;
		n->bytes = e->bytes;
	}
}

static struct call call_begin(struct front *f, uint64_t op, uint32_t desc, unsigned freed)
{
	return (struct call){.f = f, .op = op, .desc = desc, .freed = freed, .t0 = act_now(f->w)};
}

static void call_end(struct call *k)
{
	k->t1 = act_now(k->f->w);
	cache_changed(k);
}

struct entry *watch_lookup(struct front *f, unsigned key, uint64_t op)
{
	struct call k = call_begin(f, op, DESC_LOOKUP, OUTCOME_EVICTED);
	struct entry *e = cache_lookup(&f->cache, key);

	call_end(&k);
	act_outcome(f->w, e ? OUTCOME_HIT : OUTCOME_MISS);
	return e;
}

struct entry *watch_insert(struct front *f, unsigned key, unsigned bytes, uint64_t op)
{
	struct call k = call_begin(f, op, DESC_INSERT, OUTCOME_EVICTED);
	struct entry *e = cache_insert(&f->cache, key, bytes);

	call_end(&k);
	return e;
}

bool watch_evict(struct front *f, uint64_t op)
{
	struct call k = call_begin(f, op, 0, OUTCOME_EVICTED);
	bool did = cache_evict(&f->cache);

	call_end(&k);
	return did;
}

void watch_use(struct front *f, struct entry *e, uint64_t op)
{
	const struct known *n = &f->known[e - f->cache.entry];
	bool held = n->takes != n->drops;
	uint64_t life = held ? n->ref : recorder_token(&f->w->rec);
	struct call k = call_begin(f, op, DESC_USE, OUTCOME_EVICTED);

	cache_use(e);
	k.t1 = act_now(f->w);
	event(&k, EVENT_USE, CLASS_REF, e, life, 1, DESC_USE);
}

void watch_put(struct front *f, struct entry *e, uint64_t op)
{
	struct call k = call_begin(f, op, DESC_PUT, OUTCOME_OUTLIVED);

	cache_put(e, &f->cache);
	call_end(&k);
}

void watch_invalidate(struct front *f, unsigned key, uint64_t op)
{
	struct call k = call_begin(f, op, 0, OUTCOME_INVALIDATED);

	cache_invalidate(&f->cache, key);
	call_end(&k);
}

/* ---- lines ---- */

void watch_push(struct worker *w, struct load *l, struct line *to, uint64_t op)
{
	struct rec_key key = {.v = (uintptr_t)l->front, .ns = KEY_TASK};
	struct sent sent;

	sent_begin(w, &sent, HANDOFF_QUEUE, op, key, RECORDER_NO_SEQ,
		   l->used ? 1u << MARK_REUSED_KEY : 0, act_now(w));
	l->used = true;
	l->sent = sent;
	cache_push(l, to);
	sent_end(w, &sent, act_now(w));
}

struct load *watch_pop(struct worker *w, struct line *from, uint64_t *look, uint64_t *ret_before,
		       uint64_t *ret_after)
{
	uint64_t now = act_now(w);
	struct load *l = cache_pop(from);

	*ret_before = *look;
	*ret_after = act_now(w);
	if (!l)
		*look = now;
	return l;
}

/* Nothing changes any more. */
void watch_end(struct front *f)
{
	for (unsigned i = 0; i < CACHE_ENTRIES; i++) {
		struct entry *e = &f->cache.entry[i];
		struct known *n = &f->known[i];

		if (e->takes != e->drops)
			recorder_live(&f->w->rec, n->ref, e->takes - e->drops, false);
		if (e->inserts != e->frees)
			recorder_live(&f->w->rec, n->entry, e->bytes, false);
	}
}
