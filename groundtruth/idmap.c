/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids to numbers: linear probing over a power of two, at most two thirds full. */
#include "groundtruth/idmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct idmap_slot {
	uint64_t id;
	uint32_t number;
	uint32_t used;
};

/* The finaliser of MurmurHash3: ids of hand-written files are small and dense. */
uint64_t idmap_hash(uint64_t id)
{
	id = (id ^ (id >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	id = (id ^ (id >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	return id ^ (id >> 33);
}

/* The slot of the id, or the free one where it belongs. There is always a free one. */
static struct idmap_slot *idmap_find(const struct idmap *m, uint64_t id)
{
	size_t i = idmap_hash(id) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].id != id)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static int idmap_resize(struct idmap *m, size_t cap)
{
	struct idmap bigger = {.cnt = m->cnt, .cap = cap};

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*idmap_find(&bigger, m->slots[i].id) = m->slots[i];
	free(m->slots);
	*m = bigger;
	return 0;
}

static size_t capacity_for(const struct idmap *m, size_t cnt)
{
	size_t cap = m->cap ? m->cap : 64;

	while (cnt * 3 > cap * 2)
		cap *= 2;
	return cap;
}

int idmap_reserve(struct idmap *m, size_t cnt)
{
	size_t cap = capacity_for(m, cnt);

	return cap == m->cap ? 0 : idmap_resize(m, cap);
}

int idmap_put(struct idmap *m, uint64_t id, uint32_t fresh, uint32_t *ret)
{
	struct idmap_slot *s;

	if (idmap_reserve(m, m->cnt + 1))
		return -ENOMEM;
	s = idmap_find(m, id);
	if (s->used) {
		*ret = s->number;
		return 1;
	}
	*s = (struct idmap_slot){.id = id, .number = fresh, .used = 1};
	m->cnt++;
	*ret = fresh;
	return 0;
}

bool idmap_get(const struct idmap *m, uint64_t id, uint32_t *ret)
{
	struct idmap_slot *s;

	if (!m->cap)
		return false;
	s = idmap_find(m, id);
	if (s->used)
		*ret = s->number;
	return s->used;
}

void idmap_clear(struct idmap *m)
{
	if (m->cnt)
		memset(m->slots, 0, m->cap * sizeof(*m->slots));
	m->cnt = 0;
}

void idmap_free(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){0};
}
