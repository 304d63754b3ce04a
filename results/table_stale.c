/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events, and what was said of contracts that a mutation made stale. */
#include "results/table_stale.h"

#include <string.h>

#include "results/text.h"

enum { COLUMNS = 4, COLUMN_WIDTH = 13, VARIANT_WIDTH = 26, EVENT_WIDTH = 10, PROFILER_WIDTH = 26 };

bool table_is_variant(const struct view_group *g)
{
	return *view_unusual(g->variant) != '\0';
}

static void put_padded(FILE *out, const char *s, size_t width)
{
	size_t used = text_plain(out, s, width - 1);

	for (; used < width; used++)
		putc(' ', out);
}

/* ---- resource events ---- */

static const struct {
	const char *metric, *head;
} event_columns[] = {
	{"event.precision", "prec."},
	{"event.recall", "recall"},
	{"event.unit_accuracy", "units"},
	{"event.identity.life_exactness", "lives"},
};

enum { EVENT_CNT = sizeof(event_columns) / sizeof(event_columns[0]) };

static void put_event_head(FILE *out, const char *workload)
{
	char title[64];

	snprintf(title, sizeof(title), "%.40s, events", workload);
	put_padded(out, title, PROFILER_WIDTH);
	for (size_t i = 0; i < EVENT_CNT; i++)
		fprintf(out, "%*s", EVENT_WIDTH, event_columns[i].head);
	fprintf(out, "%*s\n", EVENT_WIDTH, "alarms");
}

static void put_event_row(struct view *v, FILE *out, const struct view_row *row)
{
	struct span alarms = view_span(v, row, "stale.false_alarms", "all");
	char name[64], buf[NUMBER_LEN];

	snprintf(name, sizeof(name), "  %.40s%s", view_label(row), row->live ? " live" : "");
	put_padded(out, name, PROFILER_WIDTH);
	for (size_t i = 0; i < EVENT_CNT; i++) {
		struct span s = view_span(v, row, event_columns[i].metric, "all");

		fprintf(out, "%*s", EVENT_WIDTH, s.has ? number_ratio(buf, s.min) : "-");
	}
	if (alarms.has)
		fprintf(out, "%*.0f\n", EVENT_WIDTH, alarms.max);
	else
		fprintf(out, "%*s\n", EVENT_WIDTH, "-");
}

static bool claims_events(struct view *v, const struct view_row *row)
{
	double claims = 0;

	return row->rank == RANK_PROFILER && view_sum(v, row, "event.claims", "all", &claims) &&
	       claims > 0;
}

void table_events(struct view *v, FILE *out)
{
	for (size_t i = 0; i < v->group_cnt; i++) {
		const struct view_group *g = &v->groups[i];
		size_t shown = 0;

		for (size_t r = 0; r < g->row_cnt && !table_is_variant(g); r++) {
			if (!claims_events(v, &g->rows[r]))
				continue;
			if (!shown++)
				put_event_head(out, g->workload);
			put_event_row(v, out, &g->rows[r]);
		}
		if (shown)
			putc('\n', out);
	}
}

/* ---- stale contracts ---- */

/* Profilers of the variants, a column each, in the order of their rows. */
static size_t list_columns(const struct view *v, const char *ret[COLUMNS])
{
	size_t cnt = 0;

	for (size_t i = 0; i < v->group_cnt; i++)
		for (size_t r = 0; r < v->groups[i].row_cnt && table_is_variant(&v->groups[i]);
		     r++) {
			const char *name = view_label(&v->groups[i].rows[r]);
			size_t c = 0;

			while (c < cnt && strcmp(ret[c], name))
				c++;
			if (c == cnt && cnt < COLUMNS)
				ret[cnt++] = name;
		}
	return cnt;
}

static const struct view_row *row_of(const struct view_group *g, const char *profiler)
{
	for (size_t r = 0; r < g->row_cnt; r++)
		if (!strcmp(view_label(&g->rows[r]), profiler))
			return &g->rows[r];
	return NULL;
}

static double count_of(struct view *v, const struct view_row *row, const char *metric,
		       const char *scope)
{
	double n = 0;

	return view_sum(v, row, metric, scope, &n) ? n : 0;
}

/* Of resources that are stale, the worst that was said; of others, how many alarms. */
static void put_verdict(struct view *v, FILE *out, const struct view_row *row)
{
	double kept = count_of(v, row, "stale.matrix", "stale:kept");
	double suspect = count_of(v, row, "stale.matrix", "stale:suspect");
	double stale = count_of(v, row, "stale.matrix", "stale:stale");
	double alarms = count_of(v, row, "stale.false_alarms", "all");
	const char *said = stale > 0	 ? "stale"
			   : suspect > 0 ? "suspect"
			   : kept > 0	 ? "kept"
					 : "quiet";
	char text[32];
	size_t n;

	if (view_state(row, &n) != CELL_OK)
		snprintf(text, sizeof(text), "%s", cell_state_name(view_state(row, &n)));
	else if (alarms > 0)
		snprintf(text, sizeof(text), "%s +%.0f", said, alarms);
	else
		snprintf(text, sizeof(text), "%s", said);
	fprintf(out, "%*s", COLUMN_WIDTH, text);
}

void table_stale(struct view *v, FILE *out)
{
	const char *columns[COLUMNS];
	size_t cnt = list_columns(v, columns);

	if (!cnt)
		return;
	put_padded(out, "stale contracts", VARIANT_WIDTH);
	for (size_t c = 0; c < cnt; c++)
		fprintf(out, "%*.*s", COLUMN_WIDTH, COLUMN_WIDTH - 1, columns[c]);
	putc('\n', out);
	for (size_t i = 0; i < v->group_cnt; i++) {
		const struct view_group *g = &v->groups[i];
		char name[64];

		if (!table_is_variant(g))
			continue;
		snprintf(name, sizeof(name), "  %.50s", g->variant);
		put_padded(out, name, VARIANT_WIDTH);
		for (size_t c = 0; c < cnt; c++) {
			const struct view_row *row = row_of(g, columns[c]);

			if (row)
				put_verdict(v, out, row);
			else
				fprintf(out, "%*s", COLUMN_WIDTH, "-");
		}
		putc('\n', out);
	}
	fputs("quiet: nothing is stale and nobody said so; kept: stale, and not noticed;\n"
	      "+N: false alarms, on resources whose contract holds\n\n",
	      out);
}
