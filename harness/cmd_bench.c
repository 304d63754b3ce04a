/* SPDX-License-Identifier: BSD-2-Clause */
/* assay bench: plan, run, score, report. */
#include <errno.h>
#include <stdio.h>

#include "harness/command.h"
#include "harness/planning.h"
#include "lib/clock.h"
#include "lib/opts.h"
#include "results/report.h"

static struct {
	struct planning_args plan;
	const char *out;
} args;

static const struct opt table[] = {
	PLANNING_OPTS(args.plan),
	{"out", 'o', OPT_STR, "DIR", "folder of the run (a new one in RESULTS/runs)", &args.out, 0,
	 0, NULL},
	MAKE_OPTS,
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay bench",
	.usage = "SUITE [--seeds N]",
	.purpose = "Plans, runs, scores and reports a suite, then prints the table",
	.table = table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay bench default", "assay bench smoke --out /tmp/smoke",
		     "assay bench default --profiler ./mine --alone --workload pool"},
};

static int plan(struct workshop *w, const char *suite, char run[PATH_LEN], struct plan *ret)
{
	struct diag d = {0};
	int rc = planning_make(w, suite, &args.plan, ret, &d);

	if (!rc)
		rc = planning_folder(args.out, suite, run, &d);
	if (!rc)
		rc = planning_write(w, run, suite, ret, &d);
	if (!rc)
		planning_note(w, &args.plan, stderr);
	return rc ? planning_error(&d) : EXIT_GOOD;
}

static int report(struct workshop *w, const char *run, const struct plan *p)
{
	struct diag d = {0};
	int rc = make_scores(w, run, p, &d);

	if (!rc)
		rc = planning_finish(w, run, p, &d);
	if (!rc)
		rc = report_write(run, &d);
	if (!rc)
		rc = report_table(run, stdout, &d);
	return rc ? command_error(&d) : EXIT_GOOD;
}

/* A case that its reference does not get wrong is no case. */
static int check_cases(const char *run)
{
	struct diag d = {0};
	size_t cnt = 0;

	if (report_unreproduced(run, &cnt, &d))
		return command_error(&d);
	if (!cnt)
		return EXIT_GOOD;
	diag_set(&d, -EINVAL, run, 0, "the table says what it read",
		 "the naive reading is not wrong in %zu acceptance cases", cnt);
	fflush(stdout);
	diag_print(&d, stderr);
	return EXIT_FAILED;
}

/* A run whose cells did not all end well is still reported; its exit code stays. */
static int bench(struct workshop *w, const char *suite)
{
	uint64_t start = now_ns();
	char run[PATH_LEN];
	struct plan p = {0};
	int code = plan(w, suite, run, &p), reported;
	bool ended;

	if (!code) {
		code = make_run(w, run, &p, suite, 1, 1, false, &ended);
		if (ended) {
			reported = report(w, run, &p);
			code = code ? code : reported;
			printf("\n");
			print_left_out(w, run, &p, stdout);
			printf("%.0f seconds; the report is %s/report.html\n",
			       (double)(now_ns() - start) / 1e9, run);
			code = code ? code : check_cases(run);
		}
	}
	plan_free(&p);
	return code;
}

int cmd_bench(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (planning_suite(argc, first, &d) || planning_check(&args.plan, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (make_engine_check(&d) || workshop_open(&w, &d))
		return command_error(&d);
	rc = bench(&w, argv[first]);
	workshop_close(&w);
	return rc;
}
