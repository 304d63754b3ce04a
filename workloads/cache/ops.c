/* SPDX-License-Identifier: BSD-2-Clause */
/* The operators of the cache and its lines, named by manifest.yaml. */
#include <stddef.h>

#include "workloads/cache/store.h"

_Static_assert(offsetof(struct entry, bytes) == 20, "manifest.yaml reads the size of an entry");
_Static_assert(offsetof(struct load, front) == 16, "manifest.yaml reads the cache of a load");

OPERATOR void cache_init(struct cache *c, unsigned capacity)
{
	c->capacity = capacity;
}

OPERATOR struct entry *cache_lookup(struct cache *c, unsigned key)
{
	struct entry *e = entry_find(c, key);

	if (!e)
		return NULL;
	entry_unlist(e, c);
	entry_list(e, c);
	entry_take(e, c);
	return e;
}

/* The least recently used that nobody references. */
OPERATOR bool cache_evict(struct cache *c)
{
	struct entry *e = c->oldest;

	while (e && e->refs)
		e = e->newer;
	if (!e)
		return false;
	entry_unlist(e, c);
	cache_free(e, c);
	return true;
}

OPERATOR struct entry *cache_insert(struct cache *c, unsigned key, unsigned bytes)
{
	struct entry *e = entry_unused(c);

	if (!e || bytes > c->capacity - c->used)
		return NULL;
	e->key = key;
	e->bytes = bytes;
	e->live = true;
	e->inserts++;
	c->used += bytes;
	c->changes++;
	entry_list(e, c);
	entry_take(e, c);
	return e;
}

OPERATOR void cache_use(struct entry *e)
{
	e->uses++;
}

OPERATOR void cache_put(struct entry *e, struct cache *c)
{
	e->refs--;
	e->drops++;
	c->changes++;
	if (!e->refs && !e->listed)
		cache_free(e, c);
}

OPERATOR void cache_invalidate(struct cache *c, unsigned key)
{
	struct entry *e = entry_find(c, key);

	if (!e)
		return;
	entry_unlist(e, c);
	if (!e->refs)
		cache_free(e, c);
}

OPERATOR void cache_free(struct entry *e, struct cache *c)
{
	e->live = false;
	e->frees++;
	c->used -= e->bytes;
	c->changes++;
}

/* ---- lines ---- */

/* Queries are numbered by how often they are asked: before those that are asked less. */
static struct load **place_of(const struct load *l, struct line *to)
{
	struct load **at = &to->first;

	while (*at && (to->in_order || (*at)->key <= l->key))
		at = &(*at)->next;
	return at;
}

OPERATOR void cache_push(struct load *l, struct line *to)
{
	struct load **at;

	spin_lock(&to->lock);
	at = place_of(l, to);
	l->next = *at;
	*at = l;
	atomic_fetch_add(&to->cnt, 1);
	spin_unlock(&to->lock);
}

OPERATOR struct load *cache_pop(struct line *from)
{
	struct load *l;

	spin_lock(&from->lock);
	l = from->first;
	if (l) {
		from->first = l->next;
		atomic_fetch_sub(&from->cnt, 1);
	}
	spin_unlock(&from->lock);
	return l;
}
