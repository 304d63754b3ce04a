/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters over time. */
#include "scoring/handoff_wanted.h"

#include <errno.h>

enum { CELLS_MIN = 64, CELLS_MAX = 1 << 20, CELLS_TRIED = 32 };

int wanted_init(struct wanted *w, const struct window *scored, size_t claims, struct mem *m)
{
	uint64_t span = scored->t1 - scored->t0;

	*w = (struct wanted){.from = scored->t0, .cells = CELLS_MIN};
	while (w->cells < CELLS_MAX && w->cells < claims)
		w->cells *= 2;
	while (span >> w->shift >= w->cells)
		w->shift++;
	for (int i = 0; i < WANT_CNT; i++) {
		w->row[i] = mem_array(m, w->cells, sizeof(uint64_t));
		if (!w->row[i])
			return -errno;
	}
	return 0;
}

bool wanted_in(const struct wanted *w, enum wanted_what what, uint32_t tag, const struct window *in)
{
	size_t from = in->t0 < w->from ? 0 : (in->t0 - w->from) >> w->shift, to;
	uint64_t bits = 0;

	if (w->all)
		return true;
	if (in->t1 < w->from || from >= w->cells)
		return false;
	to = (in->t1 - w->from) >> w->shift;
	to = to < w->cells ? to : w->cells - 1;
	if (to - from >= CELLS_TRIED)
		return true;
	for (size_t i = from; i <= to; i++)
		bits |= w->row[what][i];
	return bits >> tag % 64 & 1;
}
