/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource events, and what was said of contracts that a mutation made stale. */
#include "results/table_stale.h"

#include <stdlib.h>
#include <string.h>

#include "results/stale_view.h"
#include "results/text.h"

enum { COLUMNS = 4, VARIANT_WIDTH = 26, EVENT_WIDTH = 10, PROFILER_WIDTH = 26 };

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
	text_padded(out, title, "", PROFILER_WIDTH);
	for (size_t i = 0; i < EVENT_CNT; i++)
		fprintf(out, "%*s", EVENT_WIDTH, event_columns[i].head);
	fprintf(out, "%*s\n", EVENT_WIDTH, "alarms");
}

static void put_event_row(struct view *v, FILE *out, const struct view_row *row)
{
	struct span alarms = view_span(v, row, "stale.false_alarms", "all");
	char name[64], buf[NUMBER_LEN];

	snprintf(name, sizeof(name), "  %.40s", view_label(row));
	text_padded(out, name, row->live ? " live" : "", PROFILER_WIDTH);
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

		for (size_t r = 0; r < g->row_cnt && view_is_plain(g); r++) {
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

enum { SHARE_WIDTH = 10, SAID_WIDTH = 13, HEADS = 6 };

static void put_line_name(FILE *out, const char *contestant)
{
	const char *slash = strrchr(contestant, '/');
	char name[64];

	snprintf(name, sizeof(name), "  %.60s", slash ? slash + 1 : contestant);
	text_padded(out, name, "", PROFILER_WIDTH);
}

/* "9/9", or "-" where there is nothing to divide by. */
static void put_share(const struct view *v, FILE *out, const char *binding, const char *contestant,
		      const char *metric, const char *scope)
{
	const struct view_summary *s = view_summary(v, binding, contestant, metric, scope);
	char text[48] = "-";

	if (s && s->has_value)
		snprintf(text, sizeof(text), "%.0f/%llu", s->value * (double)s->n,
			 (unsigned long long)s->n);
	fprintf(out, "%*s", SHARE_WIDTH, text);
}

static void put_count(const struct view *v, FILE *out, const char *binding, const char *contestant,
		      const char *metric)
{
	const struct view_summary *s = view_summary(v, binding, contestant, metric, "all");
	char text[48] = "-";

	if (s && s->has_value)
		snprintf(text, sizeof(text), "%.0f", s->value);
	fprintf(out, "%*s", SHARE_WIDTH, text);
}

static void put_score(const struct view *v, FILE *out, const char *binding, const char *contestant,
		      const char *metric)
{
	const struct view_summary *s = view_summary(v, binding, contestant, metric, "all");
	char text[NUMBER_LEN] = "-";

	if (s && s->has_value)
		number_score(text, s->value);
	fprintf(out, "%*s", SHARE_WIDTH, text);
}

static void put_running(const struct view *v, FILE *out, const char *binding,
			const char *contestant)
{
	put_line_name(out, contestant);
	put_share(v, out, binding, contestant, "quads.detection", "all");
	put_share(v, out, binding, contestant, "quads.localisation", "all");
	put_share(v, out, binding, contestant, "quads.kept", "all");
	put_score(v, out, binding, contestant, "quads.apart");
	put_count(v, out, binding, contestant, "quads.latency_events");
	put_share(v, out, binding, contestant, "quads.alarm", "form:twin");
	putc('\n', out);
}

static void put_refusing(const struct view *v, FILE *out, const char *binding,
			 const char *contestant)
{
	static const char *const scopes[] = {"form:mutant", "form:twin", "class:NULL", "form:base"};

	put_line_name(out, contestant);
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
		put_share(v, out, binding, contestant, "quads.refused", scopes[i]);
	putc('\n', out);
}

static const struct {
	const char *binding, *title, *metric, *scope;
	const char *heads[HEADS];
	void (*put)(const struct view *v, FILE *out, const char *binding, const char *contestant);
} bindings[] = {
	{"stamped",
	 "stale contracts",
	 "quads.detection",
	 "all",
	 {"found", "named", "kept", "apart", "latency", "twins"},
	 put_running},
	{"best-effort",
	 "  bound as best effort",
	 "quads.detection",
	 "all",
	 {"found", "named", "kept", "apart", "latency", "twins"},
	 put_running},
	{"strict",
	 "  bound strictly: refused",
	 "quads.refused",
	 "form:mutant",
	 {"mutants", "twins", "null", "base"},
	 put_refusing},
};

static void put_binding(const struct view *v, const struct stale_view *x, FILE *out, size_t b)
{
	size_t shown = 0;

	for (size_t i = 0; i < x->contestant_cnt; i++) {
		if (!view_summary(v, bindings[b].binding, x->contestants[i], bindings[b].metric,
				  bindings[b].scope))
			continue;
		if (!shown++) {
			text_padded(out, bindings[b].title, "", PROFILER_WIDTH);
			for (size_t h = 0; h < HEADS && bindings[b].heads[h]; h++)
				fprintf(out, "%*s", SHARE_WIDTH, bindings[b].heads[h]);
			putc('\n', out);
		}
		bindings[b].put(v, out, bindings[b].binding, x->contestants[i]);
	}
}

/* Of resources that are stale, the worst that was said; of others, how many alarms. */
static void put_verdict(struct view *v, FILE *out, const struct stale_quad *q,
			const char *contestant)
{
	const struct view_row *mutant = stale_row(q->mutant, contestant);
	const struct view_row *twin = stale_row(q->twin, contestant);
	struct stale_said m = {0}, t = {0};
	char text[32] = "-";

	if (mutant)
		m = stale_said_of(v, mutant);
	if (twin)
		t = stale_said_of(v, twin);
	if (mutant && m.state != CELL_OK)
		snprintf(text, sizeof(text), "%s", cell_state_name(m.state));
	else if (mutant && m.alarms + t.alarms > 0)
		snprintf(text, sizeof(text), "%s +%.0f", stale_worst(&m), m.alarms + t.alarms);
	else if (mutant)
		snprintf(text, sizeof(text), "%s", stale_worst(&m));
	fprintf(out, "%*s", SAID_WIDTH, text);
}

/* A profiler's name, which may be of a stranger's file. */
static void put_right(FILE *out, const char *contestant)
{
	const char *slash = strrchr(contestant, '/');
	char *name = NULL;
	size_t len = 0, used = 0;
	FILE *f = open_memstream(&name, &len);

	if (f)
		used = text_plain(f, slash ? slash + 1 : contestant, SAID_WIDTH - 1);
	if (f && !fclose(f))
		fprintf(out, "%*s%s", (int)(SAID_WIDTH - used), "", name);
	free(name);
}

/* With more profilers the page is the better place. */
static void put_quads(struct view *v, const struct stale_view *x, FILE *out)
{
	text_padded(out, "  quad by quad", "", VARIANT_WIDTH);
	for (size_t c = 0; c < x->contestant_cnt; c++)
		put_right(out, x->contestants[c]);
	putc('\n', out);
	for (size_t i = 0; i < x->quad_cnt; i++) {
		const struct stale_quad *q = &x->quads[i];
		char name[64];

		snprintf(name, sizeof(name), "  %.*s%s", (int)(q->id_len < 50 ? q->id_len : 50),
			 q->variant, i < x->witnessed_cnt ? "" : " *");
		text_padded(out, name, "", VARIANT_WIDTH);
		for (size_t c = 0; c < x->contestant_cnt; c++)
			put_verdict(v, out, q, x->contestants[c]);
		putc('\n', out);
	}
	fputs("quiet: nothing is stale; kept: stale, and not noticed; +N: false alarms on mutant\n"
	      "and twin; *: without a witness, not in the denominator\n",
	      out);
}

int table_stale(struct view *v, FILE *out)
{
	struct stale_view x;
	int err = stale_view_make(v, &x);

	if (err)
		return err;
	for (size_t b = 0; x.quad_cnt && b < sizeof(bindings) / sizeof(bindings[0]); b++)
		put_binding(v, &x, out, b);
	if (x.quad_cnt) {
		fputs("found: of the witnessed quads, every stale resource in every seed; named: "
		      "of "
		      "the found\nkept: of all quads with a stale resource, those in which nothing "
		      "was ever doubted\napart: witnessed mutants told from their twins, a tie is "
		      "half, 0.50 is guessing\nlatency: median, in events; twins: harmless "
		      "rebuilds "
		      "that were accused\n\n",
		      out);
		if (x.contestant_cnt <= COLUMNS)
			put_quads(v, &x, out);
		putc('\n', out);
	}
	stale_view_free(&x);
	return 0;
}
