/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded table of queues of observations. */
#include "profilers/adapter/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct table_queue {
	struct table_key key;
	struct observation *v; /* a ring of cap entries */
	uint32_t first, cnt, cap;
	UT_hash_handle hh;
};

struct table_key table_key_of(const struct observation *o)
{
	/* the ends of a stream do not name it alike, but it is the same to both */
	if (o->type != HANDOFF_IO && o->type != HANDOFF_WAKE)
		return (struct table_key){o->type, o->object, 0};
	return (struct table_key){o->type, o->v, o->scope};
}

static struct table_queue *find(struct table *t, const struct table_key *key)
{
	struct table_queue *q;

	HASH_FIND(hh, t->queues, key, sizeof(*key), q);
	return q;
}

static void drop(struct table *t, struct table_queue *q)
{
	HASH_DEL(t->queues, q);
	free(q->v);
	free(q);
}

static struct table_queue *get(struct table *t, const struct table_key *key)
{
	struct table_queue *q = find(t, key);

	if (q)
		return q;
	if (HASH_COUNT(t->queues) >= TABLE_MAX)
		drop(t, t->queues); /* uthash keeps order: the first made */
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->key = *key;
	HASH_ADD(hh, t->queues, key, sizeof(q->key), q);
	return q;
}

/* Makes room for one more: by growing, or by forgetting the oldest. */
static int make_room(struct table_queue *q)
{
	uint32_t cap = q->cap ? q->cap * 2 : 4;
	struct observation *v;

	if (q->cnt < q->cap)
		return 0;
	if (q->cap == TABLE_QUEUE_MAX) {
		q->first = (q->first + 1) % q->cap;
		q->cnt--;
		return 0;
	}
	v = malloc(cap * sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->cnt; i++)
		v[i] = q->v[(q->first + i) % q->cap];
	free(q->v);
	q->v = v;
	q->cap = cap;
	q->first = 0;
	return 0;
}

int table_push(struct table *t, struct table_key key, const struct observation *o)
{
	struct table_queue *q = get(t, &key);

	if (!q || make_room(q))
		return -ENOMEM;
	q->v[(q->first + q->cnt++) % q->cap] = *o;
	return 0;
}

const struct observation *table_newest(struct table *t, struct table_key key)
{
	struct table_queue *q = find(t, &key);

	return q && q->cnt ? &q->v[(q->first + q->cnt - 1) % q->cap] : NULL;
}

const struct observation *table_pop_oldest(struct table *t, struct table_key key)
{
	struct table_queue *q = find(t, &key);
	const struct observation *o;

	if (!q || !q->cnt)
		return NULL;
	o = &q->v[q->first];
	q->first = (q->first + 1) % q->cap;
	q->cnt--;
	return o;
}

void table_clear(struct table *t)
{
	struct table_queue *q, *next;

	HASH_ITER(hh, t->queues, q, next)
	drop(t, q);
}
