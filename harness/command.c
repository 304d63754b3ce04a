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

static int help(const char *group, const char *purpose, const struct command *list)
{
	print_list(group, purpose, list, stdout);
	if (strchr(group, ' '))
		printf("\nEach of them explains itself: %s COMMAND --help\n", group);
	else
		printf("\nEach command explains itself: assay COMMAND --help\n\nexamples:\n"
		       "  assay doctor\n  assay bench default\n"
		       "  assay score --truth truth.jsonl --claims claims.jsonl\n");
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
	if (!d.cure[0])
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

	fprintf(out, "%zu cells", t->planned);
	for (unsigned s = 0; s < CELL_STATE_CNT; s++) {
		if (!t->counts[s])
			continue;
		fprintf(out, "%s%zu %s", sep, t->counts[s], cell_state_name(s));
		sep = ", ";
	}
	if (t->open)
		fprintf(out, "%s%zu not made", sep, t->open);
}
