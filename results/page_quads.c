/* SPDX-License-Identifier: BSD-2-Clause */
/* What each profiler said of each quad. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/page.h"
#include "results/stale_view.h"
#include "results/text.h"

static void put_contestant(struct page *p, const char *name)
{
	const char *slash = strrchr(name, '/');

	page_text(p, slash ? slash + 1 : name);
}

static void put_id(struct page *p, const struct stale_quad *q)
{
	fprintf(p->f, "<th scope=\"row\">%.*s</th>", (int)q->id_len, q->variant);
}

/* ---- the grid: a row a quad, a column a profiler ---- */

static double stale_cnt(const struct stale_said *s)
{
	return s->stale[0] + s->stale[1] + s->stale[2];
}

static const char *colour_of(const struct stale_said *s)
{
	if (!stale_cnt(s))
		return "quiet";
	return s->detected >= stale_cnt(s) ? "good" : "bad";
}

static void put_said(struct page *p, const struct view_row *mutant, const struct view_row *twin)
{
	struct stale_said m = {0}, t = {0};

	if (mutant)
		m = stale_said_of(p->v, mutant);
	if (twin)
		t = stale_said_of(p->v, twin);
	fputs("<td>", p->f);
	if (mutant && m.state != CELL_OK)
		fprintf(p->f, "<span class=\"bad\">%s</span>", cell_state_name(m.state));
	else if (mutant)
		fprintf(p->f, "<span class=\"%s\" title=\"%.0f of %.0f found\">%s</span>",
			colour_of(&m), m.detected, stale_cnt(&m), stale_worst(&m));
	else
		fputs("<span class=\"none\">\xe2\x80\x93</span>", p->f);
	if (m.alarms + t.alarms > 0)
		fprintf(p->f,
			" <span class=\"bad\" title=\"false alarms: %.0f on the mutant, %.0f on "
			"the twin\">+%.0f</span>",
			m.alarms, t.alarms, m.alarms + t.alarms);
	fputs("</td>", p->f);
}

static void put_quad(struct page *p, const struct stale_view *x, const struct stale_quad *q)
{
	fputs("<tr>", p->f);
	put_id(p, q);
	fprintf(p->f, "<td class=\"words\">%s</td>", q->known ? q->known->class : "");
	for (size_t c = 0; c < x->contestant_cnt; c++)
		put_said(p, stale_row(q->mutant, x->contestants[c]),
			 stale_row(q->twin, x->contestants[c]));
	fputs("</tr>\n", p->f);
}

static void put_grid(struct page *p, const struct stale_view *x, size_t from, size_t to,
		     const char *caption)
{
	fprintf(p->f,
		"<div class=\"wide fit\" role=\"region\" tabindex=\"0\" aria-label=\"Quads\">"
		"<table class=\"quads\"><caption>%s</caption><thead><tr><th scope=\"col\">quad</th>"
		"<th scope=\"col\" class=\"words\">class</th>",
		caption);
	for (size_t c = 0; c < x->contestant_cnt; c++) {
		fputs("<th scope=\"col\">", p->f);
		put_contestant(p, x->contestants[c]);
		fputs("</th>", p->f);
	}
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t i = from; i < to; i++)
		put_quad(p, x, &x->quads[i]);
	fputs("</tbody></table></div>\n", p->f);
}

/* ---- the whole confusion matrix, a table a profiler ---- */

/* The least and the greatest over the resources and seeds of a row. */
static struct span latency_of(struct page *p, const struct view_group *g,
			      const struct view_row *row, const char *metric)
{
	struct span all = {0};
	const char **scopes;
	size_t cnt;

	if (view_scopes(p->v, g, metric, "resource:", &scopes, &cnt))
		return all;
	for (size_t i = 0; i < cnt; i++) {
		struct span s = view_span(p->v, row, metric, scopes[i]);

		if (!s.has)
			continue;
		all.min = all.has ? fmin(all.min, s.min) : s.min;
		all.max = all.has ? fmax(all.max, s.max) : s.max;
		all.seeds += s.seeds;
		all.has = true;
	}
	free(scopes);
	return all;
}

static void put_counts(struct page *p, const double *v, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (v[i] > 0)
			fprintf(p->f, "<td>%.0f</td>", v[i]);
		else
			fputs("<td class=\"none\">0</td>", p->f);
}

static void put_matrix_row(struct page *p, const struct stale_quad *q, const struct view_group *g,
			   const char *form, const char *contestant)
{
	const struct view_row *row = stale_row(g, contestant);
	struct stale_said s;
	struct span events, ns;

	if (!row)
		return;
	s = stale_said_of(p->v, row);
	events = latency_of(p, g, row, "stale.resource.latency_events");
	ns = latency_of(p, g, row, "stale.resource.latency_ns");
	fputs("<tr>", p->f);
	put_id(p, q);
	fprintf(p->f, "<td class=\"words\">%s</td>", form);
	put_counts(p, s.stale, 3);
	put_counts(p, s.valid, 3);
	put_counts(p, (const double[]){s.detected, s.localised, s.alarms}, 3);
	page_span(p, &events, FIGURE_COUNT);
	page_span(p, &ns, FIGURE_COUNT);
	fputs("</tr>\n", p->f);
}

static void put_matrix(struct page *p, const struct stale_view *x, const char *contestant)
{
	fputs("<details><summary>Every count of ", p->f);
	put_contestant(p, contestant);
	fputs("</summary>\n<div class=\"wide fit\" role=\"region\" tabindex=\"0\" "
	      "aria-label=\"Confusion\"><table><caption class=\"hidden\">Confusion by "
	      "quad</caption><thead>"
	      "<tr><th scope=\"col\" rowspan=\"2\">quad</th><th scope=\"col\" rowspan=\"2\" "
	      "class=\"words\">form</th><th scope=\"colgroup\" colspan=\"3\">stale, and said to "
	      "be</th><th scope=\"colgroup\" colspan=\"3\">valid, and said to be</th>"
	      "<th scope=\"col\" rowspan=\"2\">found</th><th scope=\"col\" rowspan=\"2\">named</th>"
	      "<th scope=\"col\" rowspan=\"2\">false alarms</th>"
	      "<th scope=\"col\" rowspan=\"2\">latency, events</th>"
	      "<th scope=\"col\" rowspan=\"2\">latency, ns</th></tr>\n<tr>",
	      p->f);
	for (unsigned i = 0; i < 2; i++)
		fputs("<th scope=\"col\">kept</th><th scope=\"col\">suspect</th>"
		      "<th scope=\"col\">stale</th>",
		      p->f);
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t i = 0; i < x->quad_cnt; i++) {
		put_matrix_row(p, &x->quads[i], x->quads[i].mutant, "mutant", contestant);
		put_matrix_row(p, &x->quads[i], x->quads[i].twin, "twin", contestant);
	}
	fputs("</tbody></table></div></details>\n", p->f);
}

int page_quads(struct page *p, const struct stale_view *x)
{
	fputs("<h3>Quad by quad</h3>\n<p>The worst that was said of the mutant's stale resources: "
	      "<span class=\"good\">stale</span> or <span class=\"good\">suspect</span> in green "
	      "where each was found out, <span class=\"bad\">kept</span> where nobody noticed, "
	      "<span class=\"quiet\">quiet</span> where nothing is stale. <span "
	      "class=\"bad\">+N</span>: false alarms on mutant and twin.</p>\n",
	      p->f);
	if (x->witnessed_cnt)
		put_grid(p, x, 0, x->witnessed_cnt,
			 "Witnessed quads: the denominator of detection");
	if (x->witnessed_cnt < x->quad_cnt)
		put_grid(p, x, x->witnessed_cnt, x->quad_cnt,
			 "Quads without a witness: controls, and changes that the evidence may not "
			 "show. Not in the denominator.");
	fputs("<p>Resources are counted once a seed. Latency runs from the first act that "
	      "contradicts the manifest; of what was never found out it runs to the end.</p>\n",
	      p->f);
	for (size_t c = 0; c < x->contestant_cnt; c++)
		put_matrix(p, x, x->contestants[c]);
	return 0;
}
