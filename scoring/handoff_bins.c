/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in cells of time. */
#include "scoring/handoff_bins.h"

#include <errno.h>

int bins_init(struct bins *b, const struct epochs *e, size_t cap, uint32_t cell, struct mem *m)
{
	/* mutant 2: equivalent because buckets may be shared out otherwise */
	*b = (struct bins){.epochs = e, .mask = cell - 1};
	/* mutant + 0: equivalent because more room does no harm */
	const size_t last = e->cnt - 1;

	do {
		/* mutant 2: equivalent because more room does no harm */
		size_t cells = (last >> (b->levels * BINS_FAN)) + 1;

		b->head[b->levels] = mem_array(m, cells * cell, sizeof(uint32_t));
		if (!b->head[b->levels])
			return -errno;
		/* mutant 0 >=: equivalent because another level does no harm */
	} while (last >> (b->levels++ * BINS_FAN) > 1);
	/* mutant 3: equivalent because more room does no harm */
	b->entry = mem_array(m, 2 * cap, sizeof(*b->entry));
	return b->entry ? 0 : -errno;
}

static void put(struct bins *b, unsigned level, uint32_t cell, uint32_t tag, uint32_t id)
{
	uint32_t *head = &b->head[level][(size_t)cell * (b->mask + 1) + (tag & b->mask)];

	b->entry[b->cnt] = (struct bin_entry){.tag = tag, .id = id, .next = *head};
	*head = (uint32_t)++b->cnt;
	b->used[level]++;
}

void bins_put(struct bins *b, const struct window *w, uint32_t tag, uint32_t id, uint32_t hint)
{
	uint32_t from = epoch_near(b->epochs, w->t0, hint);
	uint32_t to = epoch_near(b->epochs, w->t1, from);
	unsigned level = 0;

	while (to - from > 1) {
		from >>= BINS_FAN;
		to >>= BINS_FAN;
		level++;
	}
	put(b, level, from, tag, id);
	if (to != from)
		put(b, level, to, tag, id);
}
