/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of keys in flight. */
#include "scoring/handoff_open.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/handoff.h"

enum { OPENS_FIRST = 128 };

int opens_begin(struct opens *o)
{
	if (o->bucket)
		memset(o->bucket, 0, ((size_t)o->mask + 1) * sizeof(*o->bucket));
	else
		o->bucket = calloc(OPENS_FIRST, sizeof(*o->bucket));
	if (!o->bucket)
		return -ENOMEM;
	o->mask = o->mask ? o->mask : OPENS_FIRST - 1;
	o->passed = o->clusters = 0;
	o->cluster.cnt = o->member.cnt = 0;
	return 0;
}

void opens_free(struct opens *o)
{
	free(o->bucket);
	list_free(&o->cluster);
	list_free(&o->member);
}

static bool live(const struct open_bucket *b, unsigned way, uint64_t now)
{
	return b->type[way] && b->end[way] >= now;
}

/* A place in which nothing lives; OPENS_WAYS: there is none. Without branches: which of them are
 * free nobody can foretell. */
static unsigned free_way(const struct open_bucket *b, uint64_t now)
{
	unsigned none = 1u << OPENS_WAYS; /* mutant 2u: equivalent because any such bit will do */

	/* mutant 1: equivalent because any room will do */
	for (unsigned way = 0; way < OPENS_WAYS; way++)
		none |= (unsigned)!((b->type[way] != 0) & (b->end[way] >= now)) << way;
	return (unsigned)__builtin_ctz(none);
}

/* The bucket of a key's new entry, and its place there. */
static struct open_bucket *find_room(struct opens *o, uint32_t tag, uint64_t now, unsigned *ret)
{
	uint32_t i = tag & o->mask;

	for (;; i = (i + 1) & o->mask) {
		*ret = free_way(&o->bucket[i], now);
		if (*ret < OPENS_WAYS)
			return &o->bucket[i];
		/* mutant 2: equivalent because only whether it is matters */
		o->bucket[i].full = 1;
		o->passed++;
	}
}

static void move_way(struct opens *to, const struct open_bucket *from, unsigned i, uint64_t now)
{
	unsigned k;
	struct open_bucket *b = find_room(to, key_tag(from->type[i] - 1, from->v[i]), now, &k);

	b->v[k] = from->v[i];
	b->end[k] = from->end[i];
	b->first[k] = from->first[i];
	b->cluster[k] = from->cluster[i];
	b->type[k] = from->type[i];
}

/* Twice the buckets, with what a life from `now` on can still meet. */
static int grow(struct opens *o, uint64_t now)
{
	struct opens to = *o;

	to.mask = 2 * o->mask + 1;
	/* mutant 1: equivalent because any room will do */
	to.passed = 0;
	/* mutant 2: equivalent because more room does no harm */
	to.bucket = calloc((size_t)to.mask + 1, sizeof(*to.bucket));
	if (!to.bucket)
		return -ENOMEM;
	for (uint32_t i = 0; i <= o->mask; i++)
		for (unsigned way = 0; way < OPENS_WAYS; way++)
			if (live(&o->bucket[i], way, now))
				move_way(&to, &o->bucket[i], way, now);
	free(o->bucket);
	*o = to;
	return 0;
}

static int join(struct opens *o, struct open_bucket *b, unsigned way, uint32_t h)
{
	int err = 0;

	if (b->cluster[way] == UINT32_MAX) {
		b->cluster[way] = o->clusters++;
		err = list_push(&o->cluster, b->cluster[way]);
		if (!err)
			err = list_push(&o->member, b->first[way]);
	}
	if (!err)
		err = list_push(&o->cluster, b->cluster[way]);
	return err ? err : list_push(&o->member, h);
}

/* Where the key lives in the bucket; OPENS_WAYS: nowhere. */
static unsigned find_way(const struct open_bucket *b, uint8_t type, uint64_t v, uint64_t now)
{
	for (unsigned way = 0; way < OPENS_WAYS; way++)
		if (b->v[way] == v && b->type[way] == type + 1 && b->end[way] >= now)
			return way;
	return OPENS_WAYS;
}

/* Where the key lives; NULL: nowhere. */
static struct open_bucket *find_live(const struct opens *o, uint8_t type, uint64_t v, uint32_t tag,
				     uint64_t now, unsigned *ret)
{
	uint32_t i = tag & o->mask;

	do {
		struct open_bucket *b = &o->bucket[i];

		*ret = find_way(b, type, v, now);
		if (*ret < OPENS_WAYS)
			return b;
		if (!b->full)
			return NULL;
		i = (i + 1) & o->mask;
	} while (i != (tag & o->mask));
	return NULL;
}

static void enter(struct open_bucket *b, unsigned way, uint8_t type, uint64_t v, uint64_t end,
		  uint32_t h)
{
	b->v[way] = v;
	b->end[way] = end;
	b->first[way] = h;
	b->cluster[way] = UINT32_MAX;
	b->type[way] = type + 1;
}

int opens_put(struct opens *o, uint8_t type, uint64_t v, uint32_t tag, const struct window *life,
	      uint32_t h)
{
	unsigned way;
	struct open_bucket *b = find_live(o, type, v, tag, life->t0, &way);

	if (b) {
		/* mutant >=: equivalent because both are the same then */
		if (life->t1 > b->end[way])
			b->end[way] = life->t1;
		return join(o, b, way, h);
	}
	/* mutant >= 7 9: equivalent because any room will do */
	if (o->passed > o->mask / 8 && grow(o, life->t0))
		return -ENOMEM;
	b = find_room(o, tag, life->t0, &way);
	enter(b, way, type, v, life->t1, h);
	return 0;
}
