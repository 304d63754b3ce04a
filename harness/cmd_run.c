/* SPDX-License-Identifier: BSD-2-Clause */
/* assay run: the cells of a plan, all or a shard, from the start or where they stopped. */
#include "harness/command.h"
#include "harness/run.h"
#include "lib/opts.h"

static struct {
	bool resume;
	const char *shard;
} args = {.shard = "1/1"};

static const struct opt table[] = {
	{"resume", 0, OPT_FLAG, NULL, "make only cells that have not ended", &args.resume, 0, 0,
	 NULL},
	{"shard", 0, OPT_STR, "K/N", "only the k-th of n parts (1/1)", &args.shard, 0, 0, NULL},
	MAKE_OPTS,
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay run",
	.usage = "PLAN [--resume] [--shard K/N]",
	.purpose = "Makes the cells of a plan in the folder in which it lies",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay run results/latest/plan.tsv", "assay run --resume results/latest",
		     "assay run --shard 2/4 results/latest"},
};

static int usage(const struct diag *d)
{
	diag_print(d, stderr);
	return EXIT_USAGE;
}

int cmd_run(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	char run[PATH_LEN], path[PATH_LEN];
	unsigned k, n;
	bool ended;
	struct plan p = {0};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (shard_parse(args.shard, &k, &n, &d))
		return usage(&d);
	if (make_engine_check(&d))
		return command_error(&d);
	if (run_find(argv[first], run, &d))
		return usage(&d);
	rc = path_format(path, &d, "%s/plan.tsv", run);
	if (!rc)
		rc = plan_load(path, &p, &d);
	if (rc)
		return usage(&d);
	rc = workshop_open(&w, &d);
	if (rc)
		rc = command_error(&d);
	else
		rc = make_run(&w, run, &p, NULL, k, n, args.resume, &ended);
	if (!d.err)
		print_left_out(&w, run, &p, stdout);
	plan_free(&p);
	workshop_close(&w);
	return rc;
}
