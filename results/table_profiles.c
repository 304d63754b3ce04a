/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles and their distance from the true ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/table_stale.h"
#include "results/text.h"

enum { NAME_WIDTH = 26, BY_WIDTH = 12, KIND_WIDTH = 16, DISTANCE_WIDTH = 10, EVEN_WIDTH = 12 };

#define METRIC "profile.tv_distance"
#define EVEN   "profile.even_distance"

static void put_head(FILE *out, const char *workload)
{
	char title[64];

	snprintf(title, sizeof(title), "%.40s, profiles", workload);
	text_padded(out, title, "", NAME_WIDTH);
	fprintf(out, "%-*s%-*s%*s%*s\n", BY_WIDTH, "by", KIND_WIDTH, "of", DISTANCE_WIDTH,
		"distance", EVEN_WIDTH, "even split");
}

/* scope: "thread:cpu". */
static void put_row(FILE *out, const struct view_row *row, const char *scope, const struct span *s,
		    const struct span *even)
{
	size_t by = strcspn(scope, ":");
	char name[64], word[BY_WIDTH + 1], buf[NUMBER_LEN];

	snprintf(name, sizeof(name), "  %.40s", view_label(row));
	snprintf(word, sizeof(word), "%.*s", (int)by, scope);
	text_padded(out, name, row->live ? " live" : "", NAME_WIDTH);
	text_padded(out, word, "", BY_WIDTH);
	text_padded(out, scope[by] ? scope + by + 1 : "", "", KIND_WIDTH);
	fprintf(out, "%*s", DISTANCE_WIDTH, s->has ? number_ratio(buf, s->max) : "-");
	fprintf(out, "%*s\n", EVEN_WIDTH, even->has ? number_ratio(buf, even->max) : "-");
}

static int put_group(struct view *v, FILE *out, const struct view_group *g)
{
	const char **scopes;
	size_t cnt, shown = 0;
	int err = view_scopes(v, g, METRIC, "", &scopes, &cnt);

	if (err)
		return err;
	for (size_t r = 0; r < g->row_cnt; r++)
		for (size_t i = 0; i < cnt; i++) {
			struct span s = view_span(v, &g->rows[r], METRIC, scopes[i]), even;

			if (g->rows[r].rank != RANK_PROFILER || !s.seeds)
				continue;
			if (!shown++)
				put_head(out, g->workload);
			even = view_span(v, &g->rows[r], EVEN, scopes[i]);
			put_row(out, &g->rows[r], scopes[i], &s, &even);
		}
	if (shown)
		putc('\n', out);
	free(scopes);
	return 0;
}

int table_profiles(struct view *v, FILE *out)
{
	int err = 0;

	for (size_t i = 0; !err && i < v->group_cnt; i++)
		if (view_is_plain(&v->groups[i]))
			err = put_group(v, out, &v->groups[i]);
	return err;
}
