/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows found by (tag, time): hash tables over stretches of time.
 *
 * Time is cut into epochs that hold about equally many handoffs. A window goes into the finest of
 * several levels, each 16 times as coarse as the one before, at which it touches at most two
 * cells; a cell is a hash table. So a window costs at most two entries however long it is, a look-
 * up visits one bucket a level, and looking up in order of time stays in a small stretch of memory.
 * (Bins as in the UCSC genome browser, Kent et al. 2002, with a hash table in each.)
 *
 * Filled by one thread, then read by any number.
 */
#ifndef ASSAY_SCORING_HANDOFF_BINS_H
#define ASSAY_SCORING_HANDOFF_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "scoring/handoff_mem.h"

enum { BINS_LEVELS = 8, BINS_FAN = 4 /* bits */ };

struct epochs {
	uint64_t *start; /* ascending; start[0] is 0 */
	uint32_t cnt;
};

/* The epoch of a time. */
static inline uint32_t epoch_of(const struct epochs *e, uint64_t t)
{
	uint32_t lo = 0, n = e->cnt;

	while (n > 1) {
		uint32_t half = n / 2;

		lo = e->start[lo + half] <= t ? lo + half : lo;
		n -= half;
	}
	return lo;
}

/* The same, quick where it is the hint or the one after. */
static inline uint32_t epoch_near(const struct epochs *e, uint64_t t, uint32_t hint)
{
	/* mutant - 1 3: equivalent because epoch_of finds the same */
	uint32_t stop = hint + 2;

	/* mutant <=: equivalent because both are the same then */
	stop = stop < e->cnt ? stop : e->cnt;
	for (uint32_t i = hint; i < stop; i++)
		/* mutant <: equivalent because epoch_of finds the same */
		if (e->start[i] <= t && (i + 1 == e->cnt ||
					 /* mutant 0: equivalent because epoch_of finds the same */
					 t < e->start[i + 1]))
			return i;
	return epoch_of(e, t);
}

struct bin_entry {
	uint32_t tag, id, next; /* next: place + 1, 0: none */
};

struct bins {
	const struct epochs *epochs;
	uint32_t mask; /* buckets a cell - 1 */
	unsigned levels;
	uint32_t *head[BINS_LEVELS]; /* place + 1 */
	uint32_t used[BINS_LEVELS];
	struct bin_entry *entry;
	size_t cnt;
};

/* For at most `cap` windows, `cell` (a power of two) buckets a cell. 0 or -errno. */
int bins_init(struct bins *b, const struct epochs *e, size_t cap, uint32_t cell, struct mem *m);

/* hint: an epoch near the window. */
void bins_put(struct bins *b, const struct window *w, uint32_t tag, uint32_t id, uint32_t hint);

/* Visits every id whose window may hold the time and whose tag is equal, each once. */
struct bin_walk {
	const struct bins *b;
	uint32_t tag, epoch;
	unsigned level;
	uint32_t at;
};

static inline void bin_walk_level(struct bin_walk *k)
{
	const struct bins *b = k->b;

	/* mutant <=: equivalent because nothing is in the level after the last */
	for (; !k->at && k->level < b->levels; k->level++) {
		size_t cell = k->epoch >> (k->level * BINS_FAN);

		if (b->used[k->level])
			k->at = b->head[k->level][cell * (b->mask + 1) + (k->tag & b->mask)];
	}
}

/* hint: an epoch near the time; set to that of the time. */
static inline struct bin_walk bin_walk(const struct bins *b, uint32_t tag, uint64_t t,
				       uint32_t *hint)
{
	struct bin_walk k = {.b = b, .tag = tag, .epoch = epoch_near(b->epochs, t, *hint)};

	*hint = k.epoch;
	bin_walk_level(&k);
	return k;
}

/* The next id, or UINT32_MAX. */
static inline uint32_t bin_next(struct bin_walk *k)
{
	while (k->at) {
		const struct bin_entry *e = &k->b->entry[k->at - 1];

		k->at = e->next;
		bin_walk_level(k);
		if (e->tag == k->tag)
			return e->id;
	}
	return UINT32_MAX;
}

#endif
