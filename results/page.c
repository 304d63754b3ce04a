/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces that several sections of the page are made of. */
#include "results/page.h"

#include <math.h>
#include <string.h>

#include "results/text.h"

/* A narrow no-break space between thousands. */
#define THIN "\xe2\x80\xaf"
#define DASH "\xe2\x80\x93"

void page_text(struct page *p, const char *s)
{
	text_html(p->f, s);
}

void page_group_name(struct page *p, const struct view_group *g)
{
	const struct {
		const char *what, *word;
	} more[] = {{"variant", view_unusual(g->variant)},
		    {"regime", view_unusual(g->regime)},
		    {"binding", view_unusual(g->binding)}};

	page_text(p, g->workload);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (!*more[i].word)
			continue;
		fprintf(p->f, " <span class=\"quiet\">%s</span> ", more[i].what);
		page_text(p, more[i].word);
	}
}

void page_row_name(struct page *p, const struct view_row *row)
{
	fputs("<th scope=\"row\">", p->f);
	page_text(p, view_label(row));
	if (row->live)
		fputs(" <span class=\"live\">live</span>", p->f);
	fputs("</th>", p->f);
}

const char *division_title(const struct view_row *row)
{
	static const struct {
		const char *division, *title;
	} titles[] = {
		{"attach", "Profilers that attach: the binary is untouched"},
		{"binary", "Profilers that may read the binary beforehand"},
		{"source", "Profilers that need the source"},
		{"rebuild", "Profilers that need a rebuilt binary"},
	};

	if (row->rank == RANK_CEILING)
		return "Ceiling: made from the truth itself";
	if (row->rank == RANK_LIAR)
		return "Liar: false on purpose";
	if (row->rank == RANK_FLOOR)
		return "Floors: what guessing reaches";
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].division, row->division))
			return titles[i].title;
	return row->division;
}

bool same_division(const struct view_row *a, const struct view_row *b)
{
	return a->rank == b->rank && !strcmp(a->division, b->division);
}

void page_division(struct page *p, const struct view_row *row, size_t columns)
{
	fprintf(p->f, "<tr class=\"division\"><th scope=\"rowgroup\" colspan=\"%zu\"><span>",
		columns);
	page_text(p, division_title(row));
	fputs("</span></th></tr>\n", p->f);
}

static void put_number(FILE *f, double v, bool ratio)
{
	char buf[NUMBER_LEN];

	if (ratio)
		fputs(number_ratio(buf, v), f);
	else if (v >= 0 && v == trunc(v) && v < 9007199254740992.0)
		fputs(number_count(buf, (uint64_t)v, THIN), f);
	else
		fputs(number_exact(buf, v), f);
}

static void put_range(FILE *f, const struct span *s, bool ratio)
{
	put_number(f, s->min, ratio);
	if (s->min == s->max)
		return;
	fputs(DASH, f);
	put_number(f, s->max, ratio);
}

static void put_hint(FILE *f, const struct span *s, bool ratio)
{
	char buf[NUMBER_LEN];

	if (!s->seeds)
		fputs(" title=\"not measured\"", f);
	else if (!s->has)
		fputs(" title=\"nothing to divide by\"", f);
	else if (ratio && s->n)
		fprintf(f, " title=\"of %s\"", number_count(buf, s->n, THIN));
}

void page_span(struct page *p, const struct span *s, bool ratio)
{
	fputs("<td", p->f);
	put_hint(p->f, s, ratio);
	if (!s->has) {
		fputs(" class=\"none\">" DASH "</td>", p->f);
		return;
	}
	if (ratio && s->min >= 0 && s->min <= 1)
		fprintf(p->f, " class=\"bar\" style=\"--v:%.4f\"", s->min);
	putc('>', p->f);
	put_range(p->f, s, ratio);
	if (s->partly)
		fputs("<span class=\"quiet\" title=\"0/0 for some seeds\">*</span>", p->f);
	if (s->has_interval) {
		struct span interval = {.has = true, .min = s->lo, .max = s->hi};

		fputs(" <small>", p->f);
		put_range(p->f, &interval, ratio);
		fputs("</small>", p->f);
	}
	fputs("</td>", p->f);
}

static void short_ratio(FILE *f, double v)
{
	char buf[NUMBER_LEN];

	if (v == 0 || v == 1)
		fprintf(f, "%.0f", v);
	else
		fputs(number_ratio(buf, v), f);
}

void page_ratio(struct page *p, const struct span *s)
{
	if (!s->has) {
		fputs("none", p->f);
		return;
	}
	fputs("<b>", p->f);
	short_ratio(p->f, s->min);
	if (s->min != s->max) {
		fputs(DASH, p->f);
		short_ratio(p->f, s->max);
	}
	fputs("</b>", p->f);
}

void page_count(struct page *p, double v)
{
	put_number(p->f, v, false);
}
