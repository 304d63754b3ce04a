/* SPDX-License-Identifier: BSD-2-Clause */
/* Profilers under regimes that apply while a cell runs, for the terminal. */
#include "results/hard_view.h"

#include <string.h>

#include "results/text.h"

const struct hard_column hard_columns[HARD_COLUMNS] = {
	{"prec.", "handoff.context.precision", "declared", FIGURE_RATIO, true},
	{"recall", "handoff.context.recall", "declared", FIGURE_RATIO, true},
	{"false", "handoff.context.false_join_rate", "declared", FIGURE_RATIO, false},
	{"orphan", "handoff.context.orphan_rate", "declared", FIGURE_RATIO, false},
	{"one end", "one_ended.joined", "all", FIGURE_COUNT, false},
	{"alarms", "stale.false_alarms", "all", FIGURE_COUNT, false},
};

const struct hard_column candidate_columns[CANDIDATE_COLUMNS] = {
	{"rejected", "stale.detection_rate", "all", FIGURE_RATIO, true},
	{"alarms", "stale.false_alarm_rate", "all", FIGURE_RATIO, false},
};

enum { NAME_WIDTH = 37, COLUMN_WIDTH = 7 };

bool hard_row_shows(const struct view_group *g, const struct view_row *row)
{
	(void)g;
	return row->rank == RANK_PROFILER || row->rank == RANK_FLOOR;
}

/* A blank before each, even of the widest figure. */
static int width_of(const struct hard_column *c)
{
	int len = (int)strlen(c->head) + 1;

	return len > COLUMN_WIDTH ? len : COLUMN_WIDTH;
}

static void put_head(FILE *out, const char *what, const struct hard_column *columns, size_t cnt)
{
	text_padded(out, what, "", NAME_WIDTH);
	for (size_t i = 0; i < cnt; i++)
		fprintf(out, "%*s", width_of(&columns[i]), columns[i].head);
	putc('\n', out);
}

static void put_row(struct view *v, FILE *out, const struct view_group *g,
		    const struct view_row *row, const struct hard_column *columns, size_t cnt)
{
	char name[128], buf[NUMBER_LEN];

	snprintf(name, sizeof(name), "  %.14s %.16s %.40s", g->workload, g->regime,
		 view_label(row));
	text_padded(out, name, row->live ? " live" : "", NAME_WIDTH);
	for (size_t i = 0; i < cnt; i++) {
		struct span s = view_span(v, row, columns[i].metric, columns[i].scope);
		double value = columns[i].least ? s.min : s.max;
		const char *text = "-";

		if (s.has && columns[i].kind == FIGURE_RATIO)
			text = number_ratio(buf, value);
		else if (s.has)
			text = number_count(buf, (uint64_t)value, "");
		fprintf(out, "%*s", width_of(&columns[i]), text);
	}
	putc('\n', out);
}

static size_t put_table(struct view *v, FILE *out, bool (*belongs)(const struct view_group *),
			const char *what, const struct hard_column *columns, size_t cnt)
{
	size_t shown = 0;

	for (size_t i = 0; i < v->group_cnt; i++)
		for (size_t r = 0; belongs(&v->groups[i]) && r < v->groups[i].row_cnt; r++) {
			const struct view_group *g = &v->groups[i];

			if (!hard_row_shows(g, &g->rows[r]))
				continue;
			if (!shown++)
				put_head(out, what, columns, cnt);
			put_row(v, out, g, &g->rows[r], columns, cnt);
		}
	return shown;
}

void table_hard(struct view *v, FILE *out)
{
	if (put_table(v, out, view_is_hard, "made hard while it ran", hard_columns, HARD_COLUMNS))
		fputs("one end: handoffs that began before anybody watched, and were joined;\n"
		      "alarms: valid resources that were doubted\n\n",
		      out);
	if (put_table(v, out, view_has_candidates, "planted candidates", candidate_columns,
		      CANDIDATE_COLUMNS))
		fputs("rejected: share of the planted resources; alarms: of those that are "
		      "there\n\n",
		      out);
}
