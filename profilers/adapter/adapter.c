/* SPDX-License-Identifier: BSD-2-Clause */
/* The adapter contract for built-in profilers. */
#include "profilers/adapter/adapter.h"

#include <errno.h>
#include <string.h>

#include "lib/formats/evidence.h"
#include "profilers/adapter/options.h"

struct command {
	const char *name;
	int (*main)(int argc, char **argv, const struct joiner *j, const struct adapter_live *live);
	bool live;
};

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNSUPPORTED = 77 };

/* ---- describe ---- */

static void print_declares(const struct joiner *j)
{
	const char *comma = "";

	for (unsigned i = 0; i < DECLARES_CNT; i++)
		if (j->declares & 1u << i) {
			printf("%s\"%s\"", comma, declares_name(i));
			comma = ",";
		}
}

static int describe(int argc, char **argv, const struct joiner *j, const struct adapter_live *live)
{
	if (argc > 1) {
		fprintf(stderr, "assay: %s describe takes no options\n", argv[0]);
		return EXIT_USAGE;
	}
	printf("{\"name\":\"%s\",\"version\":\"%s\",\"division\":\"%s\",\"launch\":[%s\"join\"],"
	       "\"declares\":[",
	       j->name, j->version, j->division, live ? "\"attach\"," : "");
	print_declares(j);
	printf("],\"accepts\":[%s\"packed\"],\"needs\":%s}\n",
	       live && j->reload ? "\"control\"," : "", live ? live->needs : "[]");
	return fflush(stdout) ? EXIT_FAILED : 0;
}

/* ---- join and run ---- */

static int report(int err, const struct diag *d)
{
	if (!err)
		return 0;
	diag_print(d, stderr);
	return err == -ENOTSUP || err == -EPERM ? EXIT_UNSUPPORTED : EXIT_FAILED;
}

static int usage(const char *synopsis, const struct option_def *defs, size_t cnt, const char *more)
{
	puts(synopsis);
	options_print(defs, cnt, stdout);
	puts(more);
	return 0;
}

static bool wants_help(int argc, char **argv)
{
	return argc == 2 && !strcmp(argv[1], "--help");
}

static int join_evidence(const struct joiner *j, const char *evidence, const struct join_setup *s,
			 const char *claims, struct diag *d)
{
	struct adapter_join *join;
	struct evidence e;
	int err = evidence_load(evidence, &e, d);

	if (err)
		return err;
	join = adapter_join_open(j, s, claims, d);
	if (!join) {
		evidence_free(&e);
		return d->err;
	}
	for (size_t i = 0; i < e.cnt && !err; i++)
		err = adapter_join_record(join, &e.v[i]);
	evidence_free(&e);
	return adapter_join_close(join, err, d);
}

/* A manifest that is refused is no failure, but it is said. */
static int open_inputs(const struct joiner *j, const struct input_words *w, struct inputs *in,
		       struct diag *d)
{
	int err = inputs_open(w, in, d);

	if (!err && in->refused.err)
		fprintf(stderr, "assay: %s: %s\n", j->name, in->refused.reason);
	return err;
}

/* Only who may read the binary is shown another one. */
static size_t options_of(const struct joiner *j, size_t cnt)
{
	return strcmp(j->division, "binary") ? cnt - 1 : cnt;
}

static int join_main(int argc, char **argv, const struct joiner *j, const struct adapter_live *live)
{
	const char *evidence = NULL, *claims = NULL;
	struct input_words words = {0};
	struct inputs in = {0};
	const struct option_def defs[] = {
		{"evidence", OPTION_STRING, true, &evidence, "FILE", "what assay record wrote"},
		{"claims", OPTION_STRING, true, &claims, "FILE", "where claims go"},
		{"exe", OPTION_STRING, false, &words.exe, "FILE", "the workload's program"},
		{"manifest", OPTION_STRING, false, &words.manifest, "FILE", "its manifest"},
		{"binding", OPTION_STRING, false, &words.binding, "WORD", "how to bind it"},
		{"base", OPTION_STRING, false, &words.base, "FILE", "an earlier build of it"},
	};
	const size_t cnt = options_of(j, sizeof(defs) / sizeof(defs[0]));
	struct diag d = {0};
	int err;

	if (wants_help(argc, argv))
		return usage("usage: join OPTIONS", defs, cnt,
			     "examples:\n    join --evidence evidence.bin --claims claims.jsonl");
	if (options_parse(argc, argv, defs, cnt, &d) || inputs_check(&words, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	err = open_inputs(j, &words, &in, &d);
	if (!err)
		err = join_evidence(j, evidence, &in.setup, claims, &d);
	inputs_close(&in);
	return report(err, &d);
}

static int run_main(int argc, char **argv, const struct joiner *j, const struct adapter_live *live)
{
	struct input_words words = {0};
	struct adapter_run run = {.ready_fd = -1, .control_fd = -1, .words = &words};
	struct inputs in = {0};
	const struct option_def defs[] = {
		{"pid", OPTION_PID, true, &run.pid, "PID", "root of the process tree"},
		{"claims", OPTION_STRING, true, &run.claims, "FILE", "where claims go"},
		{"ready-fd", OPTION_FD, true, &run.ready_fd, "N", "gets one byte once attached"},
		{"exe", OPTION_STRING, false, &words.exe, "FILE", "the workload's program"},
		{"manifest", OPTION_STRING, false, &words.manifest, "FILE", "its manifest"},
		{"binding", OPTION_STRING, false, &words.binding, "WORD", "how to bind it"},
		{"ring-bytes", OPTION_BYTES, false, &run.ring_bytes, "SIZE", "ring buffer, 16M"},
		{"control-fd", OPTION_FD, false, &run.control_fd, "N",
		 "reload PATH on it replaces the manifest"},
		{"base", OPTION_STRING, false, &words.base, "FILE", "an earlier build of it"},
	};
	const size_t cnt = options_of(j, sizeof(defs) / sizeof(defs[0]));
	struct diag d = {0};
	int prepared = live->prepare(), err;

	if (wants_help(argc, argv))
		return usage("usage: run OPTIONS (until SIGINT)", defs, cnt,
			     "examples:\n    run --pid 4711 --claims claims.jsonl --ready-fd 1");
	if (options_parse(argc, argv, defs, cnt, &d) || inputs_check(&words, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (run.control_fd >= 0 && !j->reload) {
		fprintf(stderr,
			"assay: %s takes no other manifest while it runs\n"
			"       try: leave --control-fd out\n",
			j->name);
		return EXIT_USAGE;
	}
	err = open_inputs(j, &words, &in, &d);
	run.in = &in;
	if (!err)
		err = live->run(j, &run, prepared, &d);
	inputs_close(&in);
	return report(err, &d);
}

/* ---- main ---- */

static const struct command commands[] = {
	{"describe", describe, false},
	{"join", join_main, false},
	{"run", run_main, true},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void help(const struct joiner *j, const struct adapter_live *live, FILE *out)
{
	fprintf(out,
		"usage: %s describe | join OPTIONS%s\n"
		"Built-in profiler of assay; each command has --help.\n"
		"examples:\n"
		"    %s describe\n"
		"    %s join --evidence evidence.bin --claims claims.jsonl\n"
		"    %s join --evidence evidence.bin --claims claims.bin\n",
		j->name, live ? " | run OPTIONS" : "", j->name, j->name, j->name);
}

int adapter_main(int argc, char **argv, const struct joiner *j, const struct adapter_live *live)
{
	if (argc >= 2 && !strcmp(argv[1], "--help")) {
		help(j, live, stdout);
		return 0;
	}
	for (size_t i = 0; argc >= 2 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name) && (live || !commands[i].live))
			return commands[i].main(argc - 1, argv + 1, j, live);
	if (argc < 2)
		help(j, live, stderr);
	else
		fprintf(stderr, "assay: %s: no command %s\n       try: %s --help\n", j->name,
			argv[1], j->name);
	return EXIT_USAGE;
}
