/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a key used at all? Of nearly all that are not a filter says so. The others are asked the other
 * way round: they are few, so they are hashed and truth is read once more.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "scoring/handoff_run.h"

/* A key in doubt; absent scope is a value of its own. */
struct doubt {
	uint64_t v, scope;
	uint32_t next; /* of the same bucket: place + 1 */
	uint8_t ns;
	bool has_scope;
	_Atomic(bool) used;
};

struct used_keys {
	const struct truth *t;
	const struct hx *x; /* any, to make probes */
	uint32_t *head;	    /* by space and value; place + 1 */
	struct doubt *v;
	size_t cnt;
	_Atomic(size_t) open; /* not known to be used yet */
	uint32_t mask;
};

static uint32_t bucket(const struct used_keys *u, uint8_t ns, uint64_t v)
{
	return key_tag(ns, v) & u->mask;
}

static struct doubt *lookup(const struct used_keys *u, const struct probe *p)
{
	for (uint32_t i = u->head[bucket(u, p->ns, p->v)]; i; i = u->v[i - 1].next) {
		struct doubt *a = &u->v[i - 1];

		if (a->v == p->v && a->ns == p->ns && a->has_scope == p->has_scope &&
		    a->scope == p->scope)
			return a;
	}
	return NULL;
}

static void ask(struct used_keys *u, const struct probe *p)
{
	uint32_t *head = &u->head[bucket(u, p->ns, p->v)];

	/* mutant &&: equivalent because all in doubt are comparable, and one may be asked twice */
	if (!p->comparable || lookup(u, p))
		return;
	u->v[u->cnt] = (struct doubt){.v = p->v,
				      .scope = p->scope,
				      .next = *head,
				      .ns = p->ns,
				      .has_scope = p->has_scope};
	*head = (uint32_t)++u->cnt;
}

static void answer(struct used_keys *u, const struct truth_key *k)
{
	for (uint32_t i = u->head[bucket(u, k->ns, k->v)]; i; i = u->v[i - 1].next) {
		struct doubt *a = &u->v[i - 1];

		if (a->v == k->v && a->ns == k->ns &&
		    (!a->has_scope || !k->has_scope || a->scope == k->scope) &&
		    /* mutant: equivalent because it only saves time */
		    !atomic_load_explicit(&a->used, memory_order_relaxed) &&
		    !atomic_exchange_explicit(&a->used, true, memory_order_relaxed))
			/* mutant: equivalent because more that seem open only take longer */
			atomic_fetch_sub_explicit(&u->open, 1, memory_order_relaxed);
	}
}

enum { ALL_USED = 1 };

static int answer_some(void *arg, unsigned worker, size_t from, size_t to)
{
	struct used_keys *u = arg;

	for (size_t h = from; h < to; h++)
		if (space_listed(u->t, u->t->handoffs[h].key.ns))
			answer(u, &u->t->handoffs[h].key);
	/* mutant: equivalent because it only saves time */
	return atomic_load_explicit(&u->open, memory_order_relaxed) ? 0 : ALL_USED;
}

static bool may_be_used(const struct run *r, const struct worker *w, const struct probe *p)
{
	for (unsigned i = 0; i < r->workers; i++)
		if (filter_may_have(&w[i].keys, p->ns, p->v))
			return true;
	return false; /* mutant: equivalent because all of truth is asked then */
}

/* What is not asked was not used. */
static void ask_claim(struct used_keys *u, const struct run *r, const struct worker *w,
		      uint32_t claim)
{
	struct probe p = probe_of(u->x, &r->c->v[claim]);

	if (may_be_used(r, w, &p))
		ask(u, &p);
}

/* Those that match nothing, of all workers, and those that wait with the first. */
static size_t count_doubts(const struct run *r, const struct worker *w)
{
	size_t cnt = 0; /* mutant: equivalent because more room does no harm */

	for (unsigned i = 0; i < r->workers; i++)
		cnt += w[i].doubts.cnt;
	for (size_t i = 0; i < w->late.cnt; i = late_next(&w->late, i))
		/* mutant 1: equivalent because more room does no harm */
		cnt += (w->late.v[i + LATE_FLAGS] & LATE_DOUBT) != 0;
	return cnt;
}

static int ask_all(struct used_keys *u, const struct run *r, const struct worker *w)
{
	uint32_t size = 64; /* mutant: equivalent because any number of buckets finds the same */
	size_t cnt = count_doubts(r, w);

	/* mutant <= 0 1 2 3 30 32: equivalent because any number of buckets finds the same */
	while (size < 2 * cnt && size < UINT32_C(1) << 31)
		size *= 2; /* mutant 3: equivalent because any number of buckets finds the same */
	/* mutant 2: equivalent because any number of buckets finds the same */
	u->mask = size - 1;
	u->head = calloc(size, sizeof(*u->head));
	/* mutant 0 2: equivalent because glibc gives memory for nothing, too */
	u->v = malloc((cnt + 1) * sizeof(*u->v));
	if (!u->head || !u->v)
		return -ENOMEM;
	for (unsigned i = 0; i < r->workers; i++)
		for (size_t k = 0; k < w[i].doubts.cnt; k++)
			ask_claim(u, r, w, w[i].doubts.v[k]);
	for (size_t i = 0; i < w->late.cnt; i = late_next(&w->late, i))
		if (w->late.v[i + LATE_FLAGS] & LATE_DOUBT)
			/* mutant -: equivalent because it is the first */
			ask_claim(u, r, w, w->late.v[i + LATE_CLAIM]);
	return 0;
}

struct used_keys *used_keys_new(const struct run *r, const struct worker *w)
{
	struct used_keys *u = calloc(1, sizeof(*u)); /* mutant 2: equivalent because one is used */

	if (!u)
		return NULL;
	u->t = r->t;
	u->x = &w->x;
	if (ask_all(u, r, w)) {
		used_keys_free(u);
		return NULL;
	}
	u->open = u->cnt;
	if (u->cnt)
		work_each(&(struct work){.workers = r->workers,
					 .cnt = r->t->handoffs_cnt,
					 .chunk = WORK_CHUNK,
					 .fn = answer_some,
					 .arg = u});
	return u;
}

void used_keys_free(struct used_keys *u)
{
	if (!u)
		return;
	free(u->head);
	free(u->v);
	free(u);
}

bool used_keys_has(const struct used_keys *u, const struct probe *p)
{
	const struct doubt *a = lookup(u, p);

	return a && a->used;
}
