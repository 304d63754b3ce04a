/* SPDX-License-Identifier: BSD-2-Clause */
/* Lives of resource instances. */
#include "profilers/causal/lives.h"

#include <errno.h>
#include <stdlib.h>

struct life *lives_find(const struct lives *l, const struct life_key *key)
{
	struct life *x;

	HASH_FIND(hh, l->v, key, sizeof(*key), x);
	return x;
}

static void forget(struct lives *l, struct life *x)
{
	HASH_DEL(l->v, x);
	free(x);
}

struct life *lives_add(struct lives *l, const struct life_key *key)
{
	struct life *x;

	if (HASH_COUNT(l->v) >= LIVES_MAX) {
		forget(l, l->v); /* uthash keeps order */
		l->evicted++;
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->key = *key;
	HASH_ADD(hh, l->v, key, sizeof(x->key), x);
	return x;
}

void lives_forget(struct lives *l, const struct gone *processes)
{
	struct life *x, *next;

	HASH_ITER(hh, l->v, x, next)
	if (gone_has(processes, x->key.tgid))
		forget(l, x);
}

void lives_free(struct lives *l)
{
	while (l->v)
		forget(l, l->v);
}

static int copy(struct lives *l, struct life x, uint32_t child)
{
	struct life *c;

	x.key.tgid = child;
	c = lives_add(l, &x.key);
	if (!c)
		return -ENOMEM;
	x.hh = c->hh;
	*c = x;
	c->generation = ++l->generation;
	c->opened = 0;
	c->copied = true;
	return 0;
}

/* Those that are added stand behind all others, of which at most those before x are forgotten. */
int lives_copy(struct lives *l, uint32_t parent, uint32_t child)
{
	struct life *x, *next;
	int err = 0;

	for (x = l->v; x && !err; x = next) {
		next = x->hh.next;
		if (x->key.tgid == parent && life_is_live(x))
			err = copy(l, *x, child);
	}
	return err;
}

void lives_end(struct lives *l, uint32_t tgid, void (*fn)(void *arg, const struct life *x),
	       void *arg)
{
	struct life *x, *next;

	for (x = l->v; x; x = next) {
		next = x->hh.next;
		if (x->key.tgid != tgid)
			continue;
		fn(arg, x);
		forget(l, x);
	}
}

void life_open(struct lives *l, struct life *x, uint64_t units, uint32_t tid, bool exclusive)
{
	bool live = life_is_live(x);

	x->overlaps = live;
	x->overlaps_part = live && x->parted;
	if (!live || exclusive) {
		x->parted = false;
		x->exceeded = false;
		x->uses = 0;
		x->generation = ++l->generation;
		x->units = units;
		x->seen = 0;
	} else if (__builtin_add_overflow(x->units, units, &x->units)) {
		x->units = UINT64_MAX;
	}
	x->first_tid = x->tid;
	x->tid = tid;
	x->misused = false;
	x->foreign &= !exclusive; /* others may hold it since before */
}

void life_use(struct life *x, uint8_t bit)
{
	if (life_is_live(x))
		x->uses |= bit;
	x->misused |= !life_is_live(x);
}

uint64_t life_close(struct life *x, uint64_t units)
{
	uint64_t beyond = units > x->units ? units - x->units : 0;

	x->units -= units - beyond;
	x->parted = x->units != 0;
	x->overlaps = false;
	x->misused = false;
	return beyond;
}
