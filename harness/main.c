/* SPDX-License-Identifier: BSD-2-Clause */
/* assay: the list of commands. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "lib/files.h"
#include "harness/version.h"

static const struct command commands[] = {
	{"doctor", "what this machine can run, what not, why, and the cure", cmd_doctor},
	{"bench", "plan, run, score and report a suite", cmd_bench},
	{"list", "workloads, profilers and suites of this build", cmd_list},
	{"plan", "write the cells of a suite to plan.tsv", cmd_plan},
	{"run", "make the cells of a plan", cmd_run},
	{"record", "record truth and evidence of one workload", cmd_record},
	{"regime", "lose, cut or forget records of evidence", cmd_regime},
	{"join", "turn evidence into claims with one profiler", cmd_join},
	{"score", "score a run, or one file of claims against truth", cmd_score},
	{"report", "write the table and the page of a run", cmd_report},
	{"compare", "two runs or two profilers: better, worse, or chance", cmd_compare},
	{"overhead", "what a profiler costs the workload that it watches", cmd_overhead},
	{"audit", "does a profiler lean on truth? does guessing work?", cmd_audit},
	{"explain", "why claims are wrong, and what was missed", cmd_explain},
	{"truth", "export, import, check truth; make claims from it", cmd_truth},
	{"evidence", "print what a collector recorded", cmd_evidence},
	{"claims", "convert and check claims", cmd_claims},
	{"profiler", "test whether a profiler keeps the adapter contract", cmd_profiler},
	{"mutate", "build, verify and list mutations", cmd_mutate},
	{"manifest", "check, resolve, compile, compare and stamp manifests", cmd_manifest},
	{NULL, NULL, NULL},
};

static const char purpose[] = "A benchmark for profilers that knows the truth";

/* `assay help`, `assay help truth export`: the words are those before --help. */
static int help(int argc, char **argv)
{
	char *words[8] = {argv[0]};
	int cnt = 1;

	for (; cnt < argc - 1 && cnt < 6; cnt++)
		words[cnt] = argv[cnt + 1];
	words[cnt] = (char *)"--help";
	return command_dispatch("assay", purpose, commands, cnt + 1, words);
}

static int run(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "help"))
		return help(argc, argv);
	return command_dispatch("assay", purpose, commands, argc, argv);
}

/* What was printed may still be in memory: a result that nobody got is no success. */
static int check_output(int code)
{
	struct diag d = {0};
	int failed = ferror(stdout), err = fclose(stdout) ? -errno : 0;

	/* Who closed the pipe has read enough; a broken command has said why. */
	if ((!failed && !err) || err == -EPIPE || code == EXIT_BROKEN)
		return code;
	file_error(&d, err ? err : -EIO, "standard output", "write");
	diag_print(&d, stderr);
	return code ? code : EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("assay " ASSAY_VERSION);
		return check_output(EXIT_GOOD);
	}
	return check_output(run(argc, argv));
}
