/* SPDX-License-Identifier: BSD-2-Clause */
/* The score table for the terminal, 80 columns wide. */
#include "results/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/cost_view.h"
#include "results/figures.h"
#include "results/hard_view.h"
#include "results/loss_view.h"
#include "results/table_acceptance.h"
#include "results/table_diagnosis.h"
#include "results/table_stale.h"
#include "results/text.h"
#include "results/view.h"

enum { NAME_WIDTH = 17, RATIO_WIDTH = 7, STATE_WIDTH = 11, TABLE_WIDTH = 80 };

/* Headline figures: context level, declared types. */
static const struct {
	const char *metric, *scope, *head;
} ratios[] = {
	{"handoff.context.precision", "declared", "prec."},
	{"handoff.context.recall", "declared", "recall"},
	{"handoff.context.visible_recall", "declared", "seen"},
	{"handoff.context.f1", "declared", "F1"},
	{"handoff.context.false_join_rate", "declared", "false"},
	{"handoff.context.orphan_rate", "declared", "orphan"},
	{METRIC_COVERAGE, "all", "cover"},
};

enum { RATIO_CNT = sizeof(ratios) / sizeof(ratios[0]) };

/* With more groups, who guesses is left out but for the best, and so is what is made from truth. */
enum { GROUPS_IN_FULL = 6 };

struct table {
	struct view *v;
	FILE *out;
	bool colour, brief;
};

static void style(const struct table *t, const char *code)
{
	if (t->colour)
		fprintf(t->out, "\033[%sm", code);
}

static void pad(FILE *out, size_t used, size_t width)
{
	for (; used < width; used++)
		putc(' ', out);
}

static void put_right(FILE *out, const char *s, size_t width)
{
	pad(out, strlen(s), width);
	fputs(s, out);
}

static const char *ratio_text(char buf[static NUMBER_LEN], const struct span *s, double v)
{
	return s->has ? number_ratio(buf, v) : "-";
}

static bool varies(const struct span *s)
{
	char lo[NUMBER_LEN], hi[NUMBER_LEN];

	return strcmp(ratio_text(lo, s, s->min), ratio_text(hi, s, s->max)) != 0;
}

static void put_state(const struct table *t, const struct view_row *row)
{
	size_t n;
	enum cell_state state = view_state(row, &n);
	char text[64];
	int len;
	struct span cheating = view_span(t->v, row, METRIC_CHEATING, "all");
	bool bad = state != CELL_OK || (cheating.has && cheating.max > 0);

	len = snprintf(text, sizeof(text), "%s %zu/%zu", cell_state_name(state), n, row->cell_cnt);
	if (row->cell_cnt == 1 || n == row->cell_cnt || len > STATE_WIDTH)
		snprintf(text, sizeof(text), "%s", cell_state_name(state));
	if (cheating.has && cheating.max > 0)
		snprintf(text, sizeof(text), "cheating");
	if (bad)
		style(t, "31");
	fprintf(t->out, " %s", text);
	if (bad)
		style(t, "0");
}

static void put_name(const struct table *t, const struct view_row *row)
{
	const char *tail = row->live ? " live" : "";
	size_t room = NAME_WIDTH - 2 - strlen(tail), used;

	fputs("  ", t->out);
	used = text_plain(t->out, view_label(row), room);
	fputs(tail, t->out);
	pad(t->out, used + strlen(tail), NAME_WIDTH - 2);
}

/* The line of the highest shows only what differs from the line of the lowest. */
static void put_highest(const struct table *t, const struct span s[RATIO_CNT])
{
	size_t width = NAME_WIDTH;
	char buf[NUMBER_LEN];
	bool any = false;

	for (size_t i = 0; i < RATIO_CNT; i++) {
		width += RATIO_WIDTH;
		if (!varies(&s[i]))
			continue;
		put_right(t->out, ratio_text(buf, &s[i], s[i].max), width);
		width = 0;
		any = true;
	}
	fputs(any ? "\n" : "", t->out);
}

/* Claims whose keys no handoff uses are not scored: where they are many, a precision of 1 hides
 * them. */
static void put_outside(const struct table *t, const struct view_row *row)
{
	double outside = 0, claims = 0;

	if (row->rank != RANK_PROFILER ||
	    !view_sum(t->v, row, "handoff.context.out_of_scope", "declared", &outside) ||
	    !view_sum(t->v, row, "handoff.context.claims", "declared", &claims) ||
	    outside * 20 <= outside + claims)
		return;
	fprintf(t->out, "    not scored: %.0f of %.0f claims, whose keys no handoff uses\n",
		outside, outside + claims);
}

/* Noughts alone would look like a profiler that said nothing. */
static void put_unjudged(const struct table *t, const struct view_row *row)
{
	double n = 0;

	if (view_sum(t->v, row, METRIC_UNJUDGED, "all", &n) && n > 0)
		fprintf(t->out,
			"    not scored: %.0f claims, all of another time or other threads than "
			"the run\n",
			n);
}

static void put_row(const struct table *t, const struct view_row *row)
{
	struct span s[RATIO_CNT];
	char buf[NUMBER_LEN];

	put_name(t, row);
	for (size_t i = 0; i < RATIO_CNT; i++) {
		s[i] = view_span(t->v, row, ratios[i].metric, ratios[i].scope);
		put_right(t->out, ratio_text(buf, &s[i], s[i].min), RATIO_WIDTH);
	}
	put_state(t, row);
	putc('\n', t->out);
	put_highest(t, s);
	put_outside(t, row);
	put_unjudged(t, row);
}

static void put_title(const struct table *t, const struct view_group *g)
{
	const char *words[] = {g->workload, view_unusual(g->variant), view_unusual(g->regime),
			       view_unusual(g->binding)};
	size_t used = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (i && !*words[i])
			continue;
		if (i)
			used += (size_t)fprintf(t->out, ", ");
		used += text_plain(t->out, words[i], 18);
	}
	/* A title wider than its column has a line of its own. */
	if (used >= NAME_WIDTH) {
		putc('\n', t->out);
		used = 0;
	}
	pad(t->out, used, NAME_WIDTH);
}

static double f1_of(const struct table *t, const struct view_row *row)
{
	struct span s = view_span(t->v, row, "handoff.context.f1", "declared");

	return s.has ? s.max : -1;
}

static const struct view_row *best_floor(const struct table *t, const struct view_group *g)
{
	const struct view_row *best = NULL;

	for (size_t i = 0; i < g->row_cnt; i++)
		if (g->rows[i].rank == RANK_FLOOR &&
		    (!best || f1_of(t, &g->rows[i]) > f1_of(t, best)))
			best = &g->rows[i];
	return best;
}

/* As where stored runs stand in and there is none of this workload: nobody can be scored by it. */
static bool has_no_truth(const struct view_group *g)
{
	size_t n;

	for (size_t i = 0; i < g->row_cnt; i++)
		if (g->rows[i].rank == RANK_CEILING)
			return view_state(&g->rows[i], &n) == CELL_UNSUPPORTED;
	return false;
}

static bool is_shown(const struct table *t, const struct view_group *g, const struct view_row *row)
{
	size_t n;
	bool ok = view_state(row, &n) == CELL_OK;

	if (t->brief && !ok && has_no_truth(g))
		return false;
	return !t->brief || row->rank == RANK_PROFILER || row == best_floor(t, g) || !ok;
}

static void put_group(const struct table *t, const struct view_group *g)
{
	bool any = false;

	for (size_t i = 0; i < g->row_cnt; i++)
		any |= is_shown(t, g, &g->rows[i]);
	if (!any)
		return;
	style(t, "1");
	put_title(t, g);
	for (size_t i = 0; i < RATIO_CNT; i++)
		put_right(t->out, ratios[i].head, RATIO_WIDTH);
	fputs(" state", t->out);
	style(t, "0");
	putc('\n', t->out);
	for (size_t i = 0; i < g->row_cnt; i++)
		if (is_shown(t, g, &g->rows[i]))
			put_row(t, &g->rows[i]);
	putc('\n', t->out);
}

/* Appends a word to a paragraph of at most 80 columns. */
static void put_wrapped(const struct table *t, size_t *column, const char *word)
{
	if (*column + strlen(word) > TABLE_WIDTH) {
		fputs("\n ", t->out);
		*column = 1;
	}
	*column += (size_t)fprintf(t->out, "%s", word);
}

static void put_counts(const struct table *t)
{
	const struct run_dir *r = t->v->run;
	const char *sign = "=";
	size_t column = 0;
	char word[64];

	snprintf(word, sizeof(word), "%zu cell%s", r->cell_cnt, r->cell_cnt == 1 ? "" : "s");
	put_wrapped(t, &column, word);
	for (unsigned i = 0; i < CELL_STATE_CNT; i++) {
		if (!r->counts[i])
			continue;
		snprintf(word, sizeof(word), " %s %zu %s", sign, r->counts[i], cell_state_name(i));
		put_wrapped(t, &column, word);
		sign = "+";
	}
	putc('\n', t->out);
}

static void put_foot(const struct table *t)
{
	const struct run_dir *r = t->v->run;

	put_counts(t);
	if (r->skip_cnt)
		fprintf(t->out, "%zu skipped: report.html says what and why\n", r->skip_cnt);
	style(t, "2");
	fputs("context level, declared types; seen: recall over what can be seen at all;\n"
	      "false: false joins / two-ended claims; -: none",
	      t->out);
	fputs(r->seed_cnt > 1 ? "; lowest and highest seed,\nin the other tables the worst\n"
			      : "\n",
	      t->out);
	if (t->brief)
		fputs("oracle, liar and all guesses but the best: in the report\n", t->out);
	style(t, "0");
}

static void put_banner(const struct table *t)
{
	if (!*t->v->run->stored)
		return;
	style(t, "1");
	fputs("STORED RUNS, recorded on ", t->out);
	text_plain(t->out, t->v->run->stored, 200);
	fputs(":\nthis machine did not record\n\n", t->out);
	style(t, "0");
}

int report_table(const char *run_dir, FILE *out, struct diag *d)
{
	struct table t = {.out = out};
	struct acceptance a = {0};
	size_t plain = 0;
	int err = view_load(run_dir, &t.v, d);

	if (err)
		return err;
	t.colour = isatty(fileno(out)) && !getenv("NO_COLOR");
	for (size_t i = 0; i < t.v->group_cnt; i++)
		plain += view_is_plain(&t.v->groups[i]);
	t.brief = plain > GROUPS_IN_FULL;
	put_banner(&t);
	for (size_t i = 0; i < t.v->group_cnt; i++)
		if (view_is_plain(&t.v->groups[i]))
			put_group(&t, &t.v->groups[i]);
	table_events(t.v, out);
	err = acceptance_load(t.v, &a, d);
	if (err) {
		view_free(t.v);
		return err;
	}
	table_acceptance(&a, out);
	acceptance_free(&a);
	err = table_profiles(t.v, out);
	if (!err)
		err = table_loss(t.v, out);
	if (!err)
		err = table_stale(t.v, out);
	if (!err)
		err = table_diagnosis(t.v, out);
	table_hard(t.v, out);
	if (!err)
		err = table_cost(t.v, out);
	put_foot(&t);
	view_free(t.v);
	return err ? diag_set(d, err, run_dir, 0, NULL, "out of memory") : 0;
}
