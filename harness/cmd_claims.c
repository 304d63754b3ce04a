/* SPDX-License-Identifier: BSD-2-Clause */
/* assay claims: convert and check. */
#include <errno.h>
#include <stdio.h>

#include "harness/command.h"
#include "harness/convert.h"
#include "lib/opts.h"

static const char *const forms[] = {"json", "binary", NULL};

static struct {
	unsigned form;
} args;

static const struct opt convert_table[] = {
	{"to", 0, OPT_CHOICE, "FORM", "json or binary (json)", &args.form, 0, 0, forms},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts convert_opts = {
	.command = "assay claims convert",
	.usage = "FROM INTO [--to json|binary]",
	.purpose = "Turns one form of claims into the other",
	.table = convert_table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay claims convert claims.bin claims.jsonl",
		     "assay claims convert claims.jsonl claims.bin --to binary",
		     "assay claims convert claims.bin /dev/stdout | head"},
};

static const struct opts check_opts = {
	.command = "assay claims check",
	.usage = "FILE",
	.purpose = "Says whether claims are well-formed, or what is wrong where",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay claims check claims.jsonl", "assay claims check claims.bin",
		     "assay claims check claims.jsonl && echo fine"},
};

/* Malformed claims are a failed check; a file that cannot be read or written is another thing. */
static int claims_error(const struct diag *d)
{
	if (d->err != -EINVAL)
		return command_error(d);
	diag_print(d, stderr);
	return EXIT_FAILED;
}

static int convert(int argc, char **argv)
{
	struct diag d = {0};
	int first, rc = opts_start(&convert_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (args.form && output_check(argv[first + 1], &d))
		return command_error(&d);
	rc = convert_claims(argv[first], argv[first + 1], args.form ? CLAIMS_BINARY : CLAIMS_JSON,
			    &d);
	return rc ? claims_error(&d) : EXIT_GOOD;
}

static int check(int argc, char **argv)
{
	struct claims c;
	struct diag d = {0};
	int first, rc = opts_start(&check_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (claims_load(argv[first], &c, &d))
		return claims_error(&d);
	printf("%s: %zu claims of %s %s are well-formed\n", argv[first], c.cnt, c.header.profiler,
	       c.header.version);
	claims_free(&c);
	return EXIT_GOOD;
}

int cmd_claims(int argc, char **argv)
{
	static const struct command parts[] = {
		{"convert", "JSON Lines into the packed form or back", convert},
		{"check", "is this file well-formed?", check},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay claims", "Claims: what a profiler says that it saw", parts,
				argc, argv);
}
