/* SPDX-License-Identifier: BSD-2-Clause */
/* assay join: evidence into claims with one profiler. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/command.h"
#include "harness/convert.h"
#include "harness/file_kind.h"
#include "harness/single.h"
#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "lib/opts.h"

static struct {
	const char *evidence, *claims, *manifest, *exe;
	bool binary;
} args;

static const struct opt table[] = {
	{"evidence", 0, OPT_STR, "FILE", "records of a collector", &args.evidence, 0, 0, NULL},
	{"claims", 0, OPT_STR, "FILE", "where claims go", &args.claims, 0, 0, NULL},
	{"manifest", 0, OPT_STR, "FILE", "what probe sites of the program mean", &args.manifest, 0,
	 0, NULL},
	{"exe", 0, OPT_STR, "FILE", "the program: the manifest is stamped with its build-id",
	 &args.exe, 0, 0, NULL},
	{"binary", 0, OPT_FLAG, NULL, "packed claims (JSON Lines)", &args.binary, 0, 0, NULL},
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay join",
	.usage = "PROFILER --evidence FILE --claims FILE",
	.purpose = "Turns evidence into claims; needs no rights",
	.table = table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay join causal --evidence uring.evidence.bin --claims claims.jsonl",
		     "assay join ./mine --evidence uring.evidence.bin --claims claims.jsonl",
		     "assay join causal --evidence e.bin --manifest pool.yaml --claims c.jsonl"},
};

static int keep(const struct single *s, struct diag *d)
{
	char packed[PATH_LEN];
	int rc;

	if (args.binary)
		return single_take(s, "claims.bin", args.claims, d);
	rc = single_path(s, "claims.bin", packed, d);
	return rc ? rc : convert_claims(packed, args.claims, CLAIMS_JSON, d);
}

/* A joiner would be blamed for it, and would name its own copy. */
static int check_manifest(struct diag *d)
{
	struct manifest m;
	int rc = args.manifest ? manifest_load(args.manifest, &m, d) : 0;

	if (args.manifest && !rc)
		manifest_free(&m);
	return rc;
}

static int join(struct workshop *w, const char *profiler)
{
	const struct single_evidence from = {args.evidence, args.manifest, args.exe};
	struct trial_limits limits = make_limits();
	const struct profiler *p;
	struct single s = {.run = ""};
	struct diag d = {0};
	int rc;

	if (programs_profiler(&w->programs, profiler, &p, &d)) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (p->trouble.err) { /* nothing can be executed; or there is nothing under that name */
		diag_print(&p->trouble, stderr);
		return access(p->path, F_OK) ? EXIT_USAGE : EXIT_BROKEN;
	}
	/* given in place of another: no joiner is to say so */
	if (file_kind_wrong(args.evidence, "evidence") ||
	    file_kind_wrong(args.manifest, "a manifest") || file_kind_wrong(args.exe, "a program"))
		return EXIT_USAGE;
	rc = check_manifest(&d);
	if (rc == -EINVAL) {
		diag_print(&d, stderr);
		return EXIT_FAILED;
	}
	if (!rc)
		rc = single_open(&s, args.claims, &d);
	s.files[0].name = "evidence";
	s.files[0].shown = args.evidence;
	s.files[1].name = "claims";
	s.files[1].shown = args.claims;
	if (!rc)
		rc = single_plan_join(&s, profiler, &from, &d);
	if (!rc)
		rc = single_make(&s, &w->programs, &w->machine, &limits, &d);
	if (!rc && s.status.state == CELL_OK)
		rc = keep(&s, &d);
	if (!rc && s.status.reason[0])
		single_report(&s, stderr);
	single_close(&s);
	return rc ? command_error(&d) : state_exit_code(s.status.state);
}

int cmd_join(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (!args.evidence || !args.claims) {
		diag_set(&d, -EINVAL, "assay join", 0, "assay join --help",
			 "--evidence and --claims are both needed");
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (make_engine_check(&d) || workshop_open(&w, &d))
		return command_error(&d);
	rc = join(&w, argv[first]);
	workshop_close(&w);
	return rc;
}
