/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a command, reporting an error, ending with the right code. */
#include "harness/command.h"

#include <errno.h>
#include <string.h>

#include "harness/process.h"
#include "harness/version.h"
#include "lib/opts.h"

enum { COMMANDS_MAX = 32 };

int command_error(const struct diag *d)
{
	diag_print(d, stderr);
	switch (d->err) {
	case -EINTR:
		return EXIT_INCONCLUSIVE;
	case -ENOTSUP:
		return EXIT_MISSING;
	default:
		return EXIT_BROKEN;
	}
}

static void print_list(const char *group, const char *purpose, const struct command *list,
		       FILE *out)
{
	fprintf(out, "usage: %s COMMAND [OPTIONS]\n%s.\n\n", group, purpose);
	for (; list->name; list++)
		fprintf(out, "  %-12s %s\n", list->name, list->summary);
}

/* Three whole commands of a group. */
static const struct {
	const char *group, *examples[3];
} groups[] = {
	{"assay",
	 {"assay doctor", "assay bench default",
	  "assay score --truth truth.jsonl --claims claims.jsonl"}},
	{"assay truth",
	 {"assay truth export wake.truth.bin | head", "assay truth check wake.truth.bin",
	  "assay truth synth --truth t.bin --claims c.bin"}},
	{"assay claims",
	 {"assay claims check claims.jsonl", "assay claims convert claims.bin claims.jsonl",
	  "assay claims convert claims.jsonl claims.bin --to binary"}},
	{"assay profiler",
	 {"assay profiler test ./mine", "sudo assay profiler test ./mine",
	  "assay profiler test causal"}},
	{"assay evidence",
	 {"assay evidence export wake.evidence.bin | head", "assay evidence export --schema",
	  "assay evidence export e.bin | jq -c 'select(.kind == \"sched-waking\")'"}},
	{"assay mutate",
	 {"assay mutate list", "assay mutate build move-pool-1 --form mutant",
	  "assay mutate verify move-pool-1"}},
	{"assay manifest",
	 {"assay manifest check pool.yaml", "assay manifest resolve pool.yaml ./pool",
	  "assay manifest stamp pool.yaml ./pool -o stamped.yaml"}},
};

static int help(const char *group, const char *purpose, const struct command *list)
{
	print_list(group, purpose, list, stdout);
	printf("\nEach explains itself: %s COMMAND --help\n\nexamples:\n", group);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (size_t e = 0; e < 3 && !strcmp(groups[i].group, group); e++)
			printf("  %s\n", groups[i].examples[e]);
	return EXIT_GOOD;
}

static int unknown(const char *group, const char *word, const struct command *list)
{
	const char *names[COMMANDS_MAX];
	struct diag d = {0};
	size_t cnt = 0;

	for (; list->name && cnt < COMMANDS_MAX; list++)
		names[cnt++] = list->name;
	opts_unknown(&d, word[0] == '-' ? "option" : "command", word, names, cnt);
	/* help says what each does, which a list of names does not */
	if (!strcmp(d.cure, "assay --help") || !strncmp(d.cure, "one of ", 7))
		snprintf(d.cure, sizeof(d.cure), "%s --help", group);
	diag_print(&d, stderr);
	return EXIT_USAGE;
}

int command_dispatch(const char *group, const char *purpose, const struct command *list, int argc,
		     char **argv)
{
	if (argc < 2) {
		print_list(group, purpose, list, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(group, purpose, list);
	for (const struct command *c = list; c->name; c++)
		if (!strcmp(c->name, argv[1]))
			return c->run(argc - 1, argv + 1);
	return unknown(group, argv[1], list);
}

int workshop_open(struct workshop *w, struct diag *d)
{
	int rc = process_setup(d);

	*w = (struct workshop){.programs = {.workloads_cnt = 0}};
	if (!rc)
		rc = programs_scan(&w->programs, d);
	if (!rc)
		machine_probe(&w->machine);
	w->programs.records = make_args.quads;
	return rc;
}

void workshop_close(struct workshop *w)
{
	programs_free(&w->programs);
}

int state_exit_code(enum cell_state state)
{
	static const int codes[CELL_STATE_CNT] = {
		[CELL_OK] = EXIT_GOOD,	      [CELL_UNSUPPORTED] = EXIT_MISSING,
		[CELL_INVALID] = EXIT_FAILED, [CELL_BROKEN] = EXIT_BROKEN,
		[CELL_TIMEOUT] = EXIT_FAILED, [CELL_CRASHED] = EXIT_FAILED,
	};

	return codes[state];
}

void tally_print(const struct tally *t, FILE *out)
{
	const char *sep = ": ";

	fprintf(out, "%zu cell%s", t->planned, t->planned == 1 ? "" : "s");
	for (unsigned s = 0; s < CELL_STATE_CNT; s++) {
		if (!t->counts[s])
			continue;
		fprintf(out, "%s%zu %s", sep, t->counts[s], cell_state_name(s));
		sep = ", ";
	}
	if (t->open)
		fprintf(out, "%s%zu not made", sep, t->open);
}
