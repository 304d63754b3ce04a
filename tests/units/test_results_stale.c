/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal's tables of resource events and of stale contracts. */
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct said { /* counts of resources by what was said of them */
	const char *variant, *profiler;
	double kept, suspect, stale, alarms, claims;
};

static void add_cell(struct fixture *f, const struct said *s)
{
	const struct {
		const char *metric, *scope;
		double v;
	} figures[] = {
		{"event.claims", "all", s->claims},
		{"event.precision", "all", 0.75},
		{"stale.matrix", "stale:kept", s->kept},
		{"stale.matrix", "stale:suspect", s->suspect},
		{"stale.matrix", "stale:stale", s->stale},
		{"stale.false_alarms", "all", s->alarms},
	};
	char cell[64], path[256];
	struct diag d;
	FILE *out;

	snprintf(cell, sizeof(cell), "%s.%s", s->variant, s->profiler);
	fprintf(f->plan, "%s\tjoin\tpool\t%s\t%s\tattach\tclean\tstamped\t1\t-\t-\n", cell,
		s->variant, s->profiler);
	snprintf(path, sizeof(path), "%s/cells/%s", f->dir, cell);
	cr_assert_eq(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "cells/%s/status.json", cell);
	out = fixture_open(f, path);
	fprintf(out,
		"{\"cell\":\"%s\",\"state\":\"ok\",\"reason\":\"\",\"cure\":\"\",\"seconds\":1,"
		"\"log\":\"log\"}\n",
		cell);
	fclose(out);
	f->planned++;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		struct figure_row row = {
			.run = "r-1",
			.cell = cell,
			.workload = "pool",
			.variant = s->variant,
			.profiler = s->profiler,
			.division = "attach",
			.regime = "clean",
			.binding = "stamped",
			.seed = 1,
			.metric = figures[i].metric,
			.scope = figures[i].scope,
			.has_value = true,
			.value = figures[i].v,
			.n = 1,
			.status = "ok",
		};

		cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	}
}

static char *table_of(const struct said *v, size_t cnt)
{
	struct fixture f = {.dir = "/tmp/assay-results-XXXXXX"};
	char path[256], *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	cr_assert(mkdtemp(f.dir));
	snprintf(path, sizeof(path), "%s/cells", f.dir);
	cr_assert_eq(mkdir(path, 0777), 0);
	f.plan = fixture_open(&f, "plan.tsv");
	fputs("cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\t"
	      "params\n",
	      f.plan);
	snprintf(path, sizeof(path), "%s/scores.csv", f.dir);
	cr_assert_eq(scores_csv_create(path, &f.csv, &d), 0, "%s", d.reason);
	for (size_t i = 0; i < cnt; i++)
		add_cell(&f, &v[i]);
	cr_assert_eq(scores_csv_close(f.csv, &d), 0, "%s", d.reason);
	fclose(f.plan);
	fixture_json(&f);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_remove(&f);
	return text;
}

/* The rest of the line that begins with these words. */
static void expect_line(const char *text, const char *begin, const char *rest)
{
	const char *at = strstr(text, begin);
	char line[96] = "";

	cr_assert(at, "no line \"%s\":\n%s", begin, text);
	at += strlen(begin);
	at += strspn(at, " ");
	memcpy(line, at, strcspn(at, "\n") < 95 ? strcspn(at, "\n") : 95);
	cr_expect_str_eq(line, rest, "\n%s", text);
}

Test(results_stale, says_of_each_variant_what_each_profiler_said)
{
	const struct said v[] = {
		{.variant = "own-1-mutant", .profiler = "trusting", .kept = 1},
		{.variant = "own-1-mutant", .profiler = "wary", .stale = 1},
		{.variant = "own-1-twin", .profiler = "trusting"},
		{.variant = "own-1-twin", .profiler = "wary", .alarms = 2},
		{.variant = "unit-1-mutant", .profiler = "wary", .suspect = 1, .alarms = 1},
	};
	char *text = table_of(v, 5);

	expect_line(text, "stale contracts", "trusting         wary");
	expect_line(text, "  own-1-mutant", "kept        stale");
	expect_line(text, "  own-1-twin", "quiet     quiet +2");
	expect_line(text, "  unit-1-mutant", "-   suspect +1");
	cr_expect_not(strstr(text, "pool, own-1"), "variants have no handoff table:\n%s", text);
	free(text);
}

Test(results_stale, shows_events_of_unchanged_programs_where_somebody_claims_any)
{
	const struct said v[] = {
		{.variant = "base", .profiler = "wary", .claims = 10, .alarms = 3},
		{.variant = "base", .profiler = "mute"},
	};
	char *text = table_of(v, 2), *at;

	expect_line(text, "pool, events", "prec.    recall     units     lives    alarms");
	at = strstr(text, "pool, events");
	expect_line(at, "  wary", "0.7500         -         -         -         3");
	cr_expect_not(strstr(at, "mute"), "who claims no event has no row:\n%s", text);
	cr_expect_not(strstr(text, "stale contracts"), "no variants, no table:\n%s", text);
	free(text);
}
