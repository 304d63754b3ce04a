/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline table as LaTeX. */
#include "results/tex.h"

#include "results/figures.h"
#include "results/text.h"

static void put_span(FILE *out, const struct span *s)
{
	char buf[NUMBER_LEN];

	fputs(" & ", out);
	if (!s->has) {
		fputs("--", out);
		return;
	}
	fputs(number_ratio(buf, s->min), out);
	if (s->min != s->max)
		fprintf(out, "--%s", number_ratio(buf, s->max));
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

void tex_scores(struct view *v, FILE *out)
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
}
