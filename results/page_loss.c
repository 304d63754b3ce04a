/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's section on loss: the same recordings with records taken away. */
#include <string.h>

#include "results/loss_view.h"
#include "results/page.h"

static const char about[] =
	"<p>A recording is joined again after some of its records were taken away, by a hash that "
	"nobody but the evaluator knows. An honest profiler then says less, and what it says stays "
	"right: its share of <em>false joins</em> does not rise. <em>Explained</em> is the share "
	"of "
	"the handoffs missed because of the loss that an orphan or a claimed gap owns up to; "
	"<em>in gaps</em> is the share of intact handoffs that a claimed gap gives up with "
	"them. Many short gaps are given the one and spared the other, whatever they know; "
	"<em>informed</em> is what share of the time of losses was told less what share of the "
	"time of intact handoffs was given up, and 0 for any gaps claimed at random. All three "
	"are shown only where nobody told the joiner of the loss "
	"(<code>:silent</code>): "
	"who is told explains all by saying so again.</p>\n";

static const struct {
	const char *head, *metric, *scope;
} groups[] = {
	{"false joins", "handoff.context.false_join_rate", "declared"},
	{"recall", "handoff.context.recall", "declared"},
	{"explained", "loss.explained_share", "all"},
	{"in gaps", "loss.in_gap_share", "all"},
	{"informed", "loss.informedness", "all"},
};

enum { GROUP_CNT = sizeof(groups) / sizeof(groups[0]) };

/* What was told need not be explained. */
static bool has_column(const struct loss_view *x, size_t group, size_t regime)
{
	return groups[group].scope[0] != 'a' || loss_is_silent(x->regimes[regime]);
}

static size_t columns(const struct loss_view *x, size_t group)
{
	size_t cnt = 0;

	for (size_t r = 0; r < x->regime_cnt; r++)
		cnt += has_column(x, group, r);
	return cnt;
}

static void put_head(struct page *p, const struct loss_view *x)
{
	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Under loss\">"
	      "<table><caption>Context level, types that the profiler declares</caption><thead>"
	      "<tr><th scope=\"col\" rowspan=\"2\">workload</th>"
	      "<th scope=\"col\" rowspan=\"2\" class=\"words\">profiler</th>",
	      p->f);
	for (size_t g = 0; g < GROUP_CNT; g++)
		if (columns(x, g))
			fprintf(p->f, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>",
				columns(x, g), groups[g].head);
	fputs("</tr>\n<tr>", p->f);
	for (size_t g = 0; g < GROUP_CNT; g++)
		for (size_t r = 0; r < x->regime_cnt; r++) {
			if (!has_column(x, g, r))
				continue;
			fputs("<th scope=\"col\">", p->f);
			page_text(p, x->regimes[r]);
			fputs("</th>", p->f);
		}
	fputs("</tr></thead><tbody>\n", p->f);
}

static void put_line(struct page *p, const struct loss_view *x, const struct loss_line *l)
{
	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, l->workload);
	fputs("</th>", p->f);
	page_row_name(p, loss_line_who(x, l));
	for (size_t g = 0; g < GROUP_CNT; g++)
		for (size_t r = 0; r < x->regime_cnt; r++) {
			struct span s = {0};

			if (!has_column(x, g, r))
				continue;
			if (l->rows[r])
				s = view_span(p->v, l->rows[r], groups[g].metric, groups[g].scope);
			page_span(p, &s, FIGURE_RATIO);
		}
	fputs("</tr>\n", p->f);
}

bool page_has_losses(const struct view *v)
{
	for (size_t g = 0; g < v->group_cnt; g++)
		if (view_is_lossy(&v->groups[g]))
			return true;
	return false;
}

int page_loss(struct page *p)
{
	struct loss_view x;
	int err = loss_view_make(p->v, &x);

	if (err)
		return err;
	if (x.line_cnt) {
		fputs("<section id=\"loss\"><h2>Under loss</h2>\n", p->f);
		fputs(about, p->f);
		put_head(p, &x);
		for (size_t i = 0; i < x.line_cnt; i++)
			if (loss_line_joins(p->v, &x, &x.lines[i]))
				put_line(p, &x, &x.lines[i]);
		fputs("</tbody></table></div></section>\n", p->f);
	}
	loss_view_free(&x);
	return 0;
}
