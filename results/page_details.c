/* SPDX-License-Identifier: BSD-2-Clause */
/* The same figures split by handoff type, by mark and by source. */
#include "results/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct split {
	const char *prefix, *title, *about;
};

static const struct split splits[] = {
	{"type:", "By handoff type",
	 "Which mechanism carried the work: an io_uring request, a "
	 "wake-up, a timer\xe2\x80\xa6"},
	{"mark:", "By mark",
	 "What made the handoff hard: punted to a worker, stolen, cancelled, "
	 "a key used again\xe2\x80\xa6 A claim counts under the marks of the "
	 "handoffs that it touches."},
	{"source:", "By source",
	 "Where the profiler says that it got the claim from: kernel, "
	 "runtime, application, or inferred. Recall has no meaning here."},
};

/* Rows are profilers, columns are scopes, cells one ratio. */
static void put_matrix(struct page *p, const struct view_group *g, const struct split *s,
		       const char *name, const char **scopes, size_t cnt)
{
	char metric[METRIC_LEN];

	handoff_metric(metric, "context", name);
	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Matrix\"><table>"
	      "<caption>",
	      p->f);
	fprintf(p->f, "%s, context level</caption><thead><tr><th scope=\"col\">profiler</th>",
		figure_find(name)->head);
	for (size_t i = 0; i < cnt; i++) {
		fputs("<th scope=\"col\">", p->f);
		page_text(p, scopes[i] + strlen(s->prefix));
		fputs("</th>", p->f);
	}
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t r = 0; r < g->row_cnt; r++) {
		fputs("<tr>", p->f);
		page_row_name(p, &g->rows[r]);
		for (size_t i = 0; i < cnt; i++) {
			struct span span = view_span(p->v, &g->rows[r], metric, scopes[i]);

			page_span(p, &span, FIGURE_RATIO);
		}
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_full_row(struct page *p, const struct view_row *row, const char *level,
			 const char *scope, size_t skip)
{
	char metric[METRIC_LEN];
	struct span claims;

	claims = view_span(p->v, row, handoff_metric(metric, level, "claims"), scope);
	if (!claims.seeds)
		return;
	fputs("<tr>", p->f);
	page_row_name(p, row);
	fputs("<th scope=\"row\">", p->f);
	page_text(p, scope + skip);
	fputs("</th>", p->f);
	for (size_t i = 0; i < handoff_figure_cnt; i++) {
		const struct figure *f = &handoff_figures[i];
		struct span s = view_span(p->v, row, handoff_metric(metric, level, f->name), scope);

		page_span(p, &s, f->kind);
	}
	fputs("</tr>\n", p->f);
}

void page_full_table(struct page *p, const struct view_group *g, const char *level,
		     const char *const *scopes, size_t cnt, size_t skip)
{
	fputs("<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"Figures\"><table>"
	      "<caption class=\"hidden\">",
	      p->f);
	page_group_name(p, g);
	fprintf(p->f,
		", %s level</caption>\n<thead><tr><th scope=\"col\">profiler</th>"
		"<th scope=\"col\">which</th>",
		level);
	for (size_t i = 0; i < handoff_figure_cnt; i++)
		fprintf(p->f, "<th scope=\"col\" title=\"%s\">%s</th>", handoff_figures[i].about,
			handoff_figures[i].head);
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t r = 0; r < g->row_cnt; r++)
		for (size_t i = 0; i < cnt; i++)
			put_full_row(p, &g->rows[r], level, scopes[i], skip);
	fputs("</tbody></table></div>\n", p->f);
}

static int put_split(struct page *p, const struct view_group *g, const struct split *s)
{
	const char **scopes;
	size_t cnt;

	if (view_scopes(p->v, g, "handoff.context.precision", s->prefix, &scopes, &cnt))
		return -ENOMEM;
	if (cnt) {
		fprintf(p->f, "<details class=\"split\"><summary>%s</summary>\n<p>%s</p>\n",
			s->title, s->about);
		fputs("<div class=\"pair\">", p->f);
		put_matrix(p, g, s, "precision", scopes, cnt);
		if (strcmp(s->prefix, "source:"))
			put_matrix(p, g, s, "recall", scopes, cnt);
		fputs("</div>\n", p->f);
	}
	fputs(cnt ? "</details>\n" : "", p->f);
	free(scopes);
	return 0;
}

int page_details(struct page *p, const struct view_group *g)
{
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++)
		if (put_split(p, g, &splits[i]))
			return -ENOMEM;
	return 0;
}
