/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutants and twins by quad. */
#include "results/stale_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_headline(const struct view_group *g)
{
	return !*view_unusual(g->regime) && !*view_unusual(g->binding);
}

static bool same_quad(const struct stale_quad *q, const struct view_group *g, size_t id_len)
{
	return q->id_len == id_len && !strncmp(q->variant, g->variant, id_len) &&
	       !strcmp(q->workload, g->workload);
}

static void add_group(const struct view *v, const struct view_group *g, struct stale_view *x)
{
	const char *form;
	size_t len = run_variant_split(g->variant, &form), i = 0;

	if (!len || !is_headline(g))
		return;
	while (i < x->quad_cnt && !same_quad(&x->quads[i], g, len))
		i++;
	if (i == x->quad_cnt) {
		x->quad_cnt++;
		x->quads[i] = (struct stale_quad){.workload = g->workload,
						  .variant = g->variant,
						  .id_len = len,
						  .known = run_quads_of(&v->quads, g->variant)};
	}
	if (!strcmp(form, "mutant"))
		x->quads[i].mutant = g;
	else
		x->quads[i].twin = g;
}

static bool witnessed(const struct stale_quad *q)
{
	return q->known && q->known->frozen;
}

static int compare_quads(const void *a, const void *b)
{
	const struct stale_quad *x = a, *y = b;
	int order = witnessed(y) - witnessed(x);

	if (!order)
		order = strcmp(x->workload, y->workload);
	return order ? order : strcmp(x->variant, y->variant);
}

/* Summaries are sorted by binding and profiler: equal names follow one another. */
static void add_contestants(const struct view *v, struct stale_view *x)
{
	for (size_t i = 0; i < v->summary_cnt; i++) {
		const char *name = v->summaries[i].profiler;
		size_t c = 0;

		if (strncmp(v->summaries[i].metric, "quads.", 6))
			continue;
		while (c < x->contestant_cnt && strcmp(x->contestants[c], name))
			c++;
		if (c == x->contestant_cnt)
			x->contestants[x->contestant_cnt++] = name;
	}
}

int stale_view_make(const struct view *v, struct stale_view *ret)
{
	struct stale_view x = {
		.quads = calloc(v->group_cnt + 1, sizeof(*x.quads)),
		.contestants = calloc(v->summary_cnt + 1, sizeof(*x.contestants)),
	};

	if (!x.quads || !x.contestants) {
		stale_view_free(&x);
		return -ENOMEM;
	}
	for (size_t i = 0; i < v->group_cnt; i++)
		add_group(v, &v->groups[i], &x);
	if (x.quad_cnt)
		qsort(x.quads, x.quad_cnt, sizeof(*x.quads), compare_quads);
	while (x.witnessed_cnt < x.quad_cnt && witnessed(&x.quads[x.witnessed_cnt]))
		x.witnessed_cnt++;
	add_contestants(v, &x);
	*ret = x;
	return 0;
}

void stale_view_free(struct stale_view *x)
{
	free(x->quads);
	free(x->contestants);
	memset(x, 0, sizeof(*x));
}

const struct view_row *stale_row(const struct view_group *g, const char *contestant)
{
	size_t len = strlen(contestant);
	bool live = len > 5 && !strcmp(contestant + len - 5, " live");

	for (size_t r = 0; g && r < g->row_cnt; r++) {
		const struct view_row *row = &g->rows[r];
		size_t own = strlen(row->profiler);

		if (row->live == live && own == len - (live ? 5 : 0) &&
		    !strncmp(row->profiler, contestant, own))
			return row;
	}
	return NULL;
}

static double count_of(struct view *v, const struct view_row *row, const char *metric,
		       const char *scope)
{
	double n = 0;

	return view_sum(v, row, metric, scope, &n) ? n : 0;
}

struct stale_said stale_said_of(struct view *v, const struct view_row *row)
{
	static const char *const scopes[2][3] = {
		{"valid:kept", "valid:suspect", "valid:stale"},
		{"stale:kept", "stale:suspect", "stale:stale"},
	};
	struct stale_said s = {0};
	size_t n;

	for (unsigned i = 0; i < 3; i++) {
		s.valid[i] = count_of(v, row, "stale.matrix", scopes[0][i]);
		s.stale[i] = count_of(v, row, "stale.matrix", scopes[1][i]);
	}
	s.detected = count_of(v, row, "stale.detected", "all");
	s.localised = count_of(v, row, "stale.localised", "all");
	s.alarms = count_of(v, row, "stale.false_alarms", "all");
	s.state = view_state(row, &n);
	return s;
}

const char *stale_worst(const struct stale_said *s)
{
	return s->stale[2] > 0	 ? "stale"
	       : s->stale[1] > 0 ? "suspect"
	       : s->stale[0] > 0 ? "kept"
				 : "quiet";
}
