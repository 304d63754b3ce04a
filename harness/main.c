/* SPDX-License-Identifier: BSD-2-Clause */
/* assay: the list of commands. */
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/version.h"

static const struct command commands[] = {
	{"doctor", "what this machine can run, what will be skipped, why, what to install",
	 cmd_doctor},
	{"bench", "plan, run, score and report a suite", cmd_bench},
	{"list", "workloads, profilers and suites of this build", cmd_list},
	{"plan", "write the cells of a suite to plan.tsv", cmd_plan},
	{"run", "make the cells of a plan", cmd_run},
	{"record", "record truth and evidence of one workload", cmd_record},
	{"join", "turn evidence into claims with one profiler", cmd_join},
	{"score", "score a run, or one file of claims against truth", cmd_score},
	{"report", "write the table and the page of a run", cmd_report},
	{"explain", "why claims are wrong, and what was missed", cmd_explain},
	{"truth", "export, import, check truth; make claims from it", cmd_truth},
	{"claims", "convert and check claims", cmd_claims},
	{"mutate", "build, verify and list mutations", cmd_mutate},
	{"manifest", "check, resolve, compile, compare and stamp manifests", cmd_manifest},
	{NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("assay " ASSAY_VERSION);
		return EXIT_GOOD;
	}
	return command_dispatch("assay", "A benchmark for profilers that knows the truth", commands,
				argc, argv);
}
