/* SPDX-License-Identifier: BSD-2-Clause */
/* Acceptance cases: who is right, who doubted, who is wrong, and a case that is none. */
#include <errno.h>

#include "lib/formats/claims.h"
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct figure {
	const char *metric, *scope;
	double value;
	uint64_t n; /* 0: the figure is 0 of 0 */
};

static void add_seed(struct fixture *f, const char *variant, const char *regime,
		     const char *profiler, unsigned seed, const struct figure *v, size_t cnt)
{
	struct figure_row row = {.run = "r-1",
				 .workload = "pool",
				 .variant = variant,
				 .profiler = profiler,
				 .division = "attach",
				 .regime = regime,
				 .binding = "stamped",
				 .seed = seed,
				 .metric = "cell.scored",
				 .scope = "all",
				 .has_value = true,
				 .value = 1,
				 .n = 1,
				 .status = "ok"};
	char cell[96];
	struct diag d;

	snprintf(cell, sizeof(cell), "pool.%s.%s.s%u", variant, profiler, seed);
	row.cell = cell;
	fprintf(f->plan, "%s\tjoin\tpool\t%s\t%s\tattach\t%s\tstamped\t%u\t-\t-\n", cell, variant,
		profiler, regime, seed);
	fixture_status(f, cell, "ok");
	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	for (size_t i = 0; i < cnt; i++) {
		row.metric = v[i].metric;
		row.scope = v[i].scope;
		row.has_value = v[i].n;
		row.value = v[i].value;
		row.n = v[i].n;
		cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	}
}

static void add_cell(struct fixture *f, const char *variant, const char *profiler,
		     const struct figure *v, size_t cnt)
{
	add_seed(f, variant, "clean", profiler, 1, v, cnt);
}

/* Of 100 releases so many seen; of one stale resource (where stale) so many found. */
static void add_quad(struct fixture *f, const char *variant, const char *profiler, double seen,
		     bool stale, double found, double alarms)
{
	const struct figure v[] = {
		{"event.claims", "all", seen, 1},
		{"event.matched", "desc:3", seen, 1},
		{"event.truth", "desc:3", 100, 1},
		{"event.recall", "desc:3", seen / 100, 100},
		{"stale.matrix", "stale:kept", stale && !found, 1},
		{"stale.matrix", "stale:stale", stale && found > 0, 1},
		{"stale.detected", "all", found, 1},
		{"stale.false_alarms", "all", alarms, 1},
	};

	add_cell(f, variant, profiler, v, sizeof(v) / sizeof(v[0]));
}

/* Of 200 handoffs. */
static void add_joins(struct fixture *f, const char *variant, const char *profiler, double right,
		      double wrong, double orphans)
{
	const struct figure v[] = {
		{"handoff.context.truth", "type:io", 200, 200},
		{"handoff.context.right", "type:io", right, 1},
		{"handoff.context.false_join", "type:io", wrong, 1},
		{"handoff.context.half", "type:io", 0, 1},
		{"handoff.context.orphan_only", "type:io", orphans, 1},
		{"handoff.context.orphan_rate", "type:io", orphans / 200, 200},
	};

	add_cell(f, variant, profiler, v, sizeof(v) / sizeof(v[0]));
}

static const struct claim doubt = {
	.kind = CLAIM_HEALTH, .type = HEALTH_STALE, .health = {.t = 100, .desc = 3}};

/* A cell's claims: a doubt at 100, and a diagnosis. */
static void put_claims(const struct fixture *f, const char *cell, bool doubts, uint64_t at,
		       const char *label)
{
	struct claims_header h = {.declares = DECLARES_HEALTH | DECLARES_DIAGNOSIS};
	struct claim c = {.kind = CLAIM_DIAGNOSIS, .diagnosis = {.t = at}};
	struct claims_writer *w;
	char path[256];
	struct diag d;

	strcpy(h.profiler, "it");
	strcpy(h.version, "1");
	snprintf(path, sizeof(path), "%s/cells/%s/claims.bin", f->dir, cell);
	w = claims_writer_open(path, CLAIMS_BINARY, &h, &d);
	cr_assert(w, "%s", d.reason);
	c.diagnosis.label_str = (uint32_t)claims_writer_str(w, label);
	if (doubts)
		cr_assert_eq(claims_writer_put(w, &doubt), 0);
	cr_assert_eq(claims_writer_put(w, &c), 0);
	cr_assert_eq(claims_writer_close(w, &d), 0);
}

#define SIDE(variant, scope)                                                                       \
	"{\"workload\":\"pool\",\"variant\":\"" variant                                            \
	"\",\"regime\":\"clean\",\"scope\":\"" scope "\"}"
#define CASE(id, naive, metric, before, after)                                                     \
	"{\"case\":\"" id "\",\"part\":\"\",\"class\":\"X\",\"source\":\"s\",\"changes\":\"c\","   \
	"\"read\":\"things\",\"exposes\":\"e\",\"naive\":\"" naive "\",\"metric\":\"" metric       \
	"\",\"below\":0.9,\"before\":" before ",\"after\":" after "}"

static const char cases[] =
	"{\"cases\":[" CASE("A1", "naive", "event.recall", SIDE("q-base", "desc:3"),
			    SIDE("q-mutant", "desc:3")) "," CASE("A2", "naive", "handoff.context",
								 SIDE("base.alone", "type:io"),
								 SIDE("base", "type:io")) "]}";

/* naive: how many of 200 the reference of the second case joins wrongly. */
static void make_run(struct fixture *f, double naive)
{
	fixture_begin(f);
	add_quad(f, "q-base", "naive", 100, false, 0, 0);
	add_quad(f, "q-mutant", "naive", 10, true, 0, 0);
	add_quad(f, "q-base", "careful", 100, false, 0, 0);
	add_quad(f, "q-mutant", "careful", 10, true, 1, 0);
	add_quad(f, "q-base", "hasty", 100, false, 0, 0);
	add_quad(f, "q-mutant", "hasty", 10, true, 1, 0);
	add_quad(f, "q-base", "nervous", 100, false, 0, 1);
	add_quad(f, "q-mutant", "nervous", 99, true, 0, 0);
	add_joins(f, "base.alone", "naive", 200, 0, 0);
	add_joins(f, "base", "naive", 200 - naive, naive, 0);
	add_joins(f, "base.alone", "careful", 200, 0, 0);
	add_joins(f, "base", "careful", 150, 0, 50);
	add_joins(f, "base.alone", "hasty", 200, 0, 0);
	add_joins(f, "base", "hasty", 180, 0, 0); /* and of 20 nothing */
	add_joins(f, "base.alone", "nervous", 200, 0, 0);
	add_joins(f, "base", "nervous", 200, 1, 0);
	put_claims(f, "pool.q-mutant.careful.s1", true, 100, "leak");
	put_claims(f, "pool.q-mutant.hasty.s1", true, 99, "leak");
	put_claims(f, "pool.q-mutant.nervous.s1", false, 50, "healthy");
	fixture_text(f, "cases.json", cases);
	fixture_end(f);
}

/* What the report says of a run, and how many of its cases are none; removes it. */
static char *judged(struct fixture *f, size_t *ret_unreproduced)
{
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(report_table(f->dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_assert_eq(report_unreproduced(f->dir, ret_unreproduced, &d), 0, "%s", d.reason);
	fixture_remove(f);
	return text;
}

static char *table(double naive, size_t *ret_unreproduced)
{
	struct fixture f;

	make_run(&f, naive);
	return judged(&f, ret_unreproduced);
}

Test(results_acceptance, tells_right_from_doubted_and_wrong)
{
	size_t cnt;
	char *text = table(20, &cnt);

	/* careful, hasty, naive: in the order of their names */
	fixture_line(text, "  A1  X", "things doubted wrong wrong");
	fixture_line(text, "      100 of 100", "-> 10 of 100");
	cr_expect(strstr(text, "careful") < strstr(text, "hasty"), "%s", text);
	cr_expect_eq(cnt, 0, "%s", text);
	free(text);
}

Test(results_acceptance, an_orphan_doubts_and_silence_is_wrong)
{
	size_t cnt;
	char *text = table(20, &cnt);

	fixture_line(text, "  A2  X", "things doubted wrong wrong");
	fixture_line(text, "      200 of 200", "-> 180 right, 0 orphaned, 20 wrong of 200");
	free(text);
}

Test(results_acceptance, a_case_that_its_reference_gets_right_is_none)
{
	size_t cnt;
	char *text = table(1, &cnt);

	cr_expect_eq(cnt, 1, "%s", text);
	cr_expect(strstr(text, "NOT REPRODUCED"), "%s", text);
	free(text);
}

/* The run's cells say nothing of the processors: as if they had been busy. */
Test(results_acceptance, a_fault_of_idle_processors_has_no_answer_on_busy_ones)
{
	static const char busy[] = "\"idle\":true,\"metric\"";
	struct fixture f;
	char *text, *at, mine[sizeof(cases) + 64];
	size_t cnt = 7;

	make_run(&f, 1);
	at = strstr(cases, "\"metric\":\"handoff");
	snprintf(mine, sizeof(mine), "%.*s%s%s", (int)(at - cases), cases, busy,
		 at + strlen("\"metric\""));
	fixture_text(&f, "cases.json", mine);
	text = judged(&f, &cnt);
	cr_expect_eq(cnt, 0, "%s", text);
	cr_expect(strstr(text, "no idle CPU"), "%s", text);
	free(text);
}

/* ---- a figure that is 0 of 0 ---- */

static const char precision[] =
	"{\"cases\":[" CASE("A1", "naive", "event.precision", SIDE("q-base", "desc:3"),
			    SIDE("q-mutant", "desc:3")) "]}";

/* 50 claims, of which so many at the site, and so many of those right. */
static void add_precision(struct fixture *f, const char *variant, const char *profiler,
			  unsigned seed, unsigned there, double right)
{
	const struct figure v[] = {
		{"event.claims", "all", 50, 1},
		{"event.claims", "desc:3", there, 1},
		{"event.truth", "desc:3", 100, 1},
		{"event.precision", "desc:3", there ? right / there : 0, there},
	};

	add_seed(f, variant, "clean", profiler, seed, v, sizeof(v) / sizeof(v[0]));
}

Test(results_acceptance, who_claims_nothing_at_the_site_is_not_right)
{
	struct fixture f;
	size_t cnt;
	char *text;

	fixture_begin(&f);
	add_precision(&f, "q-base", "absent", 1, 40, 40);
	add_precision(&f, "q-mutant", "absent", 1, 0, 0);
	add_precision(&f, "q-base", "late", 1, 0, 0);
	add_precision(&f, "q-mutant", "late", 1, 40, 40);
	add_precision(&f, "q-base", "naive", 1, 40, 40);
	add_precision(&f, "q-mutant", "naive", 1, 40, 4);
	fixture_text(&f, "cases.json", precision);
	fixture_end(&f);
	text = judged(&f, &cnt);
	fixture_line(text, "  A1  X", "things - right* wrong");
	free(text);
}

Test(results_acceptance, a_seed_without_a_figure_is_not_right_but_one_out_of_bounds_is_wrong)
{
	struct fixture f;
	size_t cnt;
	char *text;

	fixture_begin(&f);
	for (unsigned seed = 1; seed <= 2; seed++) {
		add_precision(&f, "q-base", "fickle", seed, 40, 40);
		add_precision(&f, "q-mutant", "fickle", seed, seed == 1 ? 40 : 0, 40);
		add_precision(&f, "q-base", "naive", seed, 40, 40);
		add_precision(&f, "q-mutant", "naive", seed, 40, 4);
		add_precision(&f, "q-base", "wrong", seed, 40, 40);
		add_precision(&f, "q-mutant", "wrong", seed, seed == 1 ? 40 : 0, 4);
	}
	fixture_text(&f, "cases.json", precision);
	fixture_end(&f);
	text = judged(&f, &cnt);
	fixture_line(text, "  A1  X", "things - wrong wrong");
	free(text);
}

Test(results_acceptance, a_case_whose_first_version_was_not_measured_is_none)
{
	struct fixture f;
	size_t cnt;
	char *text;

	fixture_begin(&f);
	add_precision(&f, "q-base", "naive", 1, 0, 0);
	add_precision(&f, "q-mutant", "naive", 1, 40, 4);
	fixture_text(&f, "cases.json", precision);
	fixture_end(&f);
	text = judged(&f, &cnt);
	cr_expect_eq(cnt, 1, "%s", text);
	cr_expect(strstr(text, "NOT REPRODUCED"), "%s", text);
	free(text);
}

/* ---- who loses, and says so or not ---- */

static const char plain[] =
	"{\"cases\":[" CASE("A2", "naive", "handoff.context", SIDE("base.alone", "type:io"),
			    SIDE("base", "type:io")) "]}";

Test(results_acceptance, who_is_silent_about_more_than_1_percent_is_wrong)
{
	struct fixture f;
	size_t cnt;
	char *text;

	fixture_begin(&f);
	add_joins(&f, "base", "frank", 194, 0, 4);
	add_joins(&f, "base", "mute", 194, 0, 0);
	add_joins(&f, "base.alone", "naive", 200, 0, 0);
	add_joins(&f, "base", "naive", 180, 20, 0);
	fixture_text(&f, "cases.json", plain);
	fixture_end(&f);
	text = judged(&f, &cnt);
	fixture_line(text, "  A2  X", "things doubted* wrong* wrong");
	cr_expect_eq(cnt, 0, "%s", text);
	free(text);
}

#define LOSSY "pair-drop:1:silent"

static const char lossy[] =
	"{\"cases\":[" CASE("A8", "naive", "handoff.context", SIDE("base.alone", "type:io"),
			    "{\"workload\":\"pool\",\"variant\":\"base\",\"regime\":\"" LOSSY
			    "\",\"scope\":\"type:io\"}") "]}";

/* Of 200 handoffs; of those that loss took so many are explained. */
static void add_loss(struct fixture *f, const char *profiler, double right, double wrong,
		     double orphans, double missing, double explained)
{
	const struct figure v[] = {
		{"handoff.context.truth", "type:io", 200, 200},
		{"handoff.context.right", "type:io", right, 1},
		{"handoff.context.false_join", "type:io", wrong, 1},
		{"handoff.context.orphan_only", "type:io", orphans, 1},
		{"handoff.context.orphan_rate", "type:io", orphans / 200, 200},
		{"loss.missing", "all", missing, 1},
		{"loss.explained", "all", explained, 1},
		{"loss.explained_share", "all", explained / missing, (uint64_t)missing},
	};

	add_seed(f, "base", LOSSY, profiler, 1, v, sizeof(v) / sizeof(v[0]));
}

static char *lossy_run(double right, double orphans, double missing, double explained)
{
	struct fixture f;
	size_t cnt;

	fixture_begin(&f);
	add_loss(&f, "it", right, 0, orphans, missing, explained);
	add_joins(&f, "base.alone", "naive", 200, 0, 0);
	add_loss(&f, "naive", 180, 18, 0, 2, 0);
	fixture_text(&f, "cases.json", lossy);
	fixture_end(&f);
	return judged(&f, &cnt);
}

Test(results_acceptance, what_loss_took_is_doubted_when_a_gap_explains_it)
{
	char *text = lossy_run(180, 0, 20, 19);

	fixture_line(text, "  A8  X", "things doubted* wrong");
	free(text);
}

Test(results_acceptance, loss_explains_no_silence_about_what_it_did_not_take)
{
	char *text = lossy_run(100, 0, 4, 4);

	fixture_line(text, "  A8  X", "things wrong* wrong");
	free(text);
}

Test(results_acceptance, an_orphan_that_explains_a_loss_counts_once)
{
	char *text = lossy_run(190, 5, 5, 5);

	fixture_line(text, "  A8  X", "things wrong* wrong");
	free(text);
}

/* 500 of 1000 in one seed and none of 100 in the other are 500, not a quarter of 1100. */
Test(results_acceptance, orphans_of_seeds_are_added_up)
{
	struct fixture f;
	size_t cnt;
	char *text;

	fixture_begin(&f);
	for (unsigned seed = 1; seed <= 2; seed++) {
		double truth = seed == 1 ? 1000 : 100, orphans = seed == 1 ? 500 : 0;
		const struct figure v[] = {
			{"handoff.context.truth", "type:io", truth, (uint64_t)truth},
			{"handoff.context.right", "type:io", truth - orphans, 1},
			{"handoff.context.orphan_only", "type:io", orphans, 1},
			{"handoff.context.orphan_rate", "type:io", orphans / truth,
			 (uint64_t)truth},
		};

		add_seed(&f, "base", "clean", "naive", seed, v, sizeof(v) / sizeof(v[0]));
	}
	fixture_text(&f, "cases.json", plain);
	fixture_end(&f);
	text = judged(&f, &cnt);
	fixture_line(text, "  A2  X", "things doubted*");
	cr_expect(strstr(text, "600 right, 500 orphaned, 0 wrong of 1100"), "%s", text);
	free(text);
}

Test(results_acceptance, the_page_has_everybody_and_says_who_was_not_confident)
{
	struct fixture f;
	struct diag d;
	char *text;

	make_run(&f, 20);
	cr_assert_eq(report_write(f.dir, &d), 0, "%s", d.reason);
	text = fixture_read(&f, "report.html");
	fixture_remove(&f);
	cr_expect(strstr(text, "<section id=\"acceptance\">"));
	cr_expect(strstr(text, ">nervous</th>"));
	cr_expect(strstr(text, "<td class=\"words\">right*</td>"), "alarmed on the base");
	cr_expect(strstr(text, "<td class=\"words\">right</td>"), "one wrong of 201 is none");
	free(text);
}

Test(results_acceptance, a_damaged_file_is_refused)
{
	struct fixture f;
	struct diag d = {0};
	size_t cnt = 7;

	make_run(&f, 20);
	fixture_text(&f, "cases.json", "{\"cases\":[{\"case\":\"A1\"}]}");
	cr_expect_eq(report_unreproduced(f.dir, &cnt, &d), -EINVAL);
	cr_expect(strstr(d.file, "cases.json"), "%s", d.file);
	cr_expect_eq(cnt, 7);
	fixture_remove(&f);
}
