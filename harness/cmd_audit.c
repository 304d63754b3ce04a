/* SPDX-License-Identifier: BSD-2-Clause */
/* assay audit: does a profiler lean on truth? Does guessing work on a workload? */
#include <errno.h>

#include "harness/audit.h"
#include "lib/opts.h"

static struct {
	const char *workload, *out;
	uint64_t runs, ops, seed;
	bool workloads;
} args = {.runs = AUDIT_RUNS_MIN, .ops = 400, .seed = 1};

static const struct opt table[] = {
	{"workloads", 0, OPT_FLAG, NULL, "judge the workloads: how well can they be guessed?",
	 &args.workloads, 0, 0, NULL},
	{"workload", 0, OPT_STR, "NAME", "to judge a profiler on (what shows most)", &args.workload,
	 0, 0, NULL},
	{"runs", 0, OPT_COUNT, "N", "runs of each arm, 5 to 8 (5)", &args.runs, AUDIT_RUNS_MIN,
	 AUDIT_RUNS_MAX, NULL},
	{"ops", 0, OPT_COUNT, "N", "operations of a run (400)", &args.ops, 1, 1000000, NULL},
	{"seed", 0, OPT_U64, "N", "(1)", &args.seed, 0, 0, NULL},
	{"out", 'o', OPT_STR, "DIR", "keep the run of --workloads there", &args.out, 0, 0, NULL},
	MAKE_OPTS,
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay audit",
	.usage = "PROFILER | --workloads",
	.purpose = "Does what a profiler claims depend on truth? What can be guessed?",
	.table = table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay audit ./mine", "assay audit causal --workload pool --runs 8",
		     "assay audit --workloads"},
};

int cmd_audit(int argc, char **argv)
{
	struct audit_options o;
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (args.workloads == (first < argc)) {
		diag_set(&d, -EINVAL, "assay audit", 0, opts.examples[0],
			 "either a profiler or --workloads");
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (make_engine_check(&d) || workshop_open(&w, &d))
		return command_error(&d);
	o = (struct audit_options){.profiler = args.workloads ? NULL : argv[first],
				   .workload = args.workload,
				   .runs = args.runs,
				   .ops = args.ops,
				   .seed = args.seed};
	rc = args.workloads ? audit_workloads(&w, args.out) : audit_profiler(&w, &o);
	workshop_close(&w);
	return rc;
}
