/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnoses: the terminal's table and the page's section. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct said {
	const char *variant, *profiler, *label; /* that holds last */
	double found, claims, right;
	const char *scope; /* of a false one; NULL: none */
	const char *status, *kind;
};

static const struct said said[] = {
	{"base", "causal", "healthy", 1, 1, 1, NULL, "ok", "join"},
	{"base", "trusting", "healthy", 1, 1, 1, NULL, "ok", "join"},
	{"base+leak", "causal", "leak", 1, 2, 2, NULL, "ok", "join"},
	{"base+leak", "trusting", "leak", 1, 3, 2, "said:healthy>convoy", "ok", "join"},
	{"base+wasteful", "causal", "wasteful", 0, 1, 1, NULL, "ok", "join"},
	{"base+wasteful", "trusting", "wasteful", 1, 2, 2, NULL, "ok", "join"},
	{"base+starved", "causal", "starved", 0, 2, 1, "said:starved>overload", "ok", "join"},
	{"base+starved", "trusting", "starved", 0, 2, 1, "said:starved>starved*", "ok", "join"},
	{"base+convoy", "causal", "convoy", 0, 0, 0, NULL, "crashed", "join"},
	{"base+convoy", "trusting", "convoy", 1, 2, 2, NULL, "ok", "join"},
	{"inline-calls-1-mutant", "causal", "healthy", 0, 0, 0, NULL, "ok", "join"},
	{"inline-calls-1-mutant", "trusting", "healthy", 0, 1, 0, "said:healthy>leak", "ok",
	 "join"},
	{"inline-calls-1-twin", "causal", "healthy", 1, 1, 1, NULL, "ok", "join"},
	{"inline-calls-1-twin", "trusting", "healthy", 1, 1, 1, NULL, "ok", "join"},
	{"inline-calls-1-mutant", "silent", "healthy", 0, 0, 0, NULL, "ok", "join"},
	{"unit-calls-1-mutant", "causal", "healthy", 0, 0, 0, NULL, "crashed", "join"},
	{"base", "causal", "healthy", 1, 1, 1, NULL, "ok", "live"},
	{"inline-calls-1-mutant", "attach-only", "healthy", 0, 1, 0, "said:healthy>leak", "ok",
	 "join"},
};

/* The terminal shows case by case what two say, so the last is for the page. */
enum { SAID_CNT = sizeof(said) / sizeof(said[0]), FIRST_WELL = 10 };

static void put_figure(struct fixture *f, const struct said *s, const char *cell,
		       const char *metric, const char *scope, double v)
{
	struct figure_row row = {.run = "r-1",
				 .cell = cell,
				 .workload = "calls",
				 .variant = s->variant,
				 .profiler = s->profiler,
				 .division = "attach",
				 .regime = "clean",
				 .binding = "stamped",
				 .seed = 1,
				 .metric = metric,
				 .scope = scope,
				 .has_value = true,
				 .value = v,
				 .n = 1,
				 .status = s->status};
	struct diag d;

	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static void add_cell(struct fixture *f, const struct said *s)
{
	char cell[96], label[64];

	snprintf(cell, sizeof(cell), "calls.%s.%s.%s", s->variant, s->profiler, s->kind);
	snprintf(label, sizeof(label), "label:%s", s->label);
	fprintf(f->plan, "%s\t%s\tcalls\t%s\t%s\tattach\tclean\tstamped\t1\t-\t-\n", cell, s->kind,
		s->variant, s->profiler);
	fixture_status(f, cell, s->status);
	put_figure(f, s, cell, "cell.scored", "all", 1);
	put_figure(f, s, cell, "diagnosis.truth", "all", s->variant[4] == '+' ? 2 : 1);
	put_figure(f, s, cell, "diagnosis.claims", "all", s->claims);
	put_figure(f, s, cell, "diagnosis.right", "all", s->right);
	put_figure(f, s, cell, "diagnosis.truth", label, 1);
	put_figure(f, s, cell, "diagnosis.found", label, s->found);
	put_figure(f, s, cell, "diagnosis.claims", "conf:0.9000", s->claims);
	put_figure(f, s, cell, "diagnosis.right", "conf:0.9000", s->right);
	if (s->found > 0)
		put_figure(f, s, cell, "diagnosis.time_to_label", label, 150e6);
	if (s->scope)
		put_figure(f, s, cell, "diagnosis.said", s->scope, 1);
}

static char *report_of(bool page, size_t first)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	fixture_begin(&f);
	for (size_t i = first; i + !page < SAID_CNT; i++)
		add_cell(&f, &said[i]);
	fixture_end(&f);
	if (page) {
		cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
		text = fixture_read(&f, "report.html");
	} else {
		out = open_memstream(&text, &len);
		cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
		fclose(out);
	}
	fixture_remove(&f);
	return text;
}

Test(results_diagnosis, table_counts_what_was_named_and_what_was_false)
{
	char *text = report_of(false, 0), *at = strstr(text, "\ndiagnosis ");

	cr_assert(at, "%s", text);
	fixture_line(at, "\ndiagnosis", "named healthy lookalike wrong time");
	fixture_line(at, "  causal", "1/4 2/2 0/2 1 150 ms");
	fixture_line(at, "  trusting", "3/4 2/2 1/1 2 150 ms");
	cr_expect(!strstr(at, "silent"), "%s", at);
	fixture_line(at, "  calls leak", "150 ms 150 ms convoy");
	fixture_line(at, "  calls wasteful", "- 150 ms");
	fixture_line(at, "  calls starved", "overload starved");
	fixture_line(at, "  calls convoy", "crashed 150 ms");
	fixture_line(at, "  inline-calls-1 *", "- leak");
	fixture_line(at, "  unit-calls-1 *", "crashed -");
	free(text);
}

Test(results_diagnosis, page_has_a_section_with_risk_and_coverage)
{
	char *text = report_of(true, 0), *at = strstr(text, "<section id=\"diagnosis\">");

	cr_assert(at);
	cr_expect(strstr(at, "1 of 4"));
	cr_expect(strstr(at, "<strong>leak</strong> <small>1 wrong</small>"));
	/* causal: 6 of 12 that hold are named, one of seven claims is false */
	cr_expect(strstr(at, "0.500</td><td class=\"bar\" style=\"--v:0.1429\">0.143</td>"));
	cr_expect(strstr(at, "withheld"));
	free(text);
}

/* What was not asked of somebody was not avoided by it, and who crashed has withheld nothing. */
Test(results_diagnosis, page_credits_nobody_with_what_was_not_asked)
{
	char *text = report_of(true, 0), *at = strstr(text, "<section id=\"diagnosis\">"), *live;

	cr_assert(at);
	live = strstr(at, "<th scope=\"row\">causal live</th>");
	cr_assert(live);
	cr_expect(!strncmp(strstr(live, "</tr>") - 25, "<td class=\"none\">", 17), "%.600s", live);
	/* what causal got wrong itself is of a program that attach-only was not asked about */
	cr_expect(strstr(at, "<td>1 of 1</td></tr>\n<tr><th scope=\"row\">causal live"));
	cr_expect(strstr(at, "<td class=\"words\"><span class=\"bad\">crashed</span></td>"));
	cr_expect(strstr(at, "<td class=\"words\"><strong>overload</strong>"));
	cr_expect(strstr(at, "<td class=\"words\"><strong>starved</strong>"));
	free(text);
}

Test(results_diagnosis, is_silent_where_nothing_ails)
{
	char *text = report_of(false, FIRST_WELL), *page = report_of(true, FIRST_WELL);

	cr_expect(!strstr(text, "\ndiagnosis "), "%s", text);
	cr_expect(!strstr(page, "id=\"diagnosis\""));
	free(text);
	free(page);
}
