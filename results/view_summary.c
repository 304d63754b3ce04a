/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures over cells, found by their words. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "results/view_groups.h"

enum { WORDS = 8 };
_Static_assert(offsetof(struct view_summary, has_value) == WORDS * sizeof(char *), "words first");

static int compare(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int order = 0;

	for (size_t i = 0; !order && i < WORDS; i++)
		order = strcmp(x[i], y[i]);
	return order;
}

int view_add_summary(struct view *v, const struct figure_row *row)
{
	struct view_summary *s;

	/* Capacity is the next power of two: grow when the count is one. */
	if (!(v->summary_cnt & (v->summary_cnt - 1))) {
		size_t cap = v->summary_cnt ? 2 * v->summary_cnt : 1;

		s = reallocarray(v->summaries, cap, sizeof(*s));
		if (!s)
			return -ENOMEM;
		v->summaries = s;
	}
	s = &v->summaries[v->summary_cnt];
	*s = (struct view_summary){
		.binding = view_keep(v, row->binding),
		.regime = view_keep(v, row->regime),
		.profiler = view_keep(v, row->profiler),
		.division = view_keep(v, row->division),
		.workload = view_keep(v, row->workload),
		.variant = view_keep(v, row->variant),
		.metric = view_keep(v, row->metric),
		.scope = view_keep(v, row->scope),
		.has_value = row->has_value,
		.has_interval = row->has_interval,
		.value = row->value,
		.lo = row->lo,
		.hi = row->hi,
		.n = row->n,
	};
	for (size_t i = 0; i < WORDS; i++)
		if (!((const char *const *)s)[i])
			return -ENOMEM;
	v->summary_cnt++;
	return 0;
}

void view_sort_summaries(struct view *v)
{
	if (v->summary_cnt)
		qsort(v->summaries, v->summary_cnt, sizeof(*v->summaries), compare);
}

/* A profiler has one division: want need not name it. */
static const struct view_summary *find(const struct view *v, struct view_summary want)
{
	size_t lo = 0, hi = v->summary_cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order;

		want.division = v->summaries[mid].division;
		order = compare(&v->summaries[mid], &want);
		if (!order)
			return &v->summaries[mid];
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void view_put_interval(const struct view *v, const struct view_row *row, const char *metric,
		       const char *scope, struct span *s)
{
	const struct run_cell *c = row->cells[0];
	const struct view_summary *found;
	char profiler[4200];

	if (row->cell_cnt < SEEDS_MIN)
		return;
	snprintf(profiler, sizeof(profiler), "%s%s", row->profiler, row->live ? " live" : "");
	found = find(v, (struct view_summary){.binding = c->binding,
					      .regime = c->regime,
					      .profiler = profiler,
					      .workload = c->workload,
					      .variant = c->variant,
					      .metric = metric,
					      .scope = scope});
	if (!found || !found->has_interval || found->n < SEEDS_MIN)
		return;
	s->has_interval = true;
	s->lo = found->lo;
	s->hi = found->hi;
}

const struct view_summary *view_summary(const struct view *v, const char *binding,
					const char *profiler, const char *metric, const char *scope)
{
	return find(v, (struct view_summary){.binding = binding,
					     .regime = "clean",
					     .profiler = profiler,
					     .workload = "-",
					     .variant = "-",
					     .metric = metric,
					     .scope = scope});
}

bool view_has_handoffs(struct view *v, const struct view_group *g)
{
	for (size_t r = 0; r < g->row_cnt; r++) {
		double claims = 0;

		if (g->rows[r].rank != RANK_PROFILER && g->rows[r].rank != RANK_FLOOR)
			continue;
		view_sum(v, &g->rows[r], "handoff.context.claims", "all", &claims);
		if (claims > 0)
			return true;
	}
	return false;
}

bool view_is_plain(const struct view_group *g)
{
	return !*view_unusual(g->variant) && !*view_unusual(g->binding) &&
	       !*view_unusual(g->regime);
}

bool view_is_ill(const struct view_group *g)
{
	return !strncmp(g->variant, "base+", 5);
}

bool view_is_hard(const struct view_group *g)
{
	static const char *const live[] = {"small-buffers", "late-attach", "pressure"};

	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (!strcmp(g->regime, live[i]))
			return !*view_unusual(g->variant) && !*view_unusual(g->binding);
	return false;
}

bool view_has_candidates(const struct view_group *g)
{
	return !strncmp(g->regime, "candidates:", 11) && !*view_unusual(g->variant) &&
	       !*view_unusual(g->binding);
}

bool view_is_lossy(const struct view_group *g)
{
	return !*view_unusual(g->variant) && !*view_unusual(g->binding) &&
	       *view_unusual(g->regime) && !view_is_hard(g) && !view_has_candidates(g);
}
