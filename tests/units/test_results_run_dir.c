/* SPDX-License-Identifier: BSD-2-Clause */
/* Run folders: loaded whole, or refused with the reason. */
#include <criterion/criterion.h>
#include <errno.h>

#include "results/run_dir.h"
#include "test_results_fixture.h"

Test(run_dir, holds_what_the_files_say)
{
	struct fixture f;
	struct run_dir *r;
	struct diag d = {0};
	size_t sum = 0;

	fixture_make(&f, 2);
	cr_assert_eq(run_dir_load(f.dir, &r, &d), 0, "%s", d.reason);
	cr_expect_str_eq(r->run, "r-1");
	cr_expect_str_eq(r->cpu, "AMD & friends");
	cr_expect_eq(r->cpus, 2);
	cr_expect_eq(r->seed_cnt, 2);
	cr_expect_eq(r->skip_cnt, 1);
	cr_expect_str_eq(r->skips[0].cure, "run as root");
	cr_expect_eq(r->tool_cnt, 2);
	cr_expect_eq(r->cell_cnt, 2 * FIXTURE_CELL_CNT);
	for (size_t i = 0; i < CELL_STATE_CNT; i++)
		sum += r->counts[i];
	cr_expect_eq(sum, r->cell_cnt);
	cr_expect_eq(r->counts[CELL_TIMEOUT], 2);
	cr_expect_str_eq(r->cells[13].profiler, "causal");
	/* 64-bit integers come through whole */
	cr_expect(strstr(r->json, "18446744073709551"));
	run_dir_free(r);
	fixture_remove(&f);
}

static void expect(const struct fixture *f, int err, const char *file, const char *why)
{
	struct run_dir *r = NULL;
	struct diag d = {0};
	int got = run_dir_load(f->dir, &r, &d);

	cr_expect_eq(got, err, "%d: %s", got, d.reason);
	cr_expect(strstr(d.file, file), "%s is not about %s", d.file, file);
	cr_expect(strstr(d.reason, why), "\"%s\" does not say \"%s\"", d.reason, why);
	cr_expect_null(r, "the result was touched");
}

struct damage {
	char file[64], text[320], why[64];
	int err;
};

#define PLAN                                                                                       \
	"cell\tkind\tworkload\tvariant\tprofiler\tdivision\tregime\tbinding\tseed\tfrom\tparams\n"
#define STATUS "cells/c03.join.s1/status.json"

static const struct damage damages[] = {
	{"run.json", "{", "no JSON", -EINVAL},
	{"run.json", "[]", "must be a JSON object", -EINVAL},
	{"run.json", "{\"run\":1,\"planned\":22}", "\"run\" must be a string", -EINVAL},
	{"run.json", "{\"run\":\"r\"}", "\"planned\" must be a count", -EINVAL},
	{"run.json", "{\"run\":\"r\",\"planned\":-1}", "\"planned\" must be a count", -EINVAL},
	{"run.json", "{\"run\":\"r\",\"planned\":22,\"skipped\":{}}", "must be an array", -EINVAL},
	{"run.json", "{\"run\":\"r\",\"planned\":22,\"tools\":[]}", "must be an object", -EINVAL},
	{"run.json", "{\"run\":\"r\",\"planned\":22,\"run\":\"s\"}", "duplicate", -EINVAL},
	{"plan.tsv", "", "header line is missing", -EINVAL},
	{"plan.tsv", "cell\tkind\n", "11 columns", -EINVAL},
	{"plan.tsv", PLAN "a\tb\n", "11 tab-separated columns", -EINVAL},
	{"plan.tsv", PLAN "a\tjoin\tw\tbase\tp\tnone\tclean\t-\tx\t-\t-\n", "seed must be a count",
	 -EINVAL},
	{"plan.tsv", PLAN "../a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\n",
	 "must be the name of a folder", -EINVAL},
	{"plan.tsv", PLAN "a/b\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\n",
	 "must be the name of a folder", -EINVAL},
	{"plan.tsv",
	 PLAN "a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\n"
	      "a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\n",
	 "planned twice", -EINVAL},
	{"plan.tsv", PLAN "a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-", "not complete", -EINVAL},
	{"plan.tsv", PLAN "a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\n", "has 1 cells", -EINVAL},
	{STATUS, "{\"cell\":\"other\",\"state\":\"ok\"}", "\"cell\" must be", -EINVAL},
	{STATUS, "{\"cell\":\"c03.join.s1\",\"state\":\"fine\"}", "\"state\" must be ok", -EINVAL},
	{STATUS, "{\"cell\":\"c03.join.s1\"", "no JSON", -EINVAL},
	{STATUS, "{\"cell\":\"c03.join.s1\",\"state\":\"ok\",\"reason\":5}", "\"reason\" must be",
	 -EINVAL},
};

Test(run_dir, refuses_each_damaged_file_with_its_name_and_the_reason)
{
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct fixture f;

		fixture_make(&f, 1);
		fixture_text(&f, damages[i].file, damages[i].text);
		expect(&f, damages[i].err, damages[i].file, damages[i].why);
		fixture_remove(&f);
	}
}

Test(run_dir, names_the_line_of_a_bad_cell)
{
	struct fixture f;
	struct run_dir *r;
	struct diag d = {0};

	fixture_make(&f, 1);
	fixture_text(&f, "plan.tsv", PLAN "a\tjoin\tw\tbase\tp\tnone\tclean\t-\t1\t-\t-\nb\n");
	cr_assert_eq(run_dir_load(f.dir, &r, &d), -EINVAL);
	cr_expect_eq(d.line, 3);
	cr_expect(d.cure[0]);
	fixture_remove(&f);
}

Test(run_dir, says_how_many_cells_are_missing_and_how_to_go_on)
{
	struct fixture f;
	struct run_dir *r = NULL;
	struct diag d = {0};

	fixture_make(&f, 3);
	for (size_t i = 0; i < FIXTURE_CELL_CNT; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/cells/c%02zu.%s.s3/status.json", f.dir, i,
			 fixture_cells[i].kind);
		cr_assert_eq(unlink(path), 0, "%s", path);
	}
	cr_assert_eq(run_dir_load(f.dir, &r, &d), -EINVAL);
	cr_expect(strstr(d.reason, "22 of 66 planned cells have no state: c00.record.s3, "), "%s",
		  d.reason);
	cr_expect(strstr(d.reason, " more"), "%s", d.reason);
	cr_expect(strstr(d.cure, "--resume"), "%s", d.cure);
	fixture_remove(&f);
}

Test(run_dir, is_not_found_where_there_is_none)
{
	struct run_dir *r = NULL;
	struct diag d = {0};

	cr_expect_eq(run_dir_load("/nonexistent", &r, &d), -ENOENT);
	cr_expect(d.cure[0]);
	cr_expect_null(r);
}

Test(run_dir, refuses_a_path_that_leaves_no_room)
{
	struct run_dir *r = NULL;
	struct diag d = {0};
	char path[5000];

	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	cr_expect_eq(run_dir_load(path, &r, &d), -ENAMETOOLONG);
}
