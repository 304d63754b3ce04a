/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of entries: what operators are made of. */
#include "workloads/cache/store.h"

struct entry *entry_find(struct cache *c, unsigned key)
{
	struct entry *e = c->newest;

	while (e && e->key != key)
		e = e->older;
	return e;
}

struct entry *entry_unused(struct cache *c)
{
	for (unsigned i = 0; i < CACHE_ENTRIES; i++)
		if (!c->entry[i].live)
			return &c->entry[i];
	return NULL;
}

void entry_list(struct entry *e, struct cache *c)
{
	e->listed = true;
	e->newer = NULL;
	e->older = c->newest;
	if (c->newest)
		c->newest->newer = e;
	else
		c->oldest = e;
	c->newest = e;
}

void entry_unlist(struct entry *e, struct cache *c)
{
	e->listed = false;
	if (e->newer)
		e->newer->older = e->older;
	else
		c->newest = e->older;
	if (e->older)
		e->older->newer = e->newer;
	else
		c->oldest = e->newer;
}

void entry_take(struct entry *e, struct cache *c)
{
	e->refs++;
	e->takes++;
	c->changes++;
}
