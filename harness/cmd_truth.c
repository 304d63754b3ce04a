/* SPDX-License-Identifier: BSD-2-Clause */
/* assay truth: export, import, check, canon, to-claims, synth. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "groundtruth/truth.h"
#include "harness/cmd_synth.h"
#include "harness/command.h"
#include "harness/file_kind.h"
#include "harness/from_truth.h"
#include "lib/opts.h"

static const struct opts export_opts = {
	.command = "assay truth export",
	.usage = "FILE",
	.purpose = "Prints truth as JSON Lines",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay truth export uring.truth.bin", "assay truth export t.bin > truth.jsonl",
		     "assay truth export t.bin | grep '\"r\":\"handoff\"' | head"},
};

static const struct opts import_opts = {
	.command = "assay truth import",
	.usage = "FROM INTO",
	.purpose = "Packs JSON Lines; export gives the same bytes",
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay truth import truth.jsonl truth.bin",
		     "assay truth import t.jsonl t.bin && assay truth export t.bin | cmp - t.jsonl",
		     "assay truth import edited.jsonl edited.bin"},
};

static const struct opts check_opts = {
	.command = "assay truth check",
	.usage = "FILE",
	.purpose = "Runs every self-check on truth",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay truth check uring.truth.bin", "assay truth check truth.jsonl",
		     "assay truth check t.bin && echo sound"},
};

static const struct opts canon_opts = {
	.command = "assay truth canon",
	.usage = "FILE",
	.purpose = "Prints what a run means, sorted: equal texts, equal runs",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay truth canon uring.truth.bin", "assay truth canon a.bin | sha256sum",
		     "diff <(assay truth canon a.bin) <(assay truth canon b.bin)"},
};

static const char *const modes[] = {"oracle", "liar", "liar-decoys", NULL};

static struct {
	unsigned mode;
	bool binary;
} args;

static const struct opt claims_table[] = {
	{"as", 0, OPT_CHOICE, "WHO", "oracle, liar or liar-decoys (oracle)", &args.mode, 0, 0,
	 modes},
	{"binary", 0, OPT_FLAG, NULL, "packed claims (JSON Lines)", &args.binary, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts claims_opts = {
	.command = "assay truth to-claims",
	.usage = "TRUTH CLAIMS [--as WHO]",
	.purpose = "Makes claims from truth: always right, or always wrong",
	.table = claims_table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay truth to-claims uring.truth.bin oracle.jsonl",
		     "assay truth to-claims t.bin liar.bin --as liar --binary",
		     "assay truth to-claims t.bin decoys.jsonl --as liar-decoys"},
};

static int load(const char *path, struct truth *ret, struct diag *d)
{
	return truth_load(path, ret, d);
}

static int truth_error(const struct diag *d, const char *path)
{
	int code = command_error(d);

	if (d->err == -EINVAL)
		file_kind_note(path, "truth");
	return code;
}

static int print_error(int rc, struct diag *d)
{
	diag_set(d, rc, "standard output", 0, NULL, "cannot be written: %s", strerror(-rc));
	return command_error(d);
}

/* Prints the truth in argv's file by one of the two printers. */
static int print_with(const struct opts *o, int argc, char **argv,
		      int (*print)(const struct truth *, FILE *))
{
	struct truth t;
	struct diag d = {0};
	int first, rc = opts_start(o, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (load(argv[first], &t, &d))
		return truth_error(&d, argv[first]);
	rc = print(&t, stdout);
	if (!rc && fflush(stdout))
		rc = -errno;
	truth_free(&t);
	return rc ? print_error(rc, &d) : EXIT_GOOD;
}

static int export(int argc, char **argv)
{
	return print_with(&export_opts, argc, argv, truth_export);
}

static int canon(int argc, char **argv)
{
	return print_with(&canon_opts, argc, argv, truth_canon);
}

static int import(int argc, char **argv)
{
	struct truth t;
	struct diag d = {0};
	int first, rc = opts_start(&import_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (output_check(argv[first + 1], &d) || load(argv[first], &t, &d))
		return truth_error(&d, argv[first]);
	rc = truth_save(&t, argv[first + 1], &d);
	truth_free(&t);
	return rc ? command_error(&d) : EXIT_GOOD;
}

static int check(int argc, char **argv)
{
	struct truth t;
	struct diag d = {0};
	int first, rc = opts_start(&check_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (load(argv[first], &t, &d))
		return truth_error(&d, argv[first]);
	rc = truth_check(&t, argv[first], &d);
	if (!rc)
		printf("%s: sound: %zu operations, %zu handoffs, %zu events, %zu decoys\n",
		       argv[first], t.ops_cnt, t.handoffs_cnt, t.events_cnt, t.decoys_cnt);
	truth_free(&t);
	return rc ? command_error(&d) : EXIT_GOOD;
}

static int to_claims(int argc, char **argv)
{
	struct diag d = {0};
	int first, rc = opts_start(&claims_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (output_check(argv[first + 1], &d) ||
	    from_truth(argv[first], (enum truth_claims)args.mode, argv[first + 1],
		       args.binary ? CLAIMS_BINARY : CLAIMS_JSON, &d))
		return truth_error(&d, argv[first]);
	return EXIT_GOOD;
}

int cmd_truth(int argc, char **argv)
{
	static const struct command parts[] = {
		{"export", "print truth as JSON Lines", export},
		{"import", "pack JSON Lines", import},
		{"check", "run every self-check", check},
		{"canon", "print what the run means", canon},
		{"to-claims", "make claims that are always right, or always wrong", to_claims},
		{"synth", "make up a run whose score is known", cmd_synth},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay truth", "Truth: what the evaluator knows of a run", parts,
				argc, argv);
}
