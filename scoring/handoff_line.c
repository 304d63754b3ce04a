/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of time. */
#include "scoring/handoff_line.h"

#include <errno.h>

enum { STEPS = 64 }; /* tried from the hint before searching */

int line_init(struct line *l, size_t cnt, struct mem *m)
{
	size_t n = cnt;

	*l = (struct line){.cnt = cnt, .first = mem_array(m, cnt, sizeof(*l->first))};
	if (!l->first)
		return -errno;
	do {
		n = (n >> LINE_FAN) + 1;
		l->max[l->levels] = mem_array(m, n, sizeof(uint64_t));
		if (!l->max[l->levels])
			return -errno;
	} while (++l->levels < LINE_LEVELS && n > 1);
	return 0;
}

void line_finish(struct line *l)
{
	size_t n = (l->cnt >> LINE_FAN) + 1;

	for (unsigned k = 1; k < l->levels; k++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t *max = &l->max[k][i >> LINE_FAN];

			*max = l->max[k - 1][i] > *max ? l->max[k - 1][i] : *max;
		}
		n = (n >> LINE_FAN) + 1;
	}
}

static size_t search(const struct line *l, uint64_t t)
{
	size_t lo = 0, hi = l->cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->first[mid] <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t line_until(const struct line *l, uint64_t t, size_t hint)
{
	size_t at = hint < l->cnt ? hint : l->cnt;

	for (unsigned i = 0; i < STEPS; i++) {
		if (at < l->cnt && l->first[at] <= t)
			at++;
		else if (at > 0 && l->first[at - 1] > t)
			at--;
		else
			return at;
	}
	return search(l, t);
}
