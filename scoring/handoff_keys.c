/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a key used at all? Asked the other way round: the keys in doubt are few, so they are hashed,
 * and the tags that the survey left of all keys of truth are read. Only where a bit says that a tag
 * may be in doubt the record is.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "scoring/handoff_run.h"

/* A key in doubt; absent scope is a value of its own. */
struct doubt {
	uint64_t v, scope;
	uint32_t tag, next; /* next: of the same bucket: place + 1 */
	uint8_t ns;
	bool has_scope;
	_Atomic(bool) used;
};

struct used_keys {
	const struct truth *t;
	const struct hx *x;	  /* any, to make probes */
	uint32_t *head;		  /* by space and value; place + 1 */
	_Atomic(uint64_t) *tags;  /* bits, by lowest bits of tags: a key in doubt may be of it */
	const uint32_t *key_tags; /* of truth */
	struct doubt *v;
	size_t cnt;
	_Atomic(size_t) open; /* not known to be used yet */
	uint32_t mask, tags_mask;
};

/* The bit of a tag; keys of one bit are of one bucket. */
static _Atomic(uint64_t) *tag_word(const struct used_keys *u, uint32_t tag)
{
	return &u->tags[(tag & u->tags_mask) / 64];
}

static bool bit_open(const struct used_keys *u, uint32_t tag)
{
	return atomic_load_explicit(tag_word(u, tag), memory_order_relaxed) >> tag % 64 & 1;
}

static bool is_used(const struct doubt *a)
{
	return atomic_load_explicit(&a->used, memory_order_relaxed);
}

/* Is a key with such bits of its tag not known to be used? */
static bool tag_open(const struct used_keys *u, uint32_t tag, uint32_t bits)
{
	for (uint32_t i = u->head[tag & u->mask]; i; i = u->v[i - 1].next)
		/* mutant ||: equivalent because more that seem open only take longer */
		if (!((u->v[i - 1].tag ^ tag) & bits) && !is_used(&u->v[i - 1]))
			return true;
	return false; /* mutant: equivalent because more that seem open only take longer */
}

static struct doubt *lookup(const struct used_keys *u, const struct probe *p)
{
	for (uint32_t i = u->head[key_tag(p->ns, p->v) & u->mask]; i; i = u->v[i - 1].next) {
		struct doubt *a = &u->v[i - 1];

		if (a->v == p->v && a->ns == p->ns && a->has_scope == p->has_scope &&
		    a->scope == p->scope)
			return a;
	}
	return NULL;
}

static void ask(struct used_keys *u, const struct probe *p)
{
	uint32_t tag = key_tag(p->ns, p->v), *head = &u->head[tag & u->mask];

	/* mutant &&: equivalent because all in doubt are comparable, and one may be asked twice */
	if (!p->comparable || lookup(u, p))
		return;
	u->v[u->cnt] = (struct doubt){.v = p->v,
				      .scope = p->scope,
				      .tag = tag,
				      .next = *head,
				      .ns = p->ns,
				      .has_scope = p->has_scope};
	*head = (uint32_t)++u->cnt;
	*tag_word(u, tag) |= UINT64_C(1) << tag % 64;
}

/* A bit all of whose keys are used is asked no more. */
static void answer(struct used_keys *u, const struct truth_key *k)
{
	uint32_t tag = key_tag(k->ns, k->v);

	for (uint32_t i = u->head[tag & u->mask]; i; i = u->v[i - 1].next) {
		struct doubt *a = &u->v[i - 1];

		if (a->v == k->v && a->ns == k->ns &&
		    (!a->has_scope || !k->has_scope || a->scope == k->scope) && !is_used(a) &&
		    !atomic_exchange_explicit(&a->used, true, memory_order_relaxed))
			/* mutant: equivalent because more that seem open only take longer */
			atomic_fetch_sub_explicit(&u->open, 1, memory_order_relaxed);
	}
	if (!tag_open(u, tag, u->tags_mask))
		/* mutant 0: equivalent because a bit that stays only takes longer */
		atomic_fetch_and_explicit(tag_word(u, tag), ~(UINT64_C(1) << tag % 64),
					  memory_order_relaxed);
}

enum { ALL_USED = 1, TAG_BITS = 32 };

static int answer_some(void *arg, unsigned worker, size_t from, size_t to)
{
	struct used_keys *u = arg;

	for (size_t h = from; h < to; h++)
		/* mutant ||: equivalent because to ask more only takes longer */
		if (bit_open(u, u->key_tags[h]) && tag_open(u, u->key_tags[h], UINT32_MAX) &&
		    space_listed(u->t, u->t->handoffs[h].key.ns))
			answer(u, &u->t->handoffs[h].key);
	/* mutant: equivalent because it only saves time */
	return atomic_load_explicit(&u->open, memory_order_relaxed) ? 0 : ALL_USED;
}

static void ask_claim(struct used_keys *u, const struct run *r, uint32_t claim)
{
	struct probe p = probe_of(u->x, &r->c->v[claim]);

	ask(u, &p);
}

/* Those that match nothing, of all workers, and those that wait with the first. */
static size_t count_doubts(const struct run *r, const struct worker *w)
{
	size_t cnt = 0; /* mutant: equivalent because more room does no harm */

	for (unsigned i = 0; i < r->workers; i++)
		cnt += w[i].doubts.cnt;
	for (size_t i = 0; i < w->late.cnt; i = late_next(&w->late, i))
		cnt += (w->late.v[i + LATE_FLAGS] & LATE_DOUBT) != 0;
	return cnt;
}

static int ask_all(struct used_keys *u, const struct run *r, const struct worker *w)
{
	uint32_t size = 64;
	size_t cnt = count_doubts(r, w);

	/* mutant <= 0 1 2 3 25 27: equivalent because any number of buckets finds the same */
	while (size < 2 * cnt && size < UINT32_C(1) << 26)
		size *= 2; /* mutant 3: equivalent because any number of buckets finds the same */
	/* mutant 2: equivalent because any number of buckets finds the same */
	u->mask = size - 1;
	u->head = calloc(size, sizeof(*u->head));
	/* mutant 0 2: equivalent because glibc gives memory for nothing, too */
	u->v = malloc((cnt + 1) * sizeof(*u->v));
	u->tags_mask = TAG_BITS * size - 1; /* mutant 2: equivalent because half as many will do */
	/* mutant 63: equivalent because more room does no harm */
	u->tags = calloc(TAG_BITS * size / 64, sizeof(*u->tags));
	if (!u->head || !u->v || !u->tags)
		return -ENOMEM;
	for (unsigned i = 0; i < r->workers; i++)
		for (size_t k = 0; k < w[i].doubts.cnt; k++)
			ask_claim(u, r, w[i].doubts.v[k]);
	for (size_t i = 0; i < w->late.cnt; i = late_next(&w->late, i))
		if (w->late.v[i + LATE_FLAGS] & LATE_DOUBT)
			/* mutant -: equivalent because it is the first */
			ask_claim(u, r, w->late.v[i + LATE_CLAIM]);
	return 0;
}

struct used_keys *used_keys_new(const struct run *r, const struct worker *w)
{
	struct used_keys *u = calloc(1, sizeof(*u)); /* mutant 2: equivalent because one is used */

	if (!u)
		return NULL;
	u->t = r->t;
	u->x = &w->x;
	u->key_tags = r->key_tags;
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
	free(u->tags);
	free(u->v);
	free(u);
}

bool used_keys_has(const struct used_keys *u, const struct probe *p)
{
	const struct doubt *a = lookup(u, p);

	return a && a->used;
}
