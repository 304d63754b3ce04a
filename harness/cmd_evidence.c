/* SPDX-License-Identifier: BSD-2-Clause */
/* assay evidence: what a collector recorded, as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/file_kind.h"
#include "lib/formats/evidence_text.h"
#include "lib/opts.h"

static bool schema;

static const struct opt table[] = {
	{"schema", 0, OPT_FLAG, NULL, "print the JSON Schema of a line instead", &schema, 0, 0,
	 NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts export_opts = {
	.command = "assay evidence export",
	.usage = "FILE | --schema",
	.purpose = "Prints evidence as JSON Lines",
	.table = table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay evidence export uring.evidence.bin | head",
		     "assay evidence export e.bin | jq -c 'select(.kind == \"proc-exit\")'",
		     "assay evidence export --schema > evidence.schema.json"},
};

static int print(const char *path)
{
	struct diag d = {0};
	struct evidence e;
	int rc;

	if (evidence_load(path, &e, &d)) {
		rc = command_error(&d);
		file_kind_note(path, "evidence");
		return rc;
	}
	rc = evidence_export(&e, stdout);
	if (!rc && fflush(stdout))
		rc = -errno;
	evidence_free(&e);
	if (!rc || rc == -EPIPE)
		return EXIT_GOOD;
	diag_set(&d, rc, "standard output", 0, NULL, "cannot be written: %s", strerror(-rc));
	return command_error(&d);
}

static int export(int argc, char **argv)
{
	struct diag d = {0};
	int first, rc = opts_start(&export_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (schema) {
		evidence_schema(stdout);
		return EXIT_GOOD;
	}
	if (first < argc)
		return print(argv[first]);
	diag_set(&d, -EINVAL, export_opts.command, 0, export_opts.examples[0], "there is no file");
	diag_print(&d, stderr);
	return EXIT_USAGE;
}

int cmd_evidence(int argc, char **argv)
{
	static const struct command parts[] = {
		{"export", "print evidence as JSON Lines", export},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay evidence", "Evidence: what a collector recorded", parts,
				argc, argv);
}
