/* SPDX-License-Identifier: BSD-2-Clause */
/* One table of all profilers and workloads, so that nobody has to open every section. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/page.h"

static const struct view_row *row_in(const struct view_group *g, const struct view_row *like,
				     bool live)
{
	for (size_t r = 0; r < g->row_cnt; r++)
		if (g->rows[r].live == live && same_division(&g->rows[r], like) &&
		    !strcmp(g->rows[r].profiler, like->profiler))
			return &g->rows[r];
	return NULL;
}

static void put_row(struct page *p, const struct view_row *like, bool live)
{
	const struct view_row *any = NULL;

	for (size_t g = 0; !any && g < p->v->group_cnt; g++)
		if (view_is_plain(&p->v->groups[g]))
			any = row_in(&p->v->groups[g], like, live);
	if (!any)
		return;
	fputs("<tr>", p->f);
	page_row_name(p, any);
	for (size_t g = 0; g < p->v->group_cnt; g++) {
		const struct view_row *row;
		struct span s = {0}, cover = {0};

		if (!view_is_plain(&p->v->groups[g]))
			continue;
		row = row_in(&p->v->groups[g], like, live);
		if (row) {
			s = view_span(p->v, row, "handoff.context.f1", "declared");
			cover = view_span(p->v, row, METRIC_COVERAGE, "all");
		}
		page_span_of(p, &s, FIGURE_RATIO, s.has ? &cover : NULL);
	}
	fputs("</tr>\n", p->f);
}

static size_t put_head(struct page *p)
{
	size_t columns = 1;

	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"F1 by workload\">"
	      "<table><caption>F1 at context level on the types that the profiler declares, by "
	      "workload; cover: which share of all handoffs that is, where it is not all of "
	      "them</caption><thead><tr><th scope=\"col\">profiler</th>",
	      p->f);
	for (size_t g = 0; g < p->v->group_cnt; g++) {
		if (!view_is_plain(&p->v->groups[g]))
			continue;
		fputs("<th scope=\"col\">", p->f);
		page_text(p, p->v->groups[g].workload);
		fputs("</th>", p->f);
		columns++;
	}
	fputs("</tr></thead>\n", p->f);
	return columns;
}

int page_glance(struct page *p)
{
	size_t cnt, columns;
	const struct view_row **rows = page_profilers(p->v, &cnt);

	if (!rows)
		return -ENOMEM;
	columns = put_head(p);
	for (size_t i = 0; i < cnt; i++) {
		if (!i || !same_division(rows[i], rows[i - 1])) {
			fputs(i ? "</tbody><tbody>\n" : "<tbody>\n", p->f);
			page_division(p, rows[i], columns);
		}
		put_row(p, rows[i], false);
		put_row(p, rows[i], true);
	}
	fprintf(p->f, "%s</table></div>\n", cnt ? "</tbody>" : "");
	free(rows);
	return 0;
}
