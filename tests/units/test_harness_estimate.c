/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a plan takes: by the formula, and as the last run says. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/estimate.h"

/* Recordings of ten seconds each, and a join of each that takes 1.012 of one processor. */
static void make_plan(struct plan *p, unsigned recordings)
{
	*p = (struct plan){0};
	for (unsigned i = 0; i < recordings; i++) {
		struct cell c = {.kind = KIND_RECORD,
				 .workload = "wake",
				 .variant = "base",
				 .profiler = "collector",
				 .division = "none",
				 .regime = "clean",
				 .binding = "-",
				 .seed = i + 1,
				 .from = "-",
				 .params = "ops=100000 rate=10638"};

		cr_assert(zero(int, plan_add(p, &c, NULL)));
		strcpy(c.from, p->v[p->cnt - 1].name);
		c.kind = KIND_JOIN;
		strcpy(c.profiler, "causal");
		cr_assert(zero(int, plan_add(p, &c, NULL)));
	}
}

Test(harness_estimate, counts_runs_one_after_another_and_joins_side_by_side)
{
	struct run_seconds e;
	struct plan p;

	make_plan(&p, 10);
	e = estimate_plan(&p, 2);
	cr_expect(epsilon_eq(dbl, e.runs, 100, 0.1));
	cr_expect(epsilon_eq(dbl, e.joins, 5.06, 0.01));
	cr_expect(gt(dbl, e.programs, 1));
	plan_free(&p);
}

Test(harness_estimate, corrects_what_was_long_enough_to_tell)
{
	const struct run_seconds e = {.runs = 100, .joins = 1};
	struct run_seconds took = {.runs = 150, .joins = 9}, by;

	by = estimate_correction(&e, &took);
	cr_expect(eq(dbl, by.runs, 1.5));
	cr_expect(eq(dbl, by.joins, 1), "a second says nothing");
	took.runs = 1e6;
	cr_expect(eq(dbl, estimate_correction(&e, &took).runs, 8), "no machine is so slow");
}

static void write_run(const char *run, const struct plan *p, const char *finished, const char *runs)
{
	char path[PATH_LEN];
	FILE *f;

	cr_assert(zero(int, mkdir(run, 0777)));
	snprintf(path, sizeof(path), "%s/plan.tsv", run);
	cr_assert(zero(int, plan_save(p, path, NULL)));
	snprintf(path, sizeof(path), "%s/run.json", run);
	f = fopen(path, "w");
	cr_assert(f != NULL);
	fprintf(f, "{\"finished\":\"%s\",\"seconds\":{\"programs\":1,\"runs\":%s,\"joins\":20}}\n",
		finished, runs);
	cr_assert(zero(int, fclose(f)));
}

Test(harness_estimate, is_as_long_as_cells_took_in_the_last_finished_run)
{
	char results[] = "/tmp/assay-estimate-XXXXXX", run[PATH_LEN], latest[PATH_LEN], command[64];
	struct plan before, p;
	struct run_seconds e;

	cr_assert(mkdtemp(results) != NULL);
	make_plan(&before, 10);
	make_plan(&p, 1);
	cr_expect(epsilon_eq(dbl, estimate_last(&p, 2, results, run).runs, 10, 0.1), "no run");
	cr_expect(eq(int, run[0], 0));
	snprintf(latest, sizeof(latest), "%s/latest", results);
	write_run(latest, &before, "2026-11-30T16:21:00Z", "200");
	e = estimate_last(&p, 2, results, run);
	cr_expect(epsilon_eq(dbl, e.runs, 20, 0.1));
	cr_expect(epsilon_eq(dbl, e.joins, 2, 0.02));
	cr_expect(eq(dbl, e.programs, estimate_plan(&p, 2).programs), "a bound stays one");
	cr_expect(gt(int, (int)strlen(run), 0));
	snprintf(command, sizeof(command), "rm -rf %s/latest", results);
	cr_assert(zero(int, system(command)));
	write_run(latest, &before, "", "50"); /* interrupted: cells of half the plan */
	cr_expect(epsilon_eq(dbl, estimate_last(&p, 2, results, run).runs, 10, 0.1), "unfinished");
	snprintf(command, sizeof(command), "rm -rf %s", results);
	cr_assert(zero(int, system(command)));
	plan_free(&before);
	plan_free(&p);
}
