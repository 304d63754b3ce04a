/* SPDX-License-Identifier: BSD-2-Clause */
/* Accuracy against cost: points, and the line that joins those whom nobody beats at both. */
#include <math.h>

#include "results/plots_parts.h"
#include "results/text.h"

/* The two questions that a profiler may answer. */
enum { HANDOFFS, PROFILES, QUESTION_CNT };

struct point {
	const struct cost_row *row;
	double cost, accuracy;
};

static bool point_of(const struct cost_row *row, unsigned question, struct point *ret)
{
	bool has = question == HANDOFFS ? row->has_f1 : row->has_profile;

	ret->row = row;
	ret->accuracy = question == HANDOFFS ? row->f1 : row->profile;
	return has && cost_headline(row, &ret->cost);
}

static void put_point(FILE *gp, const struct point *p)
{
	const struct cost_row *row = p->row;

	if (row->has_paired)
		fprintf(gp, "%.4f %.4f %.4f %.6f\n", p->cost * 100, row->lo * 100, row->hi * 100,
			p->accuracy);
	else
		fprintf(gp, "%.4f NaN NaN %.6f\n", p->cost * 100, p->accuracy);
}

static void say_point(FILE *alt, const struct point *p, unsigned question, size_t before)
{
	char buf[NUMBER_LEN];

	fprintf(alt, "%s%s%s: accuracy %s for %.3g %%", before ? "; " : " ",
		view_label(&p->row->as), question == PROFILES ? ", profile" : "",
		number_ratio(buf, p->accuracy), p->cost * 100);
}

static size_t put_points(const struct cost_row *rows, size_t cnt, FILE *gp, FILE *alt)
{
	size_t n = 0;

	fputs("$D << EOD\n", gp);
	for (unsigned q = 0; q < QUESTION_CNT; q++)
		for (size_t i = 0; i < cnt; i++) {
			struct point p;

			if (!point_of(&rows[i], q, &p))
				continue;
			put_point(gp, &p);
			say_point(alt, &p, q, n++);
		}
	fputs("EOD\n", gp);
	return n;
}

/* Circles answer for handoffs, squares for profiles. */
static void put_styles(const struct cost_row *rows, size_t cnt, FILE *gp)
{
	size_t at = 0;

	for (unsigned q = 0; q < QUESTION_CNT; q++)
		for (size_t i = 0; i < cnt; i++) {
			struct point p;
			unsigned colour;
			int type;

			if (!point_of(&rows[i], q, &p))
				continue;
			plot_style(&rows[i].as, &type, &colour);
			at++;
			fprintf(gp, "Type[%zu] = %d\nColour[%zu] = 0x%06x\nName[%zu] = \"", at,
				q == HANDOFFS ? 7 : 5, at, colour, at);
			plot_label(gp, &rows[i].as);
			fprintf(gp, "%s\"\n", q == PROFILES ? ", profile" : "");
		}
}

/* The cheapest point that is better than `above` and dearer than `cost`, or as dear. */
static bool next_point(const struct cost_row *rows, size_t cnt, unsigned question, double above,
		       struct point *ret)
{
	bool found = false;

	for (size_t i = 0; i < cnt; i++) {
		struct point p;

		if (!point_of(&rows[i], question, &p) || p.accuracy <= above)
			continue;
		if (!found || p.cost < ret->cost ||
		    (p.cost <= ret->cost && p.accuracy > ret->accuracy))
			*ret = p;
		found = true;
	}
	return found;
}

/* One line a question, a blank one between them. */
static void put_frontier(const struct cost_row *rows, size_t cnt, FILE *gp)
{
	fputs("$F << EOD\n", gp);
	for (unsigned q = 0; q < QUESTION_CNT; q++) {
		double above = -INFINITY;
		struct point p;

		while (next_point(rows, cnt, q, above, &p)) {
			fprintf(gp, "%.4f %.6f\n", p.cost * 100, p.accuracy);
			above = p.accuracy;
		}
		fputs("\n", gp);
	}
	fputs("EOD\n", gp);
}

size_t plot_frontier(const struct cost_row *rows, size_t cnt, FILE *gp, FILE *alt)
{
	size_t n;

	fprintf(alt, "Accuracy against added CPU on %s.", cnt ? rows->cell->workload : "nothing");
	n = put_points(rows, cnt, gp, alt);
	fprintf(gp, "N = %zu\narray Name[N]\narray Type[N]\narray Colour[N]\n", n);
	put_styles(rows, cnt, gp);
	put_frontier(rows, cnt, gp);
	return n;
}
