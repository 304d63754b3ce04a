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

static const struct {
	const char *division, *title;
} divisions[] = {
	{"attach", "Profilers that attach: the binary is untouched"},
	{"binary", "Profilers that may read the binary beforehand"},
	{"source", "Profilers that need the source"},
	{"rebuild", "Profilers that need a rebuilt binary"},
};

enum { DIVISION_CNT = sizeof(divisions) / sizeof(divisions[0]) };

size_t division_order(const struct view_row *row)
{
	size_t i = 0;

	while (i < DIVISION_CNT && strcmp(divisions[i].division, row->division))
		i++;
	return i;
}

const char *division_title(const struct view_row *row)
{
	size_t i = division_order(row);

	if (row->rank == RANK_CEILING)
		return "Ceiling: made from the truth itself";
	if (row->rank == RANK_LIAR)
		return "Liar: false on purpose";
	if (row->rank == RANK_FLOOR)
		return "Floors: what guessing reaches";
	return i < DIVISION_CNT ? divisions[i].title : row->division;
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

static char *number(char buf[static NUMBER_LEN], double v, enum figure_kind kind)
{
	if (kind == FIGURE_RATIO)
		return number_ratio(buf, v);
	if (v >= 0 && v == trunc(v) && v < 9007199254740992.0)
		return number_count(buf, (uint64_t)v, THIN);
	snprintf(buf, NUMBER_LEN, "%.4g", v);
	return buf;
}

/* A range may break behind its dash, and is one number where both ends read the same. */
static void put_range(FILE *f, const struct span *s, enum figure_kind kind)
{
	char lo[NUMBER_LEN], hi[NUMBER_LEN];

	number(lo, s->min, kind);
	number(hi, s->max, kind);
	if (strcmp(lo, hi))
		fprintf(f, "%s" DASH "<wbr/>%s", lo, hi);
	else
		fputs(lo, f);
}

static void put_hint(FILE *f, const struct span *s, enum figure_kind kind)
{
	char buf[NUMBER_LEN];

	if (!s->seeds)
		fputs(" title=\"not measured\"", f);
	else if (!s->has)
		fputs(" title=\"nothing to divide by\"", f);
	else if (kind == FIGURE_RATIO && s->n)
		fprintf(f, " title=\"of %s\"", number_count(buf, s->n, THIN));
}

void page_span(struct page *p, const struct span *s, enum figure_kind kind)
{
	page_span_of(p, s, kind, NULL);
}

void page_span_of(struct page *p, const struct span *s, enum figure_kind kind,
		  const struct span *cover)
{
	fputs("<td", p->f);
	put_hint(p->f, s, kind);
	if (!s->has) {
		fputs(" class=\"none\">" DASH "</td>", p->f);
		return;
	}
	if (kind == FIGURE_RATIO && s->min >= 0 && s->min <= 1)
		fprintf(p->f, " class=\"bar\" style=\"--v:%.4f\"", s->min);
	putc('>', p->f);
	put_range(p->f, s, kind);
	if (s->partly)
		fputs("<span class=\"quiet\" title=\"0/0 for some seeds\">*</span>", p->f);
	if (s->has_interval && s->lo < s->hi) {
		struct span interval = {.has = true, .min = s->lo, .max = s->hi};

		fputs(" <small>", p->f);
		put_range(p->f, &interval, kind);
		fputs("</small>", p->f);
	}
	if (cover && cover->has && cover->min < 1) {
		fputs("<br/><small>cover ", p->f);
		put_range(p->f, cover, FIGURE_RATIO);
		fputs("</small>", p->f);
	}
	fputs("</td>", p->f);
}

static const char *short_ratio(char buf[static NUMBER_LEN], double v)
{
	if (v == 0)
		return "0";
	return v == 1 ? "1" : number_ratio(buf, v);
}

void page_ratio(struct page *p, const struct span *s)
{
	char lo[NUMBER_LEN], hi[NUMBER_LEN];
	const char *low = short_ratio(lo, s->min), *high = short_ratio(hi, s->max);

	if (!s->has)
		fputs("none", p->f);
	else if (strcmp(low, high))
		fprintf(p->f, "<b>%s" DASH "%s</b>", low, high);
	else
		fprintf(p->f, "<b>%s</b>", low);
}

void page_count(struct page *p, double v)
{
	char buf[NUMBER_LEN];

	fputs(number(buf, v, FIGURE_COUNT), p->f);
}
