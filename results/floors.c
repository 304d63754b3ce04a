/* SPDX-License-Identifier: BSD-2-Clause */
/* What guessing reaches on a workload. */
#include "results/floors.h"

#include <string.h>

bool floors_may_work(const char *workload)
{
	static const char *const names[] = {"calls", "affine", "flat"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], workload))
			return true;
	return false;
}

bool floors_best(struct view *v, const struct view_group *g, struct floor_best *ret)
{
	bool has = false;

	for (size_t r = 0; r < g->row_cnt; r++) {
		struct span s;

		if (g->rows[r].rank != RANK_FLOOR)
			continue;
		s = view_span(v, &g->rows[r], "handoff.context.f1", "declared");
		if (!s.has || (has && s.max <= ret->f1))
			continue;
		*ret = (struct floor_best){
			.group = g, .row = &g->rows[r], .f1 = s.max, .least = s.min};
		has = true;
	}
	return has;
}
