/* SPDX-License-Identifier: BSD-2-Clause */
/* assay report: the table in the terminal, the page for the browser. */
#include <stdio.h>

#include "harness/command.h"
#include "harness/run.h"
#include "lib/opts.h"
#include "results/report.h"

static const struct opts opts = {
	.command = "assay report",
	.usage = "RUN",
	.purpose = "Writes the page and plots of a scored run, prints its table",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay report results/latest",
		     "assay report results/runs/20261129-120000-smoke",
		     "xdg-open results/latest/report.html"},
};

int cmd_report(int argc, char **argv)
{
	char run[PATH_LEN];
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (run_find(argv[first], run, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	rc = report_write(run, &d);
	if (!rc)
		rc = report_table(run, stdout, &d);
	if (rc)
		return command_error(&d);
	printf("%s/report.html\n", run);
	return EXIT_GOOD;
}
