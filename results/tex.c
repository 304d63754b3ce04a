/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline tables as LaTeX. */
#include "results/tex.h"

#include <string.h>

#include "results/figures.h"
#include "results/stale_view.h"
#include "results/text.h"

static void put_span(FILE *out, const struct span *s)
{
	char lo[NUMBER_LEN], hi[NUMBER_LEN];

	fputs(" & ", out);
	if (!s->has) {
		fputs("--", out);
		return;
	}
	fputs(number_ratio(lo, s->min), out);
	if (strcmp(lo, number_ratio(hi, s->max)) != 0)
		fprintf(out, "--%s", hi);
}

static void put_row(struct view *v, const struct view_row *row, FILE *out)
{
	static const char *const names[] = {"precision", "recall", "f1", "false_join_rate",
					    "orphan_rate"};
	char metric[METRIC_LEN];
	struct span s;
	size_t n;

	fputs("\\quad ", out);
	text_latex(out, view_label(row));
	fputs(row->live ? " (live)" : "", out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		s = view_span(v, row, handoff_metric(metric, "context", names[i]), "declared");
		put_span(out, &s);
	}
	s = view_span(v, row, METRIC_COVERAGE, "all");
	put_span(out, &s);
	fprintf(out, " & %s \\\\\n", cell_state_name(view_state(row, &n)));
}

static void put_group(struct view *v, const struct view_group *g, FILE *out)
{
	const char *words[] = {view_unusual(g->variant), view_unusual(g->regime),
			       view_unusual(g->binding)};

	fputs("\\midrule\n\\multicolumn{8}{l}{\\textit{", out);
	text_latex(out, g->workload);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		fputs(*words[i] ? ", " : "", out);
		text_latex(out, words[i]);
	}
	fputs("}} \\\\\n", out);
	for (size_t i = 0; i < g->row_cnt; i++)
		put_row(v, &g->rows[i], out);
}

int tex_scores(struct view *v, FILE *out)
{
	fputs("% Context level, declared types. Ranges run over seeds. Needs booktabs.\n"
	      "\\begin{tabular}{lrrrrrrl}\n\\toprule\n"
	      "profiler & precision & recall & F1 & false joins & orphans & coverage & state "
	      "\\\\\n",
	      out);
	for (size_t i = 0; i < v->group_cnt; i++)
		if (view_is_plain(&v->groups[i]))
			put_group(v, &v->groups[i], out);
	fputs("\\bottomrule\n\\end{tabular}\n", out);
	return 0;
}

/* ---- stale contracts ---- */

static const struct {
	const char *metric, *scope;
	bool share; /* k/n with its interval in percent; else the number */
} stale_columns[] = {
	{"quads.detection", "all", true},
	{"quads.localisation", "all", true},
	{"quads.kept", "all", true},
	{"quads.apart", "all", false},
	{"quads.latency_events", "all", false},
	{"quads.alarm", "form:base", true},
	{"quads.alarm", "form:twin", true},
	{"quads.alarm", "class:NULL", true},
};

static void put_over(FILE *out, const struct view_summary *s, bool share)
{
	fputs(" & ", out);
	if (!s || !s->has_value) {
		fputs("--", out);
		return;
	}
	if (!share) {
		fprintf(out, "%.4g", s->value);
		return;
	}
	fprintf(out, "%.0f/%llu", s->value * (double)s->n, (unsigned long long)s->n);
	if (s->has_interval)
		fprintf(out, " (%.0f--%.0f)", 100 * s->lo, 100 * s->hi);
}

static void put_stale(const struct view *v, const char *contestant, FILE *out)
{
	const char *slash = strrchr(contestant, '/');

	text_latex(out, slash ? slash + 1 : contestant);
	for (size_t i = 0; i < sizeof(stale_columns) / sizeof(stale_columns[0]); i++)
		put_over(out,
			 view_summary(v, "stamped", contestant, stale_columns[i].metric,
				      stale_columns[i].scope),
			 stale_columns[i].share);
	fputs(" \\\\\n", out);
}

int tex_stale(struct view *v, FILE *out)
{
	struct stale_view x;
	int err = stale_view_make(v, &x);

	if (err)
		return err;
	fputs("% Stamped manifests. In brackets exact 95 % intervals over quads. Needs booktabs.\n"
	      "\\begin{tabular}{lrrrrrrrr}\n\\toprule\n"
	      "profiler & found & named & kept & told apart & latency (events) & alarms: base & "
	      "twin "
	      "& null \\\\\n\\midrule\n",
	      out);
	for (size_t i = 0; i < x.contestant_cnt; i++)
		if (view_summary(v, "stamped", x.contestants[i], "quads.detection", "all"))
			put_stale(v, x.contestants[i], out);
	fputs("\\bottomrule\n\\end{tabular}\n", out);
	stale_view_free(&x);
	return 0;
}
