/* SPDX-License-Identifier: BSD-2-Clause */
/* Profilers under loss: the terminal's table and the page's section. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct lossy {
	const char *profiler, *regime;
	double claims, false_joins, explained;
};

static const struct lossy lossy[] = {
	{"honest", "drop:20:silent", 80, 0, 1},	 {"honest", "drop:5:silent", 95, 0, 1},
	{"honest", "clean", 100, 0, 0},		 {"guess", "clean", 100, .25, 0},
	{"guess", "drop:20:silent", 90, .75, 0}, {"guess", "drop:5:silent", 98, .5, 0},
	{"silent", "drop:20:silent", 0, 0, 0},	 {"silent", "clean", 0, 0, 0},
};

enum { LOSSY_CNT = sizeof(lossy) / sizeof(lossy[0]) };

static void put_figure(struct fixture *f, const struct lossy *l, const char *cell,
		       const char *metric, const char *scope, double v, uint64_t seed)
{
	struct figure_row row = {.run = "r-1",
				 .cell = cell,
				 .workload = "uring",
				 .variant = "base",
				 .profiler = l->profiler,
				 .division = "attach",
				 .regime = l->regime,
				 .binding = "-",
				 .seed = seed,
				 .metric = metric,
				 .scope = scope,
				 .has_value = true,
				 .value = v,
				 .n = 100,
				 .status = "ok"};
	struct diag d;

	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static void add_cell(struct fixture *f, const struct lossy *l, uint64_t seed)
{
	char cell[96];

	snprintf(cell, sizeof(cell), "uring.%s.%.4s%s.s%d", l->profiler, l->regime,
		 strchr(l->regime, ':') ? strchr(l->regime, ':') + 1 : "", (int)seed);
	fprintf(f->plan, "%s\tjoin\turing\tbase\t%s\tattach\t%s\t-\t%d\t-\t-\n", cell, l->profiler,
		l->regime, (int)seed);
	fixture_status(f, cell, "ok");
	put_figure(f, l, cell, "cell.scored", "all", 1, seed);
	put_figure(f, l, cell, "handoff.context.claims", "all", l->claims, seed);
	put_figure(f, l, cell, "handoff.context.claims", "declared", l->claims, seed);
	put_figure(f, l, cell, "handoff.context.false_join_rate", "declared", l->false_joins, seed);
	put_figure(f, l, cell, "loss.explained_share", "all", l->explained, seed);
	put_figure(f, l, cell, "loss.in_gap_share", "all", 0.0625, seed);
	put_figure(f, l, cell, "loss.informedness", "all", -0.25, seed);
}

static void make_run(struct fixture *f, const char *only)
{
	fixture_begin(f);
	for (size_t i = 0; i < LOSSY_CNT; i++)
		if (!only || !strcmp(lossy[i].regime, only))
			add_cell(f, &lossy[i], 1);
	fixture_end(f);
}

static char *table_of(const char *only)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	make_run(&f, only);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_remove(&f);
	return text;
}

static char *page_of(const char *only)
{
	struct fixture f;
	struct diag d;
	char *text;

	make_run(&f, only);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	text = fixture_read(&f, "report.html");
	fixture_remove(&f);
	return text;
}

Test(results_loss, table_has_the_regimes_by_how_much_they_take)
{
	char *text = table_of(NULL);

	fixture_line(text, "under loss, false joins",
		     "clean drop:5 drop:20 explained in gaps informed");
	fixture_line(text, "  uring honest", "0.0000 0.0000 0.0000 1.0000 0.0625 -0.2500");
	fixture_line(text, "  uring guess", "0.2500 0.5000 0.7500 0.0000 0.0625 -0.2500");
	free(text);
}

/* The least that was explained stands beside the most that was joined falsely. */
Test(results_loss, of_several_seeds_the_table_has_the_worst)
{
	const struct lossy better = {
		.regime = "drop:20:silent", .profiler = "causal", .claims = 50, .explained = 0.875};
	struct lossy worse = better, clean = better;
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	worse.explained = 0.25;
	worse.false_joins = 0.5;
	clean.regime = "clean";
	fixture_begin(&f);
	add_cell(&f, &clean, 1);
	add_cell(&f, &better, 1);
	add_cell(&f, &worse, 2);
	fixture_end(&f);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_line(text, "  uring causal", "0.0000 0.5000 0.2500 0.0625 -0.2500");
	cr_expect(strstr(text, "in the other tables the worst"));
	free(text);
	fixture_remove(&f);
}

Test(results_loss, leaves_out_who_joins_nothing)
{
	char *text = table_of(NULL);

	cr_expect(!strstr(text, "uring silent"), "%s", text);
	free(text);
}

Test(results_loss, cells_under_loss_are_no_rows_of_the_scores)
{
	char *text = table_of(NULL), *clean = table_of("clean");
	const char *at = strstr(text, "under loss");

	cr_assert(at);
	cr_expect(!strncmp(text, clean, (size_t)(at - text)), "%s\n%s", text, clean);
	free(text);
	free(clean);
}

Test(results_loss, nothing_is_said_of_loss_where_there_was_none)
{
	char *text = table_of("clean"), *page = page_of("clean");

	cr_expect(!strstr(text, "under loss"), "%s", text);
	cr_expect(!strstr(page, "id=\"loss\""));
	cr_expect(!strstr(page, "#loss"));
	free(text);
	free(page);
}

Test(results_loss, page_shows_every_regime_of_those_who_join)
{
	char *page = page_of(NULL), *section = strstr(page, "<section id=\"loss\">"), *end;

	cr_assert(section);
	end = strstr(section, "</section>");
	cr_assert(end);
	*end = '\0';
	cr_expect(strstr(section, "<th scope=\"col\">clean</th><th scope=\"col\">drop:5:silent</th>"
				  "<th scope=\"col\">drop:20:silent</th>"));
	cr_expect(strstr(section, ">honest"));
	cr_expect(strstr(section, "0.7500"));
	cr_expect(!strstr(section, ">silent"));
	free(page);
}
