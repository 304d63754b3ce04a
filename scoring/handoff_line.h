/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs on the line of time: those whose src, or whose life, may hold a moment.
 *
 * Places are those of truth in order of first time. Looking backwards from a moment, a pyramid of
 * latest ends (as in handoff_stab.h) steps over blocks in which nothing reaches it, and how far all
 * before a block reach says when to stop. A src window is the time of one call, so only few records
 * hold a moment; a life (src to dst) lasts longer, and how many hold a moment is how many are in
 * flight. Claims that come in order of time find their place by a step from the last.
 */
#ifndef ASSAY_SCORING_HANDOFF_LINE_H
#define ASSAY_SCORING_HANDOFF_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "scoring/handoff_mem.h"

enum { LINE_LEVELS = 8, LINE_FAN = 4 /* bits */ };

enum line_of { LINE_SRC, LINE_LIFE, LINE_CNT };

struct line {
	uint64_t *first; /* first time of each place, never falling */
	uint64_t *max[LINE_CNT][LINE_LEVELS];
	uint64_t *reach[LINE_CNT]; /* by block of the lowest level: latest end so far */
	unsigned levels;
	size_t cnt;
};

int line_init(struct line *l, size_t cnt, struct mem *m); /* 0 or -errno */

/* Enters the handoff of a place; ends: of its src, 0 without, and of its life. */
static inline void line_put(struct line *l, size_t at, uint64_t first, uint64_t src, uint64_t life)
{
	uint64_t *a = &l->max[LINE_SRC][0][at >> LINE_FAN];
	uint64_t *b = &l->max[LINE_LIFE][0][at >> LINE_FAN];

	l->first[at] = first;
	*a = src > *a ? src : *a;
	*b = life > *b ? life : *b;
}

void line_finish(struct line *l);

/* How many places begin by t. hint: the answer for a time nearby. */
size_t line_until(const struct line *l, uint64_t t, size_t hint);

/* The last place before `at` that is in no block in which all end before t; SIZE_MAX: none. */
static inline size_t line_back(const struct line *l, enum line_of what, size_t at, uint64_t t)
{
	while (at > 0) {
		unsigned level = 0;

		if (at & ((1u << LINE_FAN) - 1))
			return at - 1;
		if (l->reach[what][(at >> LINE_FAN) - 1] < t)
			return SIZE_MAX;
		while (level < l->levels && !(at & (((size_t)1 << (level + 1) * LINE_FAN) - 1)) &&
		       l->max[what][level][(at >> (level + 1) * LINE_FAN) - 1] < t)
			level++;
		if (!level)
			return at - 1;
		at -= (size_t)1 << level * LINE_FAN;
	}
	return SIZE_MAX;
}

#endif
