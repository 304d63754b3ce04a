/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the measurement sound? What oracle, liar, null and the floors must score. */
#include "results/page.h"

#include <string.h>

#include "results/floors.h"
#include "results/text.h"

/* A profiler whose figure is known beforehand. */
struct expectation {
	const char *profiler, *metric, *says;
	double value;
};

static const struct expectation expectations[] = {
	{"oracle", "handoff.context.precision", "oracle has precision 1", 1},
	{"oracle", "handoff.context.recall", "oracle has recall 1", 1},
	{"liar", "handoff.context.precision", "liar has precision 0", 0},
	{"null", "handoff.context.recall", "null has recall 0", 0},
};

static void put_result(struct page *p, const char *says, size_t seen, size_t failed)
{
	fputs("<li>", p->f);
	if (!seen)
		fputs("<span class=\"none\">not measured</span>: ", p->f);
	else if (failed)
		fprintf(p->f, "<strong class=\"bad\">no, on %zu of %zu</strong>: ", failed, seen);
	else
		fprintf(p->f, "<span class=\"good\">yes, on %zu of %zu</span>: ", seen, seen);
	fprintf(p->f, "%s", says);
}

static void check_expectation(struct page *p, const struct expectation *e)
{
	size_t seen = 0, failed = 0;

	for (size_t g = 0; g < p->v->group_cnt; g++) {
		const struct view_group *group = &p->v->groups[g];

		for (size_t r = 0; r < group->row_cnt; r++) {
			const struct view_row *row = &group->rows[r];
			struct span s;

			if (row->rank == RANK_PROFILER || strcmp(view_label(row), e->profiler))
				continue;
			s = view_span(p->v, row, e->metric, "all");
			seen += s.has;
			failed += s.has && (s.min != e->value || s.max != e->value);
		}
	}
	put_result(p, e->says, seen, failed);
	fputs("</li>\n", p->f);
}

static void check_floors(struct page *p)
{
	struct floor_best best = {.f1 = -1}, one;
	size_t seen = 0, failed = 0;
	char buf[NUMBER_LEN];

	for (size_t g = 0; g < p->v->group_cnt; g++) {
		if (!view_is_plain(&p->v->groups[g]) || floors_may_work(p->v->groups[g].workload) ||
		    !floors_best(p->v, &p->v->groups[g], &one))
			continue;
		seen++;
		failed += one.f1 > FLOOR_LIMIT;
		if (one.f1 > best.f1)
			best = one;
	}
	put_result(p,
		   "the best guess stays at F1 0.7 or less, but where all happens on one thread, "
		   "so that guessing is easy",
		   seen, failed);
	if (best.row) {
		fputs(" (highest: ", p->f);
		page_text(p, view_label(best.row));
		fprintf(p->f, ", %s on ", number_ratio(buf, best.f1));
		page_group_name(p, best.group);
		putc(')', p->f);
	}
	fputs("</li>\n", p->f);
}

void page_checks(struct page *p)
{
	fputs("<h3>Is the measurement sound?</h3>\n<ul class=\"checks\">\n", p->f);
	for (size_t i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++)
		check_expectation(p, &expectations[i]);
	check_floors(p);
	fprintf(p->f,
		"<li><span class=\"good\">yes</span>: all %zu planned cells ended in one of "
		"the six states</li>\n</ul>\n",
		p->v->run->cell_cnt);
}
