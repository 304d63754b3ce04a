/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures that this page has no word for, so that none goes unseen; where the others are. */
#include <string.h>

#include "results/page.h"

static void put_words(struct page *p, const char *s)
{
	fputs("<td class=\"words\">", p->f);
	page_text(p, s);
	fputs("</td>", p->f);
}

static void put_figure(struct page *p, const struct view_group *g, const struct view_row *row,
		       const struct view_figure *f)
{
	struct span s = view_span(p->v, row, f->metric, f->scope);

	fputs("<tr><th scope=\"row\">", p->f);
	page_group_name(p, g);
	fputs("</th>", p->f);
	page_row_name(p, row);
	put_words(p, f->metric);
	put_words(p, f->scope);
	page_span(p, &s, FIGURE_NUMBER);
	fprintf(p->f, "<td>%zu</td></tr>\n", (size_t)s.n);
}

static void put_row(struct page *p, const struct view_group *g, const struct view_row *row)
{
	for (size_t c = 0; c < row->cell_cnt; c++) {
		for (size_t i = view_first(p->v, row->cells[c]); i < p->v->figure_cnt; i++) {
			const struct view_figure *f = &p->v->figures[i];

			if (f->cell != row->cells[c])
				break;
			if (!f->shown)
				put_figure(p, g, row, f);
		}
	}
}

/* Figures of cells that are no contestants: recordings. */
static void put_leftover(struct page *p, struct view_figure *f)
{
	struct span s = {.seeds = 1, .has = f->has_value, .min = f->value, .max = f->value};

	f->shown = true;
	fputs("<tr><th scope=\"row\">", p->f);
	page_text(p, f->cell->workload);
	fputs("</th><th scope=\"row\">", p->f);
	page_text(p, f->cell->profiler);
	fputs("</th>", p->f);
	put_words(p, f->metric);
	put_words(p, f->scope);
	page_span(p, &s, FIGURE_NUMBER);
	fprintf(p->f, "<td>%zu</td></tr>\n", (size_t)f->n);
}

/* Splits of handoffs by level and scope, and variants in detail, would swamp the page. */
static bool is_known(const char *metric)
{
	static const char *const known[] = {"handoff.", METRIC_COVERAGE, METRIC_SCORED, "stale.",
					    "calibration."};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(metric, known[i], strlen(known[i])))
			return true;
	for (size_t i = 0; i < part_cnt; i++)
		if (!strncmp(metric, parts[i].metric, strlen(parts[i].metric)) &&
		    metric[strlen(parts[i].metric)] == '.')
			return true;
	return false;
}

int page_rest(struct page *p)
{
	struct view *v = p->v;
	size_t left = 0;

	for (size_t i = 0; i < v->figure_cnt; i++) {
		v->figures[i].shown |= is_known(v->figures[i].metric);
		left += !v->figures[i].shown;
	}
	fputs("<section id=\"rest\"><h2>Everything else</h2>\n"
	      "<p>This page shows what is read most. Every figure of every cell, at both levels, "
	      "by "
	      "type, mark and source, and of each mutant and twin, stands in <a "
	      "href=\"scores.csv\">scores.csv</a>, one a line, and in <code>scores.sqlite</code> "
	      "(tables <code>scores</code> and <code>cells</code>).</p>\n",
	      p->f);
	if (!left) {
		fputs("</section>\n", p->f);
		return 0;
	}
	fprintf(p->f,
		"<details><summary>%zu figures that have no table of their own</summary>\n"
		"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Figures\"><table>"
		"<caption class=\"hidden\">Other figures</caption><thead><tr>"
		"<th scope=\"col\">workload</th><th scope=\"col\" class=\"words\">profiler</th>"
		"<th scope=\"col\" class=\"words\">figure</th><th scope=\"col\" class=\"words\">"
		"scope</th><th scope=\"col\">value</th><th scope=\"col\">n</th></tr></thead>"
		"<tbody>\n",
		left);
	for (size_t g = 0; g < v->group_cnt; g++)
		for (size_t r = 0; r < v->groups[g].row_cnt; r++)
			put_row(p, &v->groups[g], &v->groups[g].rows[r]);
	for (size_t i = 0; i < v->figure_cnt; i++)
		if (!v->figures[i].shown)
			put_leftover(p, &v->figures[i]);
	fputs("</tbody></table></div></details></section>\n", p->f);
	return 0;
}
