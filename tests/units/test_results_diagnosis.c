/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnoses: the terminal's table and the page's section. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct said {
	const char *variant, *profiler, *label; /* that holds last */
	double found, claims, right;
	const char *scope; /* of a false one; NULL: none */
};

static const struct said said[] = {
	{"base", "causal", "healthy", 1, 1, 1, NULL},
	{"base", "trusting", "healthy", 1, 1, 1, NULL},
	{"base+leak", "causal", "leak", 1, 2, 2, NULL},
	{"base+leak", "trusting", "leak", 1, 3, 2, "said:healthy>convoy"},
	{"base+wasteful", "causal", "wasteful", 0, 1, 1, NULL},
	{"base+wasteful", "trusting", "wasteful", 1, 2, 2, NULL},
	{"inline-calls-1-mutant", "causal", "healthy", 0, 0, 0, NULL},
	{"inline-calls-1-mutant", "trusting", "healthy", 0, 1, 0, "said:healthy>leak"},
	{"inline-calls-1-twin", "causal", "healthy", 1, 1, 1, NULL},
	{"inline-calls-1-twin", "trusting", "healthy", 1, 1, 1, NULL},
	{"inline-calls-1-mutant", "silent", "healthy", 0, 0, 0, NULL},
};

enum { SAID_CNT = sizeof(said) / sizeof(said[0]) };

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
				 .status = "ok"};
	struct diag d;

	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
}

static void add_cell(struct fixture *f, const struct said *s)
{
	char cell[96], label[64];

	snprintf(cell, sizeof(cell), "calls.%s.%s", s->variant, s->profiler);
	snprintf(label, sizeof(label), "label:%s", s->label);
	fprintf(f->plan, "%s\tjoin\tcalls\t%s\t%s\tattach\tclean\tstamped\t1\t-\t-\n", cell,
		s->variant, s->profiler);
	fixture_status(f, cell, "ok");
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
	for (size_t i = first; i < SAID_CNT; i++)
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
	fixture_line(at, "  causal", "1/2 2/2 0/1 0 150 ms");
	fixture_line(at, "  trusting", "2/2 2/2 1/1 1 150 ms");
	cr_expect(!strstr(at, "silent"), "%s", at);
	fixture_line(at, "  calls leak", "150 ms 150 ms convoy");
	fixture_line(at, "  calls wasteful", "- 150 ms");
	fixture_line(at, "  inline-calls-1 *", "- leak");
	free(text);
}

Test(results_diagnosis, page_has_a_section_with_risk_and_coverage)
{
	char *text = report_of(true, 0), *at = strstr(text, "<section id=\"diagnosis\">");

	cr_assert(at);
	cr_expect(strstr(at, "1 of 2"));
	cr_expect(strstr(at, "<strong>leak</strong> <small>1 wrong</small>"));
	/* causal: 5 of 7 that hold are named, and nothing false is said */
	cr_expect(strstr(at, "0.714</td><td class=\"bar\" style=\"--v:0.0000\">0.000</td>"));
	cr_expect(strstr(at, "withheld"));
	free(text);
}

Test(results_diagnosis, is_silent_where_nothing_ails)
{
	char *text = report_of(false, 6), *page = report_of(true, 6);

	cr_expect(!strstr(text, "\ndiagnosis "), "%s", text);
	cr_expect(!strstr(page, "id=\"diagnosis\""));
	free(text);
	free(page);
}
