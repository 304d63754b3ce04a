/* SPDX-License-Identifier: BSD-2-Clause */
/* Regimes that apply while a cell runs, and candidates: tables of their own. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

#define LONG "a-profiler-with-quite-a-long-name"

static void add_cell(struct fixture *f, const char *kind, const char *regime, const char *profiler,
		     uint64_t seed, const char *metric, const char *scope, double value)
{
	struct figure_row row = {.run = "r-1",
				 .workload = "pool",
				 .variant = "base",
				 .profiler = profiler,
				 .division = "attach",
				 .regime = regime,
				 .binding = "stamped",
				 .seed = seed,
				 .has_value = true,
				 .n = 1,
				 .status = "ok"};
	char cell[96];
	struct diag d;

	snprintf(cell, sizeof(cell), "pool.%s.%.5s.%s.%lu", profiler, regime, kind,
		 (unsigned long)seed);
	row.cell = cell;
	fprintf(f->plan, "%s\t%s\tpool\tbase\t%s\tattach\t%s\tstamped\t%lu\t-\t-\n", cell, kind,
		profiler, regime, (unsigned long)seed);
	fixture_status(f, cell, "ok");
	row.metric = "cell.scored";
	row.scope = "all";
	row.value = 1;
	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	row.metric = metric;
	row.scope = scope;
	row.value = value;
	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static void make_run(struct fixture *f)
{
	fixture_begin(f);
	add_cell(f, "join", "late-attach", "honest", 1, "one_ended.joined", "all", 0);
	add_cell(f, "join", "late-attach", "guess", 1, "one_ended.joined", "all", 5451);
	add_cell(f, "live", "late-attach", "honest", 1, "one_ended.joined", "all", 3);
	add_cell(f, "live", "small-buffers", LONG, 1, "one_ended.joined", "all", 4);
	add_cell(f, "join", "candidates:0.5", "honest", 1, "stale.detection_rate", "all", 1);
	add_cell(f, "join", "candidates:0.5", "honest", 2, "stale.detection_rate", "all", 0.5);
	fixture_end(f);
}

static char *table(void)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	make_run(&f);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_remove(&f);
	return text;
}

Test(results_hard, a_join_of_what_began_before_is_shown)
{
	char *text = table();

	cr_expect(strstr(text, "made hard while it ran"), "%s", text);
	fixture_line(text, "  pool late-attach honest  ", "- - - - 0 -");
	fixture_line(text, "  pool late-attach guess", "- - - - 5451 -");
	free(text);
}

Test(results_hard, a_recording_and_a_live_cell_are_told_apart)
{
	char *text = table();

	fixture_line(text, "  pool late-attach honest live", "- - - - 3 -");
	fixture_line(text, "  pool small-buffers a-profile", "… live - - - - 4 -");
	free(text);
}

Test(results_hard, the_tables_fit_into_80_columns)
{
	char *text = table();

	for (const char *at = strstr(text, "made hard"), *end; (end = strchr(at, '\n'));
	     at = end + 1)
		cr_expect(end - at <= 80 + (memchr(at, 0xe2, (size_t)(end - at)) ? 2 : 0), "%.*s",
			  (int)(end - at), at);
	free(text);
}

Test(results_hard, of_several_seeds_the_least_that_was_rejected_is_shown)
{
	char *text = table();

	cr_expect(strstr(text, "planted candidates"), "%s", text);
	fixture_line(text, "  pool candidates:0.5 honest", "0.5000 -");
	cr_expect(!strstr(text, "under loss"), "no regime of loss:\n%s", text);
	free(text);
}

Test(results_hard, page_has_both_tables)
{
	struct fixture f;
	struct diag d;
	char *text;

	make_run(&f);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	text = fixture_read(&f, "report.html");
	fixture_remove(&f);
	cr_expect(strstr(text, "<section id=\"hard\">"));
	cr_expect(strstr(text, "<caption>Small buffers, late attach, pressure"));
	cr_expect(strstr(text, "<caption>Planted candidates"));
	cr_expect(strstr(text, "5,451") || strstr(text, "5451"));
	free(text);
}
