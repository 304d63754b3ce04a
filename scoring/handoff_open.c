/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of keys in flight. */
#include "scoring/handoff_open.h"

#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

enum { OPENS_FIRST = 1024 };

int opens_init(struct opens *o)
{
	*o = (struct opens){.mask = OPENS_FIRST - 1};
	o->slot = calloc(OPENS_FIRST, sizeof(*o->slot));
	return o->slot ? 0 : -ENOMEM;
}

void opens_free(struct opens *o)
{
	free(o->slot);
	list_free(&o->cluster);
	list_free(&o->member);
}

static struct open_slot *find(struct open_slot *slot, uint32_t mask, uint8_t type, uint64_t v,
			      uint32_t tag)
{
	uint32_t i = tag & mask;

	while (slot[i].used && (slot[i].v != v || slot[i].type != type))
		/* mutant - 2: equivalent because half are free, and any order of places will do */
		i = (i + 1) & mask;
	return &slot[i];
}

/* Keeps what a life from `now` on can still meet, in a table at most a quarter full. */
static int renew(struct opens *o, uint64_t now)
{
	uint32_t live = 0, size = OPENS_FIRST; /* mutant 1: equivalent because any room will do */
	struct open_slot *slot;

	for (uint32_t i = 0; i <= o->mask; i++)
		live += o->slot[i].used && o->slot[i].end >= now;
	/* mutant <= 3 5: equivalent because any room will do */
	while (size < 4 * live)
		size *= 2;
	slot = calloc(size, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i <= o->mask; i++) {
		const struct open_slot *s = &o->slot[i];

		if (s->used && s->end >= now)
			*find(slot, size - 1, s->type, s->v, key_tag(s->type, s->v)) = *s;
	}
	free(o->slot);
	o->slot = slot;
	o->mask = size - 1;
	o->used = live;
	return 0;
}

static int join(struct opens *o, struct open_slot *s, uint32_t h)
{
	int err = 0;

	if (s->cluster == UINT32_MAX) {
		s->cluster = o->clusters++;
		err = list_push(&o->cluster, s->cluster);
		if (!err)
			err = list_push(&o->member, s->first);
	}
	if (!err)
		err = list_push(&o->cluster, s->cluster);
	return err ? err : list_push(&o->member, h);
}

int opens_put(struct opens *o, uint8_t type, uint64_t v, uint32_t tag, const struct window *life,
	      uint32_t h)
{
	struct open_slot *s = find(o->slot, o->mask, type, v, tag);

	if (s->used && s->end >= life->t0) {
		/* mutant >=: equivalent because both are the same then */
		if (life->t1 > s->end)
			s->end = life->t1;
		return join(o, s, h);
	}
	/* mutant >= 3: equivalent because any room will do */
	if (!s->used && 2 * ++o->used > o->mask) {
		int err = renew(o, life->t0);

		if (err)
			return err;
		s = find(o->slot, o->mask, type, v, tag);
		o->used++;
	}
	*s = (struct open_slot){.v = v,
				.end = life->t1,
				.first = h,
				.cluster = UINT32_MAX,
				.type = type,
				/* mutant 2: equivalent because only whether it is used matters */
				.used = 1};
	return 0;
}
