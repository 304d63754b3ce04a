/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a key used at all? Asked the other way round: the keys in doubt are few, so they are hashed
 * and truth is read once.
 */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff_run.h"

/* A key in doubt; absent scope is a value of its own. */
struct doubt {
	uint64_t v, scope;
	uint32_t next; /* of the same bucket: place + 1 */
	uint8_t ns;
	bool has_scope, used;
};

struct used_keys {
	uint32_t *head; /* by space and value; place + 1 */
	struct doubt *v;
	size_t cnt;
	uint32_t mask;
};

static uint32_t bucket(const struct used_keys *u, uint8_t ns, uint64_t v)
{
	return key_tag(ns, v) & u->mask;
}

static struct doubt *find(const struct used_keys *u, const struct probe *p)
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

	if (!p->comparable || find(u, p))
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
		    (!a->has_scope || !k->has_scope || a->scope == k->scope))
			a->used = true;
	}
}

struct used_keys *used_keys_new(const struct hx *x, const struct claims *c, const struct list *late)
{
	struct used_keys *u = calloc(1, sizeof(*u));
	uint32_t size = 64;

	if (!u)
		return NULL;
	while (size < 2 * late->cnt && size < UINT32_C(1) << 31)
		size *= 2;
	u->mask = size - 1;
	u->head = calloc(size, sizeof(*u->head));
	u->v = malloc((late->cnt + 1) * sizeof(*u->v));
	if (!u->head || !u->v) {
		used_keys_free(u);
		return NULL;
	}
	for (size_t i = 0; i < late->cnt; i++) {
		struct probe p = probe_of(x, &c->v[late->v[i]]);

		ask(u, &p);
	}
	for (size_t h = 0; u->cnt && h < x->cnt; h++)
		if (x->flags[h] & HX_KEY)
			answer(u, &x->t->handoffs[h].key);
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
	const struct doubt *a = find(u, p);

	return a && a->used;
}
