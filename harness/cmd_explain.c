/* SPDX-License-Identifier: BSD-2-Clause */
/* assay explain: why a claim is wrong, or what went wrong most in a cell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command.h"
#include "harness/file_kind.h"
#include "harness/run.h"
#include "lib/numbers.h"
#include "lib/opts.h"
#include "scoring/explain.h"

static struct {
	const char *run, *truth, *claims;
} args;

static const struct opt table[] = {
	{"run", 0, OPT_STR, "RUN", "the run of the cell (results/latest)", &args.run, 0, 0, NULL},
	{"truth", 0, OPT_STR, "FILE", "truth, in place of a cell", &args.truth, 0, 0, NULL},
	{"claims", 0, OPT_STR, "FILE", "claims, in place of a cell", &args.claims, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay explain",
	.usage = "CELL [CLAIM] | --truth FILE --claims FILE [CLAIM]",
	.purpose = "Says why claims are wrong and what was missed",
	.table = table,
	.args_max = 2,
	.examples = {"assay explain wake.base.fifo.join.clean.s1",
		     "assay explain results/latest/cells/wake.base.fifo.join.clean.s1 17",
		     "assay explain --truth truth.jsonl --claims claims.jsonl 3"},
};

static int usage(const struct diag *d)
{
	diag_print(d, stderr);
	return EXIT_USAGE;
}

/* ---- the two files of a cell ---- */

struct pair {
	char truth[PATH_LEN], claims[PATH_LEN];
};

static int unknown_cell(const struct plan *p, const char *name, struct diag *d)
{
	const char **names = calloc(p->cnt + 1, sizeof(*names));

	for (size_t i = 0; names && i < p->cnt; i++)
		names[i] = p->v[i].name;
	opts_unknown(d, "cell", name, names, names ? p->cnt : 0);
	free(names);
	if (!strcmp(d->cure, "assay --help"))
		snprintf(d->cure, sizeof(d->cure), "one of the cells in the run's plan.tsv");
	return -ENOENT;
}

/* *ret_code: what the command ends with where this fails. */
static int pair_of(const char *run, const struct plan *p, const char *name, struct pair *ret,
		   int *ret_code, struct diag *d)
{
	const struct cell *c = plan_find(p, name);
	struct cell_status s;
	char cure[PATH_LEN];
	int rc;

	*ret_code = EXIT_USAGE;
	if (!c)
		return unknown_cell(p, name, d);
	rc = status_read(run, name, &s, d);
	*ret_code = rc == -ENOENT ? EXIT_INCONCLUSIVE : EXIT_BROKEN;
	if (rc == -ENOENT)
		return diag_set(d, -EINVAL, run, 0, "assay run --resume", "%.200s has not ended",
				name);
	if (rc)
		return rc;
	*ret_code = EXIT_USAGE;
	if (c->kind == KIND_RECORD || c->kind == KIND_REFERENCE)
		return diag_set(d, -ENOENT, name, 0, "name a cell that is made from it (plan.tsv)",
				"it is a recording: truth and evidence, and nobody's claims");
	*ret_code = state_exit_code(s.state);
	if (s.state != CELL_OK)
		return diag_set(d, -EINVAL, name, 0, status_cure(run, name, &s, cure),
				"%s, without claims: %.300s", cell_state_name(s.state), s.reason);
	*ret_code = EXIT_BROKEN;
	rc = path_format(ret->truth, d, "%s/cells/%s/truth.bin", run, cell_truth(c));
	return rc ? rc : path_format(ret->claims, d, "%s/cells/%s/claims.bin", run, name);
}

/* RUN/cells/CELL, as other commands print it: the cell, with its run in ret. */
static const char *cell_of_path(const char *name, char ret[PATH_LEN])
{
	const char *cells = strstr(name, "/cells/");

	if (!cells || args.run || path_format(ret, NULL, "%.*s", (int)(cells - name), name))
		return name;
	return cells + strlen("/cells/");
}

static int find_pair(const char *name, struct pair *ret, int *ret_code, struct diag *d)
{
	char run[PATH_LEN], path[PATH_LEN], given[PATH_LEN] = "results/latest";
	struct plan p;
	int rc;

	name = cell_of_path(name, given);
	rc = run_find(args.run ? args.run : given, run, d);
	if (!rc)
		rc = path_format(path, d, "%s/plan.tsv", run);
	if (!rc)
		rc = plan_load(path, &p, d);
	*ret_code = rc == -ENOENT ? EXIT_USAGE : EXIT_BROKEN;
	if (rc)
		return rc;
	rc = pair_of(run, &p, name, ret, ret_code, d);
	plan_free(&p);
	return rc;
}

/* ---- explaining ---- */

static int explain(const struct pair *files, uint64_t number)
{
	struct diag d = {0};
	struct explain *x = explain_open(files->truth, files->claims, &d);
	int rc;

	if (!x) {
		rc = command_error(&d);
		file_kind_note(files->truth, "truth");
		file_kind_note(files->claims, "claims");
		return rc;
	}
	rc = number ? explain_claim(x, number, stdout) : explain_cell(x, stdout);
	if (rc == -ERANGE)
		diag_set(&d, rc, files->claims, 0, "a number within",
			 "there are %zu claims, no %llu", explain_claims_cnt(x),
			 (unsigned long long)number);
	else if (rc)
		diag_set(&d, rc, "standard output", 0, NULL, "cannot be written: %s",
			 strerror(-rc));
	explain_free(x);
	if (rc == -ERANGE)
		return usage(&d);
	return rc ? command_error(&d) : EXIT_GOOD;
}

static int parse_number(const char *word, uint64_t *ret, struct diag *d)
{
	if (!parse_u64(word, ret) && *ret)
		return 0;
	return diag_set(d, -EINVAL, "assay explain", 0, "a number from 1 on, in file order",
			"\"%.60s\" is no claim's number", word);
}

int cmd_explain(int argc, char **argv)
{
	struct pair files;
	uint64_t number = 0;
	struct diag d = {0};
	bool pair;
	int code = EXIT_BROKEN;
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	pair = args.truth && args.claims;
	if (args.run && (args.truth || args.claims)) {
		diag_set(&d, -EINVAL, "assay explain", 0, "assay explain --help",
			 "--run is for a cell, --truth and --claims stand in its place");
		return usage(&d);
	}
	if ((!pair && (args.truth || args.claims)) || argc - first > (pair ? 1 : 2) ||
	    (!pair && argc == first)) {
		diag_set(&d, -EINVAL, "assay explain", 0, "assay explain --help",
			 "name a cell, or both --truth and --claims");
		return usage(&d);
	}
	if (argc - first == (pair ? 1 : 2) && parse_number(argv[argc - 1], &number, &d))
		return usage(&d);
	if (!pair) {
		rc = find_pair(argv[first], &files, &code, &d);
	} else {
		rc = path_format(files.truth, &d, "%s", args.truth);
		if (!rc)
			rc = path_format(files.claims, &d, "%s", args.claims);
	}
	if (rc) {
		diag_print(&d, stderr);
		return code;
	}
	return explain(&files, number);
}
