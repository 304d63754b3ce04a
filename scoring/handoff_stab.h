/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows found by (group, time): each group sorted by start, with a pyramid of latest ends.
 *
 * "All windows of a group that hold t" are read backwards from the last that begins by t; blocks of
 * 16, 256, … windows none of which reaches t are skipped whole, and where nothing before reaches t
 * the search ends, so a look-up costs O(log n + found). Also the set of listed threads, whose
 * places make the groups.
 */
#ifndef ASSAY_SCORING_HANDOFF_STAB_H
#define ASSAY_SCORING_HANDOFF_STAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "scoring/handoff_mem.h"

/* Listed threads, each with a place 0…cnt - 1. */
struct tids {
	uint32_t *slot; /* open addressing: place + 1 */
	uint32_t *tid;	/* by place */
	uint32_t mask, cnt;
};

int tids_init(struct tids *s, const struct truth *t); /* 0 or -ENOMEM */
void tids_free(struct tids *s);

static inline uint32_t tid_hash(uint32_t tid)
{
	/* mutant 6 8 2654435768 2654435770: equivalent because it only has to spread them */
	return tid * UINT32_C(2654435769) >> 7;
}

/* UINT32_MAX: not listed. */
static inline uint32_t tids_place(const struct tids *s, uint32_t tid)
{
	for (uint32_t i = tid_hash(tid) & s->mask; s->slot[i]; i = (i + 1) & s->mask)
		if (s->tid[s->slot[i] - 1] == tid)
			return s->slot[i] - 1;
	return UINT32_MAX;
}

struct stab_item {
	struct window w;
	uint32_t group, id;
};

enum { STAB_LEVELS = 8, STAB_FAN = 4 /* bits */ };

struct stab {
	struct stab_item *v; /* by group, start */
	size_t *first;	     /* groups + 1 */
	uint64_t *max[STAB_LEVELS];
	uint64_t *reach; /* latest end of the group so far */
	unsigned levels;
};

/*
 * Arranges items by group (cnt of them, in any order; cheap where each group comes sorted). 0 or
 * -errno.
 */
int stab_init(struct stab *s, const struct stab_item *items, size_t cnt, size_t groups,
	      struct mem *m);

/* Place after the last window of the group that begins by t: where stab_next starts. */
size_t stab_from(const struct stab *s, size_t group, uint64_t t);

/* The last place before `at` whose window holds t, SIZE_MAX: none. */
size_t stab_next(const struct stab *s, size_t group, size_t at, uint64_t t);

#endif
