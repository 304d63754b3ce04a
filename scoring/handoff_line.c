/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of time. */
#include "scoring/handoff_line.h"

#include <errno.h>

int line_init(struct line *l, size_t cnt, struct mem *m)
{
	size_t n = cnt;

	*l = (struct line){.v = mem_array(m, cnt, sizeof(*l->v))};
	if (!l->v)
		return -errno;
	do {
		/* mutant 2: equivalent because more room does no harm */
		n = (n >> LINE_FAN) + 1;
		for (int i = 0; i < LINE_CNT; i++) {
			l->max[i][l->levels] = mem_array(m, n, sizeof(uint64_t));
			if (!l->max[i][l->levels])
				return -errno;
		}
		/* mutant <= || >= 0 2: equivalent because any number of levels finds the same */
	} while (++l->levels < LINE_LEVELS && n > 1);
	return 0;
}

/* Whole blocks: line_dead asks for no other. */
static void sum_up(const struct line *l, uint64_t *const *max)
{
	size_t n = l->cnt >> LINE_FAN;

	/* mutant <=: equivalent because no block is so large */
	for (unsigned k = 1; k < l->levels; k++) {
		/* mutant <=: equivalent because a part of a block is not asked for */
		for (size_t i = 0; i < n; i++) {
			uint64_t *up = &max[k][i >> LINE_FAN];

			/* mutant >=: equivalent because both are the same then */
			*up = max[k - 1][i] > *up ? max[k - 1][i] : *up;
		}
		n >>= LINE_FAN;
	}
}

void line_finish(struct line *l)
{
	for (int i = 0; i < LINE_CNT; i++)
		sum_up(l, l->max[i]);
}

size_t line_tagged(const struct line *l, const uint16_t *tags, uint16_t tag, size_t at, uint64_t t)
{
	while (at > 0 && line_lasts(l->v[at - 1].first, l->v[at - 1].reach[LINE_LIFE], t)) {
		size_t dead = line_dead(l, LINE_LIFE, at, t);
		size_t row = (at - 1) & ~(size_t)(LINE_ROW - 1);

		if (dead) {
			at -= dead;
			continue;
		}
		if (line_row_has(tags + row, tag))
			for (; at > row; at--)
				if (tags[at - 1] == tag &&
				    line_lasts(l->v[at - 1].first, l->v[at - 1].length[LINE_LIFE],
					       t))
					return at - 1;
		at = row;
	}
	return SIZE_MAX;
}

/* How many of the places from `lo` on, below `hi`, begin by t, in steps whose number depends on how
 * many there are alone: where a time lies nobody can foretell. */
static size_t search(const struct line *l, uint64_t t, size_t lo, size_t hi)
{
	const struct line_place *v = l->v + lo;
	size_t n = hi - lo;

	while (n > 1) {
		size_t half = n / 2;

		v += v[half - 1].first <= t ? half : 0;
		n -= half;
	}
	/* mutant >: equivalent because it is asked for none or one */
	return (size_t)(v - l->v) + (n == 1 && v->first <= t);
}

enum { NEXT = 4, AROUND = 64 };

/* How many of the next few places begin by t? */
static size_t begun(const struct line_place *v, uint64_t t)
{
	size_t n = 0;

	/* mutant <=: equivalent because the one behind them begins later */
	for (size_t i = 0; i < NEXT; i++)
		n += v[i].first <= t;
	return n;
}

/* Does the answer lie in [from, to]? */
static bool lies(const struct line *l, uint64_t t, size_t from, size_t to)
{
	/* mutant 0 <: equivalent because what is not known to lie there is looked for everywhere */
	return (!from || l->v[from - 1].first <= t) && (to == l->cnt || l->v[to].first > t);
}

size_t line_until(const struct line *l, uint64_t t, size_t hint)
{
	/* mutant <=: equivalent because both are the same then */
	size_t at = hint < l->cnt ? hint : l->cnt;
	/* mutant 1 <=: equivalent because both searches find the same */
	size_t from = at < AROUND ? 0 : at - AROUND;
	/* mutant <=: equivalent because both are the same then */
	size_t to = l->cnt - at < AROUND ? l->cnt : at + AROUND;

	/* mutant: equivalent because the search finds what the next few do not */
	if (at + NEXT < l->cnt && lies(l, t, at, at + NEXT))
		return at + begun(l->v + at, t);
	/* mutant: equivalent because both searches find the same */
	return lies(l, t, from, to) ? search(l, t, from, to) : search(l, t, 0, l->cnt);
}
