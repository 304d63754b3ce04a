/* SPDX-License-Identifier: BSD-2-Clause */
/* A drawing of many profilers: each is to be told from the others, and no name hides a point. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

enum { CROWD = 14 };

static void put(struct fixture *f, const char *cell, const char *profiler, const char *metric,
		const char *scope, double v)
{
	struct figure_row row = {.run = "r-1",
				 .cell = cell,
				 .workload = "wake",
				 .variant = "base",
				 .profiler = profiler,
				 .division = "attach",
				 .regime = "clean",
				 .binding = "-",
				 .seed = 1,
				 .metric = metric,
				 .scope = scope,
				 .has_value = true,
				 .value = v,
				 .n = 100,
				 .status = "ok"};
	struct diag d;

	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static void make_crowd(struct fixture *f)
{
	fixture_begin(f);
	for (unsigned i = 0; i < CROWD; i++) {
		char name[16], cell[32];

		snprintf(name, sizeof(name), "p%02u", i);
		snprintf(cell, sizeof(cell), "wake.%s", name);
		fprintf(f->plan, "%s\tjoin\twake\tbase\t%s\tattach\tclean\t-\t1\t-\t-\n", cell,
			name);
		fixture_status(f, cell, "ok");
		put(f, cell, name, "cell.scored", "all", 1);
		put(f, cell, name, "handoff.context.claims", "all", 100);
		put(f, cell, name, "handoff.context.precision", "declared", 0.9);
		put(f, cell, name, "handoff.context.recall", "declared", 0.05 * i);
	}
	fixture_end(f);
}

/* The number behind the last "translate(" before a place. */
static double left_of(const char *from, const char *place)
{
	static const char word[] = "translate(";
	const char *last = NULL;

	for (const char *at = from; (at = strstr(at, word)) && at < place; at++)
		last = at;
	cr_assert(last);
	return strtod(last + strlen(word), NULL);
}

Test(results_plots, names_of_many_stand_in_one_column_beside_the_points)
{
	struct fixture f;
	struct diag d;
	char *svg;
	double first = 0;

	make_crowd(&f);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	svg = fixture_read(&f, "plots/precision-recall.wake.svg");
	for (unsigned i = 0; i < CROWD; i++) {
		char word[32], *at;

		snprintf(word, sizeof(word), "<text>p%02u</text>", i);
		at = strstr(svg, word);
		cr_assert(at, "%s is not there", word);
		first = i ? first : left_of(svg, at);
		cr_expect_eq(left_of(svg, at), first, "%s", word);
	}
	/* the points end at 0.66 of 520 */
	cr_expect_gt(first, 343);
	free(svg);
	fixture_remove(&f);
}

Test(results_plots, no_two_of_many_look_alike)
{
	char looks[CROWD][64], *gp;
	struct fixture f;
	struct diag d;

	make_crowd(&f);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	gp = fixture_read(&f, "plots/precision-recall.wake.gp");
	for (unsigned i = 0; i < CROWD; i++) {
		char type[32], colour[32], *at, *then;

		snprintf(type, sizeof(type), "Type[%u] = ", i + 1);
		snprintf(colour, sizeof(colour), "Colour[%u] = ", i + 1);
		at = strstr(gp, type);
		then = strstr(gp, colour);
		cr_assert(at && then);
		snprintf(looks[i], sizeof(looks[i]), "%.*s %.8s",
			 (int)strcspn(at + strlen(type), "\n"), at + strlen(type),
			 then + strlen(colour));
		for (unsigned j = 0; j < i; j++)
			cr_expect_str_neq(looks[i], looks[j], "p%02u and p%02u", i, j);
	}
	free(gp);
	fixture_remove(&f);
}
