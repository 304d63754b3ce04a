/* SPDX-License-Identifier: BSD-2-Clause */
/* assay plan: the cells of a suite, written or only estimated. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/estimate.h"
#include "harness/machine.h"
#include "harness/planning.h"
#include "lib/opts.h"

static struct {
	struct planning_args plan;
	const char *out;
	bool estimate;
} args;

static const struct opt table[] = {
	PLANNING_OPTS(args.plan),
	{"out", 'o', OPT_STR, "DIR", "folder of the run (a new one in RESULTS/runs)", &args.out, 0,
	 0, NULL},
	{"estimate", 0, OPT_FLAG, NULL, "only say how many cells and how long", &args.estimate, 0,
	 0, NULL},
	MAKE_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay plan",
	.usage = "SUITE [--seeds N] [--ops N] [--out DIR]",
	.purpose = "Writes the cells of a suite to plan.tsv and prints its path",
	.table = table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay plan default", "assay plan smoke --seeds 3 --out /tmp/smoke",
		     "assay plan default --seeds 12 --estimate"},
};

static int write_plan(struct workshop *w, const char *suite, const struct plan *p, struct diag *d)
{
	char run[PATH_LEN], path[PATH_LEN];
	int rc = planning_folder(args.out, suite, run, d);

	if (!rc)
		rc = planning_write(w, run, suite, p, d);
	if (!rc)
		rc = path_format(path, d, "%s/plan.tsv", run);
	if (!rc)
		puts(path);
	return rc;
}

static void print_estimate(const struct plan *p)
{
	char last[PATH_LEN];
	unsigned processors = machine_processors();
	struct run_seconds t = estimate_last(p, processors, make_args.results, last);

	printf("%zu cells: about %.0f s of running and %.0f of joining\n", p->cnt, t.runs, t.joins);
	if (t.programs >= 1)
		printf("and up to %.0f of building programs: less where earlier runs left "
		       "objects\n",
		       t.programs);
	if (last[0])
		printf("as long as cells took in %s\n", last);
	else
		printf("as where %u processor%s nothing else to do: no finished run here says how "
		       "long cells take\n",
		       processors, processors == 1 ? " has" : "s have");
}

int cmd_plan(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct plan p = {0};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (planning_suite(argc, first, &d) || planning_check(&args.plan, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	rc = workshop_open(&w, &d);
	if (!rc)
		rc = planning_make(&w, argv[first], &args.plan, &p, &d);
	if (!rc)
		planning_note(&w, &args.plan, stderr);
	if (!rc && args.estimate)
		print_estimate(&p);
	else if (!rc)
		rc = write_plan(&w, argv[first], &p, &d);
	plan_free(&p);
	workshop_close(&w);
	return rc ? planning_error(&d) : EXIT_GOOD;
}
