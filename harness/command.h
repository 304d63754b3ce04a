/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame of every command: one const descriptor, errors, exit codes.
 *
 * A command parses (lib/opts.h), runs and reports; the library below it never prints. Errors go to
 * standard error once, results to standard output. Exit codes: contracts §6.
 */
#ifndef ASSAY_HARNESS_COMMAND_H
#define ASSAY_HARNESS_COMMAND_H

#include <stdio.h>

#include "harness/folder.h"
#include "harness/machine.h"
#include "harness/programs.h"
#include "harness/trial.h"
#include "lib/diag.h"

enum exit_code {
	EXIT_GOOD = 0,
	EXIT_FAILED = 1, /* a check failed: invalid claims, a profiler that did not end well */
	EXIT_USAGE = 2,
	EXIT_INCONCLUSIVE = 3, /* interrupted: cells are open */
	EXIT_BROKEN = 4,       /* broken run or truth, or nothing executed */
	EXIT_MISSING = 77,     /* unsupported here */
};

struct command {
	const char *name; /* as typed */
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0] is name; returns an exit code */
};

/* Prints the error; returns the exit code that its err means. */
int command_error(const struct diag *d);

/*
 * Runs the command that argv[1] names. group is what was typed so far ("assay", "assay truth").
 * Help, a missing and a mistyped word end here; lists end with a NULL name.
 */
int command_dispatch(const char *group, const char *purpose, const struct command *list, int argc,
		     char **argv);

/*
 * One folder of the command's programs and what the machine can do, for commands that make cells.
 * Also routes the signals (process_setup). workshop_close is fine on zeros.
 */
struct workshop {
	struct programs programs;
	struct machine machine;
};
int workshop_open(struct workshop *w, struct diag *d);
void workshop_close(struct workshop *w);

/* The exit code of a state, for commands that make one cell. */
int state_exit_code(enum cell_state state);

/* "12 cells: 10 ok, 2 unsupported", without line end. */
void tally_print(const struct tally *t, FILE *out);

/* ---- commands that make cells ---- */

/* Options that they share, with their defaults. */
struct make_args {
	const char *results;   /* --results */
	const char *reference; /* --reference; NULL: look for them */
	const char *quads;     /* --quads; NULL: those of the sources */
	uint64_t patience_ns;  /* --time-limit */
	uint64_t file_bytes;   /* --file-limit */
	unsigned engine;       /* --engine */
};
extern struct make_args make_args;
extern const char *const make_engines[];

/* Rows of a table of options. */
#define QUADS_OPT                                                                                  \
	{                                                                                          \
		"quads", 0, OPT_STR, "DIR", "mutations of this folder (the sources' own)",         \
			&make_args.quads, 0, 0, NULL                                               \
	}
#define MAKE_OPTS                                                                                  \
	QUADS_OPT, {"results",		0, OPT_STR, "DIR", "where runs are kept (results)",        \
		    &make_args.results, 0, 0,	    NULL},                                         \
	{                                                                                          \
		"reference", 0, OPT_STR, "DIR",                                                    \
			"stored runs (where the build or install has them)", &make_args.reference, \
			0, 0, NULL                                                                 \
	}
#define LIMIT_OPTS                                                                                 \
	{"time-limit",		 0, OPT_DURATION, "TIME", "to start, attach, drain, end (20s)",    \
	 &make_args.patience_ns, 1, UINT64_MAX,	  NULL},                                           \
		{"file-limit",                                                                     \
		 0,                                                                                \
		 OPT_BYTES,                                                                        \
		 "SIZE",                                                                           \
		 "largest file a profiler may write (1G)",                                         \
		 &make_args.file_bytes,                                                            \
		 4096,                                                                             \
		 UINT64_MAX,                                                                       \
		 NULL},                                                                            \
	{                                                                                          \
		"engine", 0, OPT_CHOICE, "ENGINE", "local (slurm: in a later version)",            \
			&make_args.engine, 0, 0, make_engines                                      \
	}

struct trial_limits make_limits(void);

/* Where the stored runs are: what the user says, or beside the results, the build, the install. */
int make_reference(const struct workshop *w, char ret[PATH_LEN], struct diag *d);

/* 0, or -ENOTSUP for an engine that is not there yet. */
int make_engine_check(struct diag *d);

/*
 * Makes the open cells of a run under a progress bar and prints how they ended. Returns an exit
 * code; *ret_ended tells whether all of the shard's cells have ended. suite as in run_options; a
 * command that names one scores the run too, and says itself when it is finished.
 */
int make_run(struct workshop *w, const char *run, const struct plan *p, const char *suite,
	     unsigned shard, unsigned shards, bool resume, bool *ret_ended);

/* Scores a run under a progress bar. */
int make_scores(struct workshop *w, const char *run, const struct plan *p, struct diag *d);

/* Lines for what was left out and for what failed; nothing if there is neither. */
void print_left_out(struct workshop *w, const char *run, const struct plan *p, FILE *out);

int cmd_doctor(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_regime(int argc, char **argv);
int cmd_join(int argc, char **argv);
int cmd_score(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_truth(int argc, char **argv);
int cmd_evidence(int argc, char **argv);
int cmd_claims(int argc, char **argv);
int cmd_profiler(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_overhead(int argc, char **argv);
int cmd_audit(int argc, char **argv);

/* The table of `assay mutate list`. */
struct house;
struct mutation_list;
void mutations_print(const struct house *h, const struct mutation_list *l);
int cmd_manifest(int argc, char **argv);

#endif
