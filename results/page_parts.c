/* SPDX-License-Identifier: BSD-2-Clause */
/* The other chapters of a score: a table each, or a line that says which do not apply here. */
#include "results/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *part_metric(char ret[static METRIC_LEN], const struct part *part,
			 const struct figure *f)
{
	snprintf(ret, METRIC_LEN, "%s.%s", part->metric, f->name);
	return ret;
}

/* The scopes of a part in a group, sorted, without doubles. */
static int scopes_of(struct page *p, const struct view_group *g, const struct part *part,
		     const char ***ret, size_t *ret_cnt)
{
	char metric[METRIC_LEN];

	return view_scopes(p->v, g, part_metric(metric, part, &part->figures[0]), part->scope, ret,
			   ret_cnt);
}

/* True if the row says anything but noughts; marks its figures as shown. */
static bool says_something(struct page *p, const struct view_row *row, const struct part *part,
			   const char *scope)
{
	char metric[METRIC_LEN];
	bool says = false;

	for (size_t i = 0; i < part->cnt; i++) {
		struct span s;

		s = view_span(p->v, row, part_metric(metric, part, &part->figures[i]), scope);
		says |= s.has && (s.min != 0 || s.max != 0);
	}
	return says;
}

static bool applies(struct page *p, const struct view_group *g, const struct part *part,
		    const char **scopes, size_t cnt)
{
	bool says = false;

	for (size_t r = 0; r < g->row_cnt; r++)
		for (size_t i = 0; i < cnt; i++)
			says |= says_something(p, &g->rows[r], part, scopes[i]);
	return says;
}

static void put_row(struct page *p, const struct view_row *row, const struct part *part,
		    const char *scope, bool named)
{
	const char *word = strchr(scope, ':');
	char metric[METRIC_LEN];

	fputs("<tr>", p->f);
	page_row_name(p, row);
	if (named) {
		fputs("<th scope=\"row\">", p->f);
		page_text(p, *part->scope && word ? word + 1 : scope);
		fputs("</th>", p->f);
	}
	for (size_t i = 0; i < part->cnt; i++) {
		const struct figure *f = &part->figures[i];
		struct span s = view_span(p->v, row, part_metric(metric, part, f), scope);

		page_span(p, &s, f->kind);
	}
	fputs("</tr>\n", p->f);
}

static void put_reading(struct page *p, const struct part *part)
{
	fputs("<dl class=\"reading\">\n", p->f);
	for (size_t i = 0; i < part->cnt; i++)
		fprintf(p->f, "<div><dt>%s</dt><dd>%s</dd></div>\n", part->figures[i].head,
			part->figures[i].about);
	fputs("</dl></details>\n", p->f);
}

static void put_table(struct page *p, const struct view_group *g, const struct part *part,
		      const char **scopes, size_t cnt)
{
	bool named = strcmp(part->scope, "all") != 0;

	fprintf(p->f,
		"<details class=\"split\"><summary>%s</summary>\n<p>%s</p>\n"
		"<div class=\"wide fit\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>"
		"<caption class=\"hidden\">%s</caption><thead><tr><th "
		"scope=\"col\">profiler</th>%s",
		part->title, part->about, part->title, part->title,
		named ? "<th scope=\"col\">which</th>" : "");
	for (size_t i = 0; i < part->cnt; i++)
		fprintf(p->f, "<th scope=\"col\" title=\"%s\">%s</th>", part->figures[i].about,
			part->figures[i].head);
	fputs("</tr></thead>\n<tbody>", p->f);
	for (size_t r = 0; r < g->row_cnt; r++)
		for (size_t i = 0; i < cnt; i++)
			put_row(p, &g->rows[r], part, scopes[i], named);
	fputs("</tbody></table></div>\n", p->f);
	put_reading(p, part);
}

/* 1: shown, 0: does not apply, negative: error. */
static int put_part(struct page *p, const struct view_group *g, const struct part *part)
{
	const char **scopes;
	size_t cnt;
	bool shown;

	if (scopes_of(p, g, part, &scopes, &cnt))
		return -ENOMEM;
	shown = applies(p, g, part, scopes, cnt);
	if (shown)
		put_table(p, g, part, scopes, cnt);
	free(scopes);
	return shown;
}

int page_parts(struct page *p, const struct view_group *g)
{
	const char *idle[32];
	size_t n = 0;

	for (size_t i = 0; i < part_cnt; i++) {
		int shown = put_part(p, g, &parts[i]);

		if (shown < 0)
			return shown;
		if (!shown && n < sizeof(idle) / sizeof(idle[0]))
			idle[n++] = parts[i].title;
	}
	if (!n)
		return 0;
	fputs("<p class=\"quiet\">Nothing to score on this workload: ", p->f);
	for (size_t i = 0; i < n; i++)
		fprintf(p->f, "%s%c%s", i ? "; " : "", idle[i][0] + ('a' - 'A'), idle[i] + 1);
	fputs(".</p>\n", p->f);
	return 0;
}
