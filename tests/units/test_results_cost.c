/* SPDX-License-Identifier: BSD-2-Clause */
/* What watching costs: the terminal's table, the page's section, and who is said to be ahead. */
#include "results/cost_view.h"
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

/* An overhead cell. least 0: there was one pair, and so no paired figure. */
struct said {
	const char *profiler, *division;
	bool joins;
	double distance; /* negative: it claims no profile */
	double paired, lo, hi, least, counted;
	bool uncounted;
};

static void put(struct fixture *f, const struct said *s, const char *cell,
		const struct figure_row *figure)
{
	struct figure_row r = *figure;
	struct diag d;

	r.run = "r-1";
	r.cell = cell;
	r.workload = "affine";
	r.variant = "base";
	r.profiler = s->profiler;
	r.division = s->division;
	r.regime = "clean";
	r.binding = "-";
	r.seed = 1;
	r.status = "ok";
	r.n = r.has_value ? 4 : 0;
	cr_assert_eq(scores_csv_put(f->csv, &r, &d), 0, "%s", d.reason);
}

static void put_value(struct fixture *f, const struct said *s, const char *cell, const char *metric,
		      const char *scope, double v)
{
	put(f, s, cell,
	    &(struct figure_row){.metric = metric, .scope = scope, .has_value = true, .value = v});
}

static void add_cell(struct fixture *f, const struct said *s)
{
	bool paired = s->least > 0;
	char cell[64];

	snprintf(cell, sizeof(cell), "affine.%s.overhead", s->profiler);
	fprintf(f->plan, "%s\toverhead\taffine\tbase\t%s\t%s\tclean\t-\t1\t-\tpairs=4\n", cell,
		s->profiler, s->division);
	fixture_status(f, cell, "ok");
	put_value(f, s, cell, "cell.scored", "all", 1);
	put_value(f, s, cell, "overhead.declares", s->joins ? "handoff:wake" : "profile", 1);
	if (s->joins)
		put_value(f, s, cell, "handoff.context.f1", "all", 0.5);
	if (s->distance >= 0)
		put_value(f, s, cell, "profile.tv_distance", "thread:cpu", s->distance);
	put(f, s, cell,
	    &(struct figure_row){.metric = "overhead.cpu_share",
				 .scope = "all",
				 .has_value = paired,
				 .has_interval = paired,
				 .value = s->paired,
				 .lo = s->lo,
				 .hi = s->hi});
	put(f, s, cell,
	    &(struct figure_row){.metric = "overhead.cpu_share_mde",
				 .scope = "all",
				 .has_value = paired,
				 .value = s->least});
	put_value(f, s, cell, "overhead.counted_share", "all", s->counted);
	put_value(f, s, cell, "overhead.uncounted", "all", s->uncounted);
}

static void make_run(struct fixture *f, const struct said *v, size_t cnt)
{
	fixture_begin(f);
	for (size_t i = 0; i < cnt; i++)
		add_cell(f, &v[i]);
	fixture_end(f);
}

static char *table_of(const struct said *v, size_t cnt)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	make_run(&f, v, cnt);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_remove(&f);
	return text;
}

static const struct said sampler = {"cpu", "attach", false, 0.02, 0.039,
				    0.02,  0.058,    0.024, 0,	  true};
static const struct said joiner = {"causal", "attach", true, -1,  0.11,
				   0.09,     0.13,     0.03, 0.1, false};

Test(results_cost, table_shows_no_paired_figure_without_its_least_effect)
{
	const struct said alone = {.profiler = "alone",
				   .division = "source",
				   .joins = true,
				   .distance = -1,
				   .paired = 0.5,
				   .counted = 0.25};
	const struct said v[] = {alone, joiner, sampler};
	char *text = table_of(v, 3), *at = strstr(text, "affine, cost");

	cr_assert(at, "%s", text);
	fixture_line(text, "affine, cost", "counted paired interval least F1, all profile");
	fixture_line(at, "  causal", "10.0 11.0 [9.0, 13.0] 3.0 0.5000 -");
	fixture_line(at, "  cpu", "- 3.9 [2.0, 5.8] 2.4 - 0.9800");
	fixture_line(at, "  alone", "25.0 - - - 0.5000 -");
	for (const char *s = at; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
		cr_expect_leq(strcspn(s, "\n"), 82, "too wide: %.90s", s);
	free(text);
	text = table_of(v, 0);
	cr_expect_not(strstr(text, ", cost"), "nothing was measured:\n%s", text);
	free(text);
}

static void expect_verdict(const struct said *v, size_t cnt, const char *wanted)
{
	char *text = table_of(v, cnt), *at = strstr(text, "accuracy per cost: ");

	cr_expect_eq(at == NULL, wanted == NULL, "%s", text);
	if (at && wanted)
		cr_expect_eq(strncmp(at + 19, wanted, strlen(wanted)), 0, "%.60s", at);
	free(text);
}

Test(results_cost, says_who_is_ahead_by_accuracy_per_cost_where_intervals_allow_it)
{
	const struct said none[] = {sampler};
	const struct said alone[] = {joiner, sampler}; /* there is nothing to win against it */
	struct said v[] = {joiner, sampler};

	expect_verdict(none, 1, NULL);
	expect_verdict(alone, 2, "cpu alone");
	v[0].distance = 0.02; /* as near, and dearer by 0.071, which may be off by 0.028 */
	expect_verdict(v, 2, "cpu beats joiners");
	v[0].paired = 0.065; /* by 0.026: now it cannot be told */
	expect_verdict(v, 2, "cpu is not shown");
	v[0].paired = 0.07; /* by 0.031, though 0.98 / 0.058 is less than 0.98 / 0.05 */
	v[0].lo = 0.05;
	v[0].hi = 0.09;
	expect_verdict(v, 2, "cpu beats joiners");
	v[0].distance = 0.6; /* cheaper by far, and so far away that it is none the better */
	v[0].paired = 0.016;
	v[0].lo = 0.015;
	v[0].hi = 0.017;
	expect_verdict(v, 2, "cpu is not shown");
	v[0].distance = 0.02;
	expect_verdict(v, 2, "cpu is beaten");
	v[0].paired = 0.058; /* dearer by 0.019 and as near: all but told */
	v[0].lo = 0.057;
	v[0].hi = 0.059;
	expect_verdict(v, 2, "cpu is not shown");
	v[0].distance = 0.5; /* and far away */
	expect_verdict(v, 2, "cpu beats joiners");
	v[0] = joiner;
	v[0].distance = 0.02;
	v[0].least = 0; /* what it costs is not known */
	expect_verdict(v, 2, "cpu is not shown");
}

Test(results_cost, page_draws_a_frontier_a_division_and_says_what_each_declares)
{
	const struct said other = {"spans", "source", true, -1,	  0.02,
				   0.01,    0.03,     0.01, 0.02, false};
	struct said v[] = {joiner, sampler, other};
	struct fixture f;
	struct diag d;
	char *page;

	v[0].distance = 0.05;
	make_run(&f, v, 3);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	page = fixture_read(&f, "report.html");
	cr_expect(strstr(page, "<section id=\"cost\">"));
	cr_expect(strstr(page, "href=\"#cost\""));
	cr_expect(strstr(
		page,
		"beats every profiler that joins handoffs and says so, too, by accuracy per cost"));
	cr_expect(strstr(page, "<td class=\"words\">wake</td>"));
	cr_expect(fixture_has(&f, "plots/frontier.affine.attach.gp"));
	cr_expect(fixture_has(&f, "plots/frontier.affine.source.gp"));
	free(page);
	fixture_remove(&f);
}
