/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a synthetic run: complete, escaped, well-formed, refused where it must be. */
#include <criterion/criterion.h>
#include <errno.h>

#include "lib/files.h"
#include "lib/vocab.h"
#include "results/report.h"
#include "test_results_fixture.h"

static void expect_refused(const struct fixture *f, int err, const char *word)
{
	struct diag d = {0};
	int got = report_write(f->dir, &d);

	cr_expect_eq(got, err, "%d: %s", got, d.reason);
	cr_expect(strstr(d.reason, word), "\"%s\" does not say \"%s\"", d.reason, word);
	cr_expect_not(fixture_has(f, "report.html"));
	cr_expect_not(fixture_has(f, "report.html.part"));
}

Test(results_report, is_refused_with_the_names_of_cells_without_a_state)
{
	struct fixture f;
	char path[256];

	fixture_make(&f, 1);
	snprintf(path, sizeof(path), "%s/cells/c03.join.s1/status.json", f.dir);
	cr_assert_eq(unlink(path), 0);
	expect_refused(&f, -EINVAL, "1 of 22 planned cells have no state: c03.join.s1");
	fixture_remove(&f);
}

Test(results_report, is_refused_when_scores_name_a_cell_that_was_not_planned)
{
	struct fixture f;
	char *text, *at;

	fixture_make(&f, 1);
	text = fixture_read(&f, "scores.csv");
	at = strstr(text, "c03.join.s1");
	cr_assert(at);
	at[1] = '9';
	fixture_text(&f, "scores.csv", text);
	free(text);
	expect_refused(&f, -EINVAL, "do not belong here");
	fixture_remove(&f);
}

/* Contracts §5.8: an interval over seeds from twelve seeds on, with fewer the range alone. */
Test(results_report, shows_intervals_of_twelve_seeds_and_of_no_fewer)
{
	for (unsigned seeds = 11; seeds <= 12; seeds++) {
		struct fixture f;
		struct diag d;
		char *html;
		FILE *out;

		fixture_make(&f, seeds);
		html = fixture_read(&f, "scores.csv");
		out = fixture_open(&f, "scores.csv");
		fprintf(out,
			"%sr-1,-,uring,base,causal,attach,clean,-,0,handoff.context.f1,declared,"
			"0.99,0.9812,0.9923,%u,ok\n",
			html, seeds);
		cr_assert_eq(fclose(out), 0);
		free(html);
		cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
		html = fixture_read(&f, "report.html");
		cr_expect_eq(strstr(html, "0.9812") != NULL, seeds == 12, "%u seeds", seeds);
		free(html);
		fixture_remove(&f);
	}
}

/* F1 of declared types is 1 for who declares one type and knows it: cover must stand beside. */
Test(results_report, calls_nobody_best_who_is_right_about_little)
{
	struct fixture f;
	struct diag d;
	char *html;

	fixture_make(&f, 1);
	fixture_refigure(&f, "c04.join.s1", ",handoff.context.f1,declared,", "1");
	fixture_refigure(&f, "c04.join.s1", ",handoff.context.f1,all,", "0.08");
	fixture_refigure(&f, "c04.join.s1", ",coverage,all,", "0.0417");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "1.0000<br/><small>cover 0.0417</small>"));
	cr_expect(strstr(html, "best over all handoffs: causal, F1 0.99"));
	cr_expect_not(strstr(html, "best over all handoffs: uring-only"));
	free(html);
	fixture_remove(&f);
}

Test(results_report, counts_who_is_as_good_as_the_best)
{
	struct fixture f;
	struct diag d;
	char *html;

	fixture_make(&f, 1);
	fixture_refigure(&f, "c03.join.s1", ",handoff.context.f1,all,", "1");
	fixture_refigure(&f, "c04.join.s1", ",handoff.context.f1,all,", "1");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "best over all handoffs: causal and 1 as good, F1 1.0000"));
	free(html);
	fixture_remove(&f);
}

/* As on the page and in the terminal: a range of two that read alike is none. */
Test(results_report, latex_has_no_range_of_one_number)
{
	struct fixture f;
	struct diag d;
	char *tex;

	fixture_make(&f, 2);
	fixture_refigure(&f, "c03.join.s1", ",handoff.context.precision,declared,", "0.99991");
	fixture_refigure(&f, "c03.join.s2", ",handoff.context.precision,declared,", "0.99992");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	tex = fixture_read(&f, "tables/scores.tex");
	cr_expect(strstr(tex, "causal & 0.9999 &"), "%s", tex);
	free(tex);
	fixture_remove(&f);
}

Test(results_report, calls_nobody_best_who_is_right_about_nothing)
{
	static const char *const guesses[] = {"c05.join.s1", "c06.join.s1", "c08.join.s1"};
	struct fixture f;
	struct diag d;
	char *html;

	fixture_make(&f, 1);
	for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++)
		fixture_refigure(&f, guesses[i], ",handoff.context.f1,all,", "0");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect_not(strstr(html, "F1 0.0000</span>"));
	cr_expect(strstr(html, "best guess: fifo, F1 "), "on wake");
	free(html);
	fixture_remove(&f);
}

/* Contracts §5.8: what does not add up is not reported. */
Test(results_report, is_refused_when_scores_tell_of_fewer_cells_than_planned)
{
	struct fixture f;
	char *text, *at, *line;
	FILE *out;

	fixture_make(&f, 1);
	text = fixture_read(&f, "scores.csv");
	at = strstr(text, "cell.scored");
	cr_assert(at);
	for (line = at; line[-1] != '\n';)
		line--;
	out = fixture_open(&f, "scores.csv");
	fwrite(text, 1, (size_t)(line - text), out);
	fputs(strchr(at, '\n') + 1, out);
	cr_assert_eq(fclose(out), 0);
	free(text);
	expect_refused(&f, -EINVAL, "tells how 21 of 22 planned cells ended");
	fixture_remove(&f);
}

Test(results_report, is_refused_when_a_cell_ended_otherwise_than_scores_say)
{
	struct fixture f;

	fixture_make(&f, 1);
	fixture_text(
		&f, "cells/c03.join.s1/status.json",
		"{\"cell\":\"c03.join.s1\",\"state\":\"crashed\",\"reason\":\"\",\"cure\":\"\","
		"\"seconds\":1,\"log\":\"log\"}\n");
	expect_refused(&f, -EINVAL, "says \"ok\" of cell c03.join.s1, which ended as crashed");
	fixture_remove(&f);
}

Test(results_report, is_refused_when_one_figure_stands_there_twice)
{
	struct fixture f;
	char *text, *line;
	FILE *out;

	fixture_make(&f, 1);
	text = fixture_read(&f, "scores.csv");
	line = strchr(text, '\n') + 1;
	out = fixture_open(&f, "scores.csv");
	fputs(text, out);
	fwrite(line, 1, strcspn(line, "\n") + 1, out);
	cr_assert_eq(fclose(out), 0);
	free(text);
	expect_refused(&f, -EINVAL, "twice");
	fixture_remove(&f);
}

Test(results_report, escapes_every_word_from_outside)
{
	struct fixture f;
	char *html;
	struct diag d;

	fixture_make(&f, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect_not(strstr(html, "<script"));
	cr_expect_not(strstr(html, "evil<"));
	cr_expect_not(strstr(html, "<x>"));
	cr_expect(strstr(html, "evil&lt;&amp;&quot;&#39;,name&gt;"));
	cr_expect(strstr(html, "strange, &quot;new&quot;\nfigure"));
	free(html);
	fixture_remove(&f);
}

Test(results_report, tells_of_runs_that_only_the_profiler_broke_and_of_doubts_dated_back)
{
	struct fixture f;
	char *html;
	struct diag d;

	fixture_make(&f, 1);
	fixture_text(&f, "cells/c03.join.s1/status.json",
		     "{\"cell\":\"c03.join.s1\",\"state\":\"ok\",\"reason\":\"\",\"cure\":\"\","
		     "\"seconds\":1,\"broken_tries\":2,\"redated\":true,\"undated\":true,\"log\":"
		     "\"log\"}\n");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "2 runs with it were broken"));
	cr_expect(strstr(html, "the doubts of 1 cell could not"));
	cr_expect(strstr(html, "Whether the doubts of 1 cell could be had"));
	free(html);
	fixture_remove(&f);
}

/* Claims of another clock or run are counted nowhere: noughts alone would look like silence. */
Test(results_report, tells_of_claims_of_which_none_could_be_judged)
{
	struct fixture f;
	struct diag d;
	char *html, *text;
	size_t len;
	FILE *out;

	fixture_make(&f, 1);
	text = fixture_read(&f, "scores.csv");
	out = fixture_open(&f, "scores.csv");
	fprintf(out,
		"%sr-1,c07.join.s1,uring,base,null,none,clean,-,1,cell.unjudged,all,7,,,1,ok\n",
		text);
	cr_assert_eq(fclose(out), 0);
	free(text);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "on 2 workloads: no claim that could be judged, so no precision"));
	cr_expect(
		strstr(html, "7 claims not scored</span>: of some cells all are of another time"));
	free(html);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_expect(strstr(text, "    not scored: 7 claims, all of another time or other threads"),
		  "%s", text);
	free(text);
	fixture_remove(&f);
}

/* Two texts for one thing would drift. */
Test(results_report, explains_marks_as_the_manual_does)
{
	struct fixture f;
	struct diag d;
	char *html, *man;
	size_t len;

	fixture_make(&f, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_assert_eq(file_read("man/assay.1", 1 << 20, &man, &len, &d), 0, "%s", d.reason);
	for (unsigned i = 0; i < MARK_CNT; i++) {
		char item[64], line[256];
		const char *at;

		snprintf(item, sizeof(item), ".It Cm %s\n", mark_name(i));
		at = strstr(man, item);
		cr_assert(at, "%s", mark_name(i));
		at += strlen(item);
		snprintf(line, sizeof(line), "<dt>%s</dt><dd>Mark of a handoff: %.*s.</dd>",
			 mark_name(i), (int)strcspn(at, "\n"), at);
		cr_expect(strstr(html, line), "%s", line);
	}
	free(man);
	free(html);
	fixture_remove(&f);
}

Test(results_report, needs_no_resource_from_outside)
{
	static const char *const loads[] = {"src=", "@import", "url(http", "<link", "http-equiv"};
	struct fixture f;
	char *html;
	struct diag d;

	fixture_make(&f, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		cr_expect_not(strstr(html, loads[i]), "the page has %s", loads[i]);
	free(html);
	fixture_remove(&f);
}

Test(results_report, hides_no_figure_of_scores_csv)
{
	struct fixture f;
	char *html;
	struct diag d;

	fixture_make(&f, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "new.chapter"));
	cr_expect(strstr(html, "Honesty about loss"));
	cr_expect(strstr(html, "123\xe2\x80\xaf"
			       "456\xe2\x80\xaf"
			       "789"));
	cr_expect(strstr(html, "Nothing to score on this workload: ") &&
		  strstr(html, "resource events;"));
	cr_expect(strstr(html, "descriptor:&lt;1&gt;"));
	cr_expect(strstr(html, ">multishot<"));
	cr_expect(strstr(html, ">inferred<"));
	free(html);
	fixture_remove(&f);
}

Test(results_report, writes_the_same_bytes_twice)
{
	struct fixture f;
	char *a, *b;
	struct diag d;

	fixture_make(&f, 2);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	a = fixture_read(&f, "report.html");
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	b = fixture_read(&f, "report.html");
	cr_expect_str_eq(a, b);
	free(a);
	free(b);
	fixture_remove(&f);
}

Test(results_report, goes_without_plots_and_says_so_when_gnuplot_is_missing)
{
	struct fixture f;
	char *html;
	struct diag d;

	fixture_make(&f, 1);
	setenv("PATH", f.dir, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	cr_expect(strstr(html, "gnuplot is not installed"));
	cr_expect_not(strstr(html, "<svg"));
	free(html);
	fixture_remove(&f);
}

Test(results_report, writes_plots_and_latex_beside_the_page)
{
	struct fixture f;
	char *tex;
	struct diag d;

	fixture_make(&f, 1);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	cr_expect(fixture_has(&f, "plots/precision-recall.uring.svg"));
	cr_expect(fixture_has(&f, "plots/outcomes.wake.svg"));
	cr_expect_not(fixture_has(&f, "plots/gnuplot.log"));
	tex = fixture_read(&f, "tables/scores.tex");
	cr_expect(strstr(tex, "\\begin{tabular}"));
	cr_expect(strstr(tex, "evil\\textless{}\\&"));
	cr_expect_not(strstr(tex, "evil<"));
	free(tex);
	fixture_remove(&f);
}

/* Well-formed even as XML, which is more than HTML asks. */
Test(results_report, is_well_formed_as_xmllint_sees_it)
{
	struct fixture f;
	char command[512];
	struct diag d;

	if (system("xmllint --version >/dev/null 2>&1"))
		cr_skip_test("xmllint is not installed (libxml2-utils)");
	for (unsigned seeds = 1; seeds <= 2; seeds++) {
		fixture_make(&f, seeds);
		cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
		snprintf(command, sizeof(command), "xmllint --noout %s/report.html", f.dir);
		cr_expect_eq(system(command), 0);
		fixture_remove(&f);
	}
}
