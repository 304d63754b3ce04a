/* SPDX-License-Identifier: BSD-2-Clause */
/* Acceptance cases: who is right, who doubted, who is wrong, and a case that is none. */
#include <errno.h>

#include "lib/formats/claims.h"
#include "results/report.h"
#include "tests/units/test_results_fixture.h"

struct figure {
	const char *metric, *scope;
	double value;
	uint64_t n;
};

static void add_cell(struct fixture *f, const char *variant, const char *profiler,
		     const struct figure *v, size_t cnt)
{
	struct figure_row row = {.run = "r-1",
				 .workload = "pool",
				 .variant = variant,
				 .profiler = profiler,
				 .division = "attach",
				 .regime = "clean",
				 .binding = "stamped",
				 .seed = 1,
				 .metric = "cell.scored",
				 .scope = "all",
				 .has_value = true,
				 .value = 1,
				 .n = 1,
				 .status = "ok"};
	char cell[96];
	struct diag d;

	snprintf(cell, sizeof(cell), "pool.%s.%s", variant, profiler);
	row.cell = cell;
	fprintf(f->plan, "%s\tjoin\tpool\t%s\t%s\tattach\tclean\tstamped\t1\t-\t-\n", cell, variant,
		profiler);
	fixture_status(f, cell, "ok");
	cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	for (size_t i = 0; i < cnt; i++) {
		row.metric = v[i].metric;
		row.scope = v[i].scope;
		row.value = v[i].value;
		row.n = v[i].n;
		cr_assert_eq(scores_csv_put(f->csv, &row, &d), 0, "%s", d.reason);
	}
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
	put_claims(f, "pool.q-mutant.careful", true, 100, "leak");
	put_claims(f, "pool.q-mutant.hasty", true, 99, "leak");
	put_claims(f, "pool.q-mutant.nervous", false, 50, "healthy");
	fixture_text(f, "cases.json", cases);
	fixture_end(f);
}

static char *table(double naive, size_t *ret_unreproduced)
{
	struct fixture f;
	char *text = NULL;
	size_t len = 0;
	struct diag d;
	FILE *out;

	make_run(&f, naive);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_assert_eq(report_unreproduced(f.dir, ret_unreproduced, &d), 0, "%s", d.reason);
	fixture_remove(&f);
	return text;
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
	char *text = NULL, *at, mine[sizeof(cases) + 64];
	size_t len = 0, cnt = 7;
	struct diag d;
	FILE *out;

	make_run(&f, 1);
	at = strstr(cases, "\"metric\":\"handoff");
	snprintf(mine, sizeof(mine), "%.*s%s%s", (int)(at - cases), cases, busy,
		 at + strlen("\"metric\""));
	fixture_text(&f, "cases.json", mine);
	out = open_memstream(&text, &len);
	cr_assert_eq(report_table(f.dir, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_assert_eq(report_unreproduced(f.dir, &cnt, &d), 0, "%s", d.reason);
	fixture_remove(&f);
	cr_expect_eq(cnt, 0, "%s", text);
	cr_expect(strstr(text, "no idle CPU"), "%s", text);
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
