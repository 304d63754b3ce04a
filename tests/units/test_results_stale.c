/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal's tables of resource events and of stale contracts. */
#include <errno.h>

#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct said { /* counts of resources by what was said of them */
	const char *variant, *profiler;
	double kept, suspect, stale, alarms, claims, distance;
};

/* A figure over all quads of a profiler. */
struct over {
	const char *binding, *profiler, *metric, *scope;
	double value, n;
};

static void put_figure(struct fixture *f, const struct figure_row *row)
{
	struct figure_row r = *row;
	struct diag d;

	r.run = "r-1";
	r.division = "attach";
	r.regime = "clean";
	r.has_value = true;
	r.status = "ok";
	cr_assert_eq(scores_csv_put(f->csv, &r, &d), 0, "%s", d.reason);
}

static void add_cell(struct fixture *f, const struct said *s)
{
	const struct {
		const char *metric, *scope;
		double v;
	} figures[] = {
		{"cell.scored", "all", 1},
		{"event.claims", "all", s->claims},
		{"event.precision", "all", 0.75},
		{"stale.matrix", "stale:kept", s->kept},
		{"stale.matrix", "stale:suspect", s->suspect},
		{"stale.matrix", "stale:stale", s->stale},
		{"stale.detected", "all", s->stale},
		{"stale.false_alarms", "all", s->alarms},
		/* last: only where they are */
		{"profile.tv_distance", "thread:cpu", s->distance},
		{"profile.even_distance", "thread:cpu", 10 * s->distance},
	};
	const char *slash = strrchr(s->profiler, '/');
	char cell[64];

	snprintf(cell, sizeof(cell), "%s.%s", s->variant, slash ? slash + 1 : s->profiler);
	fprintf(f->plan, "%s\tjoin\tpool\t%s\t%s\tattach\tclean\tstamped\t1\t-\t-\n", cell,
		s->variant, s->profiler);
	fixture_status(f, cell, "ok");
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]) - 2 * !s->distance; i++)
		put_figure(f, &(struct figure_row){.cell = cell,
						   .workload = "pool",
						   .variant = s->variant,
						   .profiler = s->profiler,
						   .binding = "stamped",
						   .seed = 1,
						   .metric = figures[i].metric,
						   .scope = figures[i].scope,
						   .value = figures[i].v,
						   .n = 1});
}

static void add_over(struct fixture *f, const struct over *o)
{
	put_figure(f, &(struct figure_row){.cell = "-",
					   .workload = "-",
					   .variant = "-",
					   .profiler = o->profiler,
					   .binding = o->binding,
					   .metric = o->metric,
					   .scope = o->scope,
					   .value = o->value,
					   .has_interval = true,
					   .lo = 0,
					   .hi = 1,
					   .n = (uint64_t)o->n});
}

static const char quads_json[] =
	"{\"mutations\":[{\"id\":\"own-1\",\"class\":\"OWN\",\"verdict\":\"witnessed\",\"frozen\":"
	"true},"
	"{\"id\":\"unit-1\",\"class\":\"UNIT\",\"verdict\":\"certified\",\"frozen\":false}],"
	"\"funnel\":{\"written\":2,\"steps\":[{\"step\":\"compiles\",\"passed\":2,\"none\":0,"
	"\"unchecked\":0}],\"certified\":2,\"unverified\":0,\"frozen\":1}}\n";

static void make_run(struct fixture *f, const struct said *v, size_t cnt, const struct over *o,
		     size_t o_cnt)
{
	fixture_begin(f);
	for (size_t i = 0; i < cnt; i++)
		add_cell(f, &v[i]);
	for (size_t i = 0; i < o_cnt; i++)
		add_over(f, &o[i]);
	fixture_end(f);
	fixture_text(f, "quads.json", quads_json);
}

static char *table_of(const struct said *v, size_t cnt, const struct over *o, size_t o_cnt)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	make_run(&f, v, cnt, o, o_cnt);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	fixture_remove(&f);
	return text;
}

static const struct said said[] = {
	{.variant = "own-1-mutant", .profiler = "trusting", .kept = 1},
	{.variant = "own-1-mutant", .profiler = "wary", .stale = 1},
	{.variant = "own-1-twin", .profiler = "trusting"},
	{.variant = "own-1-twin", .profiler = "wary", .alarms = 2},
	{.variant = "unit-1-mutant", .profiler = "wary", .suspect = 1, .alarms = 1},
};

static const struct over over[] = {
	{"stamped", "trusting", "quads.detection", "all", 0, 1},
	{"stamped", "wary", "quads.detection", "all", 1, 1},
	{"stamped", "wary", "quads.localisation", "all", 1, 1},
	{"stamped", "wary", "quads.latency_events", "all", 160, 1},
	{"stamped", "wary", "quads.apart", "all", 231.0 / 232, 116},
	{"stamped", "wary", "quads.alarm", "form:twin", 1, 1},
	{"strict", "wary", "quads.refused", "form:mutant", 0.5, 2},
	{"strict", "wary", "quads.refused", "form:base", 0, 1},
	{"stamped", "wary", "quads.p_stale.forecast", "bin:01", 0.05, 10},
	{"stamped", "wary", "quads.p_stale.observed", "bin:01", 0, 10},
	{"stamped", "wary", "quads.p_stale.forecast", "bin:02", 0.9, 10},
	{"stamped", "wary", "quads.p_stale.observed", "bin:02", 0.8, 10},
	{"stamped", "trusting", "quads.p_stale.forecast", "bin:01", 0.05, 20},
	{"stamped", "trusting", "quads.p_stale.observed", "bin:01", 0.4, 20},
};

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

Test(results_stale, says_of_each_quad_what_each_profiler_said)
{
	char *text = table_of(said, CNT(said), over, CNT(over));

	fixture_line(text, "  quad by quad", "trusting wary");
	fixture_line(text, "  own-1", "kept stale +2");
	fixture_line(text, "  unit-1 *", "- suspect +1");
	cr_expect_not(strstr(text, "pool, own-1"), "variants have no handoff table:\n%s", text);
	free(text);
}

/* Of somebody's own program the last part of its path, as everywhere. */
Test(results_stale, calls_a_stranger_by_the_name_of_its_file)
{
	static const struct said own[] = {
		{.variant = "own-1-mutant", .profiler = "/home/me/my \xc3\xa4rger", .stale = 1}};
	static const struct over found[] = {
		{"stamped", "/home/me/my \xc3\xa4rger", "quads.detection", "all", 1, 1}};
	char *text = table_of(own, CNT(own), found, CNT(found));

	fixture_line(text, "  quad by quad", "my \xc3\xa4rger");
	cr_expect_not(strstr(text, "/home"), "%s", text);
	free(text);
}

Test(results_stale, sums_up_each_binding_in_a_table_of_its_own)
{
	char *text = table_of(said, CNT(said), over, CNT(over));

	fixture_line(text, "stale contracts", "found named kept apart latency twins");
	fixture_line(text, "  trusting", "0/1 - - - - -");
	fixture_line(text, "  wary", "1/1 1/1 - 0.99 160 1/1");
	fixture_line(text, "  bound strictly: refused", "mutants twins null base");
	fixture_line(strstr(text, "bound strictly"), "  wary", "1/2 - - 0/1");
	cr_expect_not(strstr(text, "best effort"), "nothing was bound so:\n%s", text);
	free(text);
}

Test(results_stale, page_keeps_quads_without_a_witness_apart)
{
	struct fixture f;
	char *html, *apart, *tex;
	struct diag d;

	make_run(&f, said, CNT(said), over, CNT(over));
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	html = fixture_read(&f, "report.html");
	apart = strstr(html, "Quads without a witness");
	cr_assert(apart);
	cr_expect(strstr(html, ">own-1</th>") < apart);
	cr_expect_not(strstr(html, ">unit-1</th>") < apart);
	cr_expect(strstr(html, "Mutations by step"));
	tex = fixture_read(&f, "tables/stale.tex");
	cr_expect(strstr(tex, "wary & 1/1 (0--100) & 1/1 (0--100) & -- & 0.9957 & 160 & -- & 1/1"));
	free(tex);
	cr_expect(strstr(html, "<th scope=\"row\">witnessed</th>"));
	cr_expect(strstr(html, "1 of 1<br/><small>0\xe2\x80\x93"
			       "100\xe2\x80\xaf%</small>"));
	free(html);
	fixture_remove(&f);
}

/* A diagram of one spot says nothing: who never forecasts anything else has none. */
Test(results_stale, draws_the_reliability_of_those_who_forecast)
{
	struct fixture f;
	struct diag d;

	if (system("gnuplot --version >/dev/null 2>&1"))
		cr_skip_test("gnuplot is not installed (gnuplot-nox)");
	make_run(&f, said, CNT(said), over, CNT(over));
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	cr_expect(fixture_has(&f, "plots/reliability.wary.svg"));
	cr_expect_not(fixture_has(&f, "plots/reliability.trusting.svg"));
	fixture_remove(&f);
}

Test(results_stale, refuses_a_damaged_list_of_quads)
{
	static const char *const damaged[] = {
		"[]",
		"{}",
		"{\"mutations\":[]}",
		"{\"mutations\":[{\"id\":\"x\"}],\"funnel\":{}}",
		"{\"mutations\":[],\"funnel\":{\"written\":-1,\"steps\":[],\"certified\":0,"
		"\"unverified\":0,\"frozen\":0}}",
	};
	struct fixture f;
	struct diag d = {0};

	for (size_t i = 0; i < CNT(damaged); i++) {
		make_run(&f, said, CNT(said), over, CNT(over));
		fixture_text(&f, "quads.json", damaged[i]);
		cr_expect_eq(report_write(f.dir, &d), -EINVAL, "%s", damaged[i]);
		cr_expect(strstr(d.file, "quads.json"));
		cr_expect(d.cure[0] || d.line);
		fixture_remove(&f);
	}
}

Test(results_stale, shows_events_of_unchanged_programs_where_somebody_claims_any)
{
	const struct said v[] = {
		{.variant = "base", .profiler = "wary", .claims = 10, .alarms = 3},
		{.variant = "base", .profiler = "mute"},
	};
	char *text = table_of(v, 2, NULL, 0), *at;

	fixture_line(text, "pool, events", "prec. recall units lives alarms");
	at = strstr(text, "pool, events");
	fixture_line(at, "  wary", "0.7500 - - - 3");
	cr_expect_not(strstr(at, "mute"), "who claims no event has no row:\n%s", text);
	cr_expect_not(strstr(text, "stale contracts"), "no variants, no table:\n%s", text);
	free(text);
}

Test(results_stale, shows_profiles_of_unchanged_programs_where_somebody_claims_one)
{
	const struct said v[] = {
		{.variant = "base", .profiler = "sampler", .distance = 0.02},
		{.variant = "base", .profiler = "mute"},
	};
	char *text = table_of(v, 2, NULL, 0), *at = strstr(text, "pool, profiles"), *end;

	cr_assert(at, "%s", text);
	end = strstr(at, "\n\n");
	cr_assert(end);
	*end = '\0';
	fixture_line(text, "pool, profiles", "by of distance even split");
	fixture_line(at, "  sampler", "thread cpu 0.0200 0.2000");
	cr_expect_not(strstr(at, "mute"), "who claims no profile has no row:\n%s", at);
	free(text);
	text = table_of(&v[1], 1, NULL, 0);
	cr_expect_not(strstr(text, "profiles"), "nobody claims one:\n%s", text);
	free(text);
}
