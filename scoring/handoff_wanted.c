/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters over time. */
#include "scoring/handoff_wanted.h"

#include <errno.h>

enum { CELLS_MIN = 64, CELLS_MAX = 1 << 20, CELLS_TRIED = 32, CLAIMS_A_CELL = 4 };

int wanted_init(struct wanted *w, const struct window *scored, size_t claims, struct mem *m)
{
	uint64_t span = scored->t1 - scored->t0;

	*w = (struct wanted){.from = scored->t0, .cells = CELLS_MIN};
	/* mutant <= ||: equivalent because any number of cells wants enough */
	while (w->cells < CELLS_MAX && w->cells < claims / CLAIMS_A_CELL)
		w->cells *= 2; /* mutant 3: equivalent because any number of cells does */
	while (span >> w->shift >= w->cells)
		w->shift++;
	w->cell = mem_array(m, w->cells, sizeof(*w->cell));
	return w->cell ? 0 : -errno;
}

struct wanted_cell wanted_over(const struct wanted *w, const struct window *in)
{
	static const struct wanted_cell every = {.bits = {~0ull, ~0ull, ~0ull}};
	/* mutant <=: equivalent because both are the same then */
	size_t from = in->t0 < w->from ? 0 : (in->t0 - w->from) >> w->shift, to;
	struct wanted_cell sum = {};

	if (w->all)
		return every;
	/* mutant > &&: equivalent because wanting too much only takes longer */
	if (in->t1 < w->from || from >= w->cells)
		return sum;
	/* mutant +: equivalent because wanting too much only takes longer */
	to = (in->t1 - w->from) >> w->shift;
	to = to < w->cells ? to : w->cells - 1;
	/* mutant > +: equivalent because wanting too much only takes longer */
	if (to - from >= CELLS_TRIED)
		return every;
	for (const struct wanted_cell *c = &w->cell[from]; c <= &w->cell[to]; c++) {
		sum.bits[WANT_NEAR] |= c->bits[WANT_NEAR];
		sum.bits[WANT_FAR] |= c->bits[WANT_FAR];
		sum.bits[WANT_THREAD] |= c->bits[WANT_THREAD];
	}
	return sum;
}
