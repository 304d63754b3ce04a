/* SPDX-License-Identifier: BSD-2-Clause */
/* assay truth synth: makes up a run whose score is known. */
#include "harness/cmd_synth.h"

#include <errno.h>
#include <string.h>

#include "groundtruth/synth.h"
#include "harness/command.h"
#include "lib/files.h"
#include "lib/opts.h"

static struct {
	uint64_t seed, handoffs, threads, keys;
	const char *truth, *claims, *expect, *shares, *types;
	bool text;
} args;

enum { HELP_COLUMN = 26, HELP_WIDTH = 78 };

/* --shares with the cases, wrapped; filled before the table is read. */
static char shares_help[1024] = "CASE=SHARE,…: these alone, of the cases";

static const struct opt table[] = {
	{"seed", 0, OPT_U64, "N", "same seed, same bytes (1)", &args.seed, 0, 0, NULL},
	{"handoffs", 0, OPT_COUNT, "N", "handoffs of truth, exactly (10K)", &args.handoffs, 1,
	 SYNTH_HANDOFFS_MAX, NULL},
	{"truth", 0, OPT_STR, "FILE", "where truth goes", &args.truth, 0, 0, NULL},
	{"claims", 0, OPT_STR, "FILE", "where the claims go", &args.claims, 0, 0, NULL},
	{"expect", 0, OPT_STR, "FILE", "where the counts go (standard output)", &args.expect, 0, 0,
	 NULL},
	{"shares", 0, OPT_STR, "LIST", shares_help, &args.shares, 0, 0, NULL},
	{"types", 0, OPT_STR, "LIST", "handoff types, io,wake,… (all ten)", &args.types, 0, 0,
	 NULL},
	{"threads", 0, OPT_COUNT, "N", "threads; four hold a case at a time (8)", &args.threads,
	 SYNTH_THREADS_MIN, SYNTH_THREADS_MAX, NULL},
	{"keys", 0, OPT_COUNT, "N", "key values, all threads together (1024)", &args.keys, 2,
	 UINT32_MAX, NULL},
	{"text", 0, OPT_FLAG, NULL, "JSON Lines (packed)", &args.text, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts synth_opts = {
	.command = "assay truth synth",
	.usage = "--truth FILE --claims FILE [--expect FILE]",
	.purpose = "Makes up truth, claims and what scoring them must give",
	.table = table,
	.examples = {"assay truth synth --truth t.bin --claims c.bin --expect e.json",
		     "assay truth synth --handoffs 10M --shares right=0.9,false_join=0.02 "
		     "--truth t.bin --claims c.bin",
		     "assay truth synth --handoffs 100 --text --truth t.jsonl --claims c.jsonl"},
};

static int options_make(struct synth_options *o, struct diag *d)
{
	int err = 0;

	o->seed = args.seed;
	o->handoffs = args.handoffs;
	o->threads = (uint32_t)args.threads;
	o->keys = (uint32_t)args.keys;
	o->text = args.text;
	if (args.shares)
		err = synth_shares_parse(args.shares, o->share, d);
	if (!err && args.types)
		err = synth_types_parse(args.types, &o->types, d);
	if (!err && (!args.truth || !args.claims))
		err = diag_set(d, -EINVAL, "", 0, "give --truth FILE and --claims FILE",
			       "no file for %s", args.truth ? "the claims" : "truth");
	if (!err && !strcmp(args.truth, args.claims))
		err = diag_set(d, -EINVAL, args.truth, 0, "name two files",
			       "truth and claims cannot be one file");
	return err ? err : synth_check(o, d);
}

static int print_counts(const struct synth_expect *e, FILE *out)
{
	int err = synth_expect_print(e, out);

	return err ? err : fflush(out) ? -errno : 0;
}

static int report(const struct synth_expect *e, struct diag *d)
{
	struct file_out out;
	int err;

	if (!args.expect) {
		err = print_counts(e, stdout);
		return err ? file_error(d, err, "standard output", "write") : 0;
	}
	err = file_out_open(&out, args.expect, d);
	if (err)
		return err;
	err = print_counts(e, out.f);
	if (!err)
		return file_out_commit(&out, d);
	file_out_abort(&out);
	return file_error(d, err, args.expect, "write");
}

static void fill_help(void)
{
	size_t len = strlen(shares_help), column = HELP_WIDTH;

	for (unsigned c = 0; c < SYNTH_CASE_CNT; c++) {
		const char *name = synth_case_name(c);
		size_t room = sizeof(shares_help) - len;

		if (column + 1 + strlen(name) > HELP_WIDTH) {
			len += (size_t)snprintf(shares_help + len, room, "\n%*s%s", HELP_COLUMN, "",
						name);
			column = HELP_COLUMN + strlen(name);
		} else {
			len += (size_t)snprintf(shares_help + len, room, " %s", name);
			column += 1 + strlen(name);
		}
	}
}

int cmd_synth(int argc, char **argv)
{
	struct synth_options o;
	struct synth_expect e;
	struct diag d = {0};
	int first, rc;

	synth_defaults(&o);
	fill_help();
	args.seed = o.seed;
	args.handoffs = o.handoffs;
	args.threads = o.threads;
	args.keys = o.keys;
	rc = opts_start(&synth_opts, argc, argv, &first);
	if (rc >= 0)
		return rc;
	if (options_make(&o, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (synth_write(&o, args.truth, args.claims, &e, &d) || report(&e, &d))
		return command_error(&d);
	return EXIT_GOOD;
}
