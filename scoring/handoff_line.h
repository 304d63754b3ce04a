/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs on the line of time: those whose src, or whose life, may hold a moment.
 *
 * Places are those of truth in order of first time, packed, so that only records that reach a
 * moment are touched. Looking backwards from a moment, how far all up to a place reach says when to
 * stop, and a pyramid of latest ends (as in handoff_stab.h) steps over blocks in which nothing
 * reaches it. A src window is the time of one call, so only few records
 * hold a moment; a life (src to dst) lasts longer, and how many hold a moment is how many are in
 * flight: of these who looks for one of a key or a thread compares the tags of a row of places at
 * once. Claims that come in order of time find their place by a step from the last.
 */
#ifndef ASSAY_SCORING_HANDOFF_LINE_H
#define ASSAY_SCORING_HANDOFF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include "scoring/handoff_mem.h"

enum { LINE_LEVELS = 8, LINE_FAN = 4 /* bits */ };

enum line_of { LINE_SRC, LINE_LIFE, LINE_CNT };

/* A place: its first time, and how long its src and its life last from there, and the longest of
 * all up to here; LINE_LONG: longer. */
struct line_place {
	uint64_t first; /* never falls */
	uint32_t length[LINE_CNT], reach[LINE_CNT];
};

#define LINE_LONG UINT32_MAX

struct line {
	struct line_place *v;
	uint64_t *max[LINE_CNT][LINE_LEVELS]; /* latest ends of 16, 256, … places */
	uint64_t so_far[LINE_CNT];	      /* latest ends of all that was entered */
	unsigned levels;
	size_t cnt;
};

/* Of up to cnt places. 0 or -errno. */
int line_init(struct line *l, size_t cnt, struct mem *m);

static inline uint32_t line_length(uint64_t first, uint64_t end)
{
	/* mutant >=: equivalent because both are 0 then */
	uint64_t length = end > first ? end - first : 0;

	/* mutant <=: equivalent because both are the same then */
	return length < LINE_LONG ? (uint32_t)length : LINE_LONG;
}

static inline void line_end(struct line *l, enum line_of what, size_t at, uint64_t first,
			    uint64_t end)
{
	uint64_t *max = &l->max[what][0][at >> LINE_FAN], so_far = l->so_far[what];

	/* mutant >=: equivalent because both are the same then */
	*max = end > *max ? end : *max;
	/* mutant >=: equivalent because both are the same then */
	so_far = end > so_far ? end : so_far;
	l->so_far[what] = so_far;
	l->v[at].length[what] = line_length(first, end);
	l->v[at].reach[what] = line_length(first, so_far);
}

/* Enters the handoff of the next place; ends: of its src, 0 without, and of its life. */
static inline void line_put(struct line *l, size_t at, uint64_t first, uint64_t src, uint64_t life)
{
	l->cnt = at + 1;
	l->v[at].first = first;
	line_end(l, LINE_SRC, at, first, src);
	line_end(l, LINE_LIFE, at, first, life);
}

void line_finish(struct line *l);

/* How many places begin by t. hint: the answer for a time nearby. */
size_t line_until(const struct line *l, uint64_t t, size_t hint);

/* Does what begins at `first`, by t, and lasts so long reach t? */
static inline bool line_lasts(uint64_t first, uint32_t length, uint64_t t)
{
	return length == LINE_LONG || t - first <= length;
}

/* Is `at` where a block of so many bits ends? */
static inline bool line_ends_block(size_t at, unsigned bits)
{
	/* mutant 2: equivalent because fewer blocks only take longer */
	size_t block = (size_t)1 << bits;

	return !(at & (block - 1));
}

/* How many places before `at` may be stepped over: whole blocks that end there, none of which
 * reaches t. */
static inline size_t line_dead(const struct line *l, enum line_of what, size_t at, uint64_t t)
{
	unsigned level = 0, bits = LINE_FAN;

	/* mutant <=: equivalent because no place is where a block of all of them ends */
	for (; level < l->levels && line_ends_block(at, bits); level++, bits += LINE_FAN)
		if (l->max[what][level][(at >> bits) - 1] >= t)
			break;
	return level ? (size_t)1 << level * LINE_FAN : 0;
}

/* Eight tags side by side, compared at once. */
typedef uint16_t line_tags __attribute__((vector_size(16)));

enum { LINE_ROW = 1 << LINE_FAN };

/* Has one of a row of places the tag? */
static inline bool line_row_has(const uint16_t *row, uint16_t tag)
{
	const line_tags all = {tag, tag, tag, tag, tag, tag, tag, tag};
	line_tags a, b, equal;
	uint64_t half[2];

	memcpy(&a, row, sizeof(a));
	memcpy(&b, row + LINE_ROW / 2, sizeof(b));
	equal = (line_tags)(a == all) | (line_tags)(b == all);
	memcpy(half, &equal, sizeof(half));
	return half[0] | half[1];
}

/* The last place before `at` that has the tag and whose life reaches t; SIZE_MAX: none. tags: of
 * all places, to the end of the last row. at: as for line_back. */
size_t line_tagged(const struct line *l, const uint16_t *tags, uint16_t tag, size_t at, uint64_t t);

/* The last place before `at` that reaches t; SIZE_MAX: none. at: by then all have begun. */
static inline size_t line_back(const struct line *l, enum line_of what, size_t at, uint64_t t)
{
	while (at > 0) {
		const struct line_place *p = &l->v[at - 1];
		size_t dead;

		/* mutant: equivalent because looking further back only takes longer */
		if (!line_lasts(p->first, p->reach[what], t))
			break;
		if (line_lasts(p->first, p->length[what], t))
			return at - 1;
		dead = line_dead(l, what, at, t);
		at -= dead ? dead : 1;
	}
	return SIZE_MAX;
}

#endif
