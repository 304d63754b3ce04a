/* SPDX-License-Identifier: BSD-2-Clause */
/* The page's section on regimes that apply while a cell runs, and on planted candidates. */
#include "results/hard_view.h"
#include "results/page.h"

static const char about_hard[] =
	"<p>Here it is the run that is made hard, not the evidence. Under <em>small-buffers</em> "
	"whoever watches is asked to do with a buffer that overflows: of recordings the "
	"collector's "
	"counters tell truth what was lost; what a profiler lost by itself nobody but itself "
	"knows, "
	"so that only its joins are judged and not what it explains. Under <em>late-attach</em> it "
	"comes in the middle of the run: handoffs that began before have one end, and to join one "
	"(<em>one end</em>) is a guess. Under <em>pressure</em> every processor and the disk have "
	"other work. <em>Alarms</em> are valid resources that were doubted.</p>\n";

static const char about_candidates[] =
	"<p>A manifest as discovery hands it over: the share in the regime's name of its resources "
	"was never there. A planted resource is a copy of another that reads from other sites, or "
	"has ACQUIRE and RELEASE interchanged, or takes identity or units from another argument. "
	"<em>Rejected</em> is the share of those that were doubted further than at attach, "
	"<em>alarms</em> that of the others.</p>\n";

static void put_head(struct page *p, const char *caption, const struct hard_column *columns,
		     size_t cnt)
{
	fprintf(p->f,
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>"
		"<caption>%s</caption><thead><tr><th scope=\"col\">workload</th>"
		"<th scope=\"col\" class=\"words\">regime</th>"
		"<th scope=\"col\" class=\"words\">profiler</th>",
		caption, caption);
	for (size_t i = 0; i < cnt; i++)
		fprintf(p->f, "<th scope=\"col\">%s</th>", columns[i].head);
	fputs("</tr></thead><tbody>\n", p->f);
}

static void put_row(struct page *p, const struct view_group *g, const struct view_row *row,
		    const struct hard_column *columns, size_t cnt)
{
	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, g->workload);
	fputs("</th><td class=\"words\">", p->f);
	page_text(p, g->regime);
	fputs("</td>", p->f);
	page_row_name(p, row);
	for (size_t i = 0; i < cnt; i++) {
		struct span s = view_span(p->v, row, columns[i].metric, columns[i].scope);

		page_span(p, &s, columns[i].kind);
	}
	fputs("</tr>\n", p->f);
}

static void put_table(struct page *p, bool (*belongs)(const struct view_group *), const char *about,
		      const char *caption, const struct hard_column *columns, size_t cnt)
{
	size_t shown = 0;

	for (size_t i = 0; i < p->v->group_cnt; i++)
		for (size_t r = 0; belongs(&p->v->groups[i]) && r < p->v->groups[i].row_cnt; r++) {
			const struct view_group *g = &p->v->groups[i];

			if (!hard_row_shows(g, &g->rows[r]))
				continue;
			if (!shown++) {
				fputs(about, p->f);
				put_head(p, caption, columns, cnt);
			}
			put_row(p, g, &g->rows[r], columns, cnt);
		}
	if (shown)
		fputs("</tbody></table></div>\n", p->f);
}

int page_hard(struct page *p)
{
	bool any = false;

	for (size_t i = 0; i < p->v->group_cnt; i++)
		any |= view_is_hard(&p->v->groups[i]) || view_has_candidates(&p->v->groups[i]);
	if (!any)
		return 0;
	fputs("<section id=\"hard\"><h2>Made hard while it ran</h2>\n", p->f);
	put_table(p, view_is_hard, about_hard, "Small buffers, late attach, pressure", hard_columns,
		  HARD_COLUMNS);
	put_table(p, view_has_candidates, about_candidates, "Planted candidates", candidate_columns,
		  CANDIDATE_COLUMNS);
	fputs("</section>\n", p->f);
	return 0;
}
