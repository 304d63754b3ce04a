/* SPDX-License-Identifier: BSD-2-Clause */
/* assay score: a run, or one file of claims against one of truth. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/command.h"
#include "harness/file_kind.h"
#include "harness/run.h"
#include "lib/opts.h"
#include "results/report.h"
#include "scoring/score.h"
#include "scoring/tables.h"

static const char *const bindings[] = {"stamped", "best-effort", "strict", NULL};
enum { BINDING_BEST_EFFORT = 1 };

static const char *const tables[] = {"type", "mark", "source", "figure", NULL};

static struct {
	const char *truth, *claims, *manifest;
	unsigned binding, by;
	bool json;
} args = {.by = UINT_MAX, .binding = UINT_MAX}; /* UINT_MAX: not given */

static const struct opt table[] = {
	{"truth", 0, OPT_STR, "FILE", "truth, either form", &args.truth, 0, 0, NULL},
	{"claims", 0, OPT_STR, "FILE", "claims, either form", &args.claims, 0, 0, NULL},
	{"json", 0, OPT_FLAG, NULL, "one JSON object on standard output", &args.json, 0, 0, NULL},
	{"by", 0, OPT_CHOICE, "WHAT", "table by type, mark, source, or each figure (type)",
	 &args.by, 0, 0, tables},
	{"binding", 0, OPT_CHOICE, "WORD", "stamped, best-effort, strict (stamped)", &args.binding,
	 0, 0, bindings},
	{"manifest", 0, OPT_STR, "FILE", "which descriptors share an invariant", &args.manifest, 0,
	 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay score",
	.usage = "RUN | --truth FILE --claims FILE [--json | --by WHAT]",
	.purpose = "Scores every cell of a run, or one pair of files",
	.table = table,
	.args_max = 1,
	.examples = {"assay score results/latest",
		     "assay score --truth truth.jsonl --claims claims.jsonl",
		     "assay score --truth truth.bin --claims claims.bin --json | jq .handoff"},
};

static int usage(const char *what)
{
	struct diag d;

	diag_set(&d, -EINVAL, "assay score", 0, "assay score --help", "%s", what);
	diag_print(&d, stderr);
	return EXIT_USAGE;
}

/* ---- one pair of files ---- */

static int print_figure(const struct score_figure *f, void *arg)
{
	if (f->n || f->has)
		printf("%-34s %-18s %14.6g %12llu\n", f->metric, f->scope, f->has ? f->value : 0.0,
		       (unsigned long long)f->n);
	return 0;
}

/* Handoff claims of a file, and those with both ends. */
struct said {
	uint64_t claims, two_ended;
};

static int count_said(struct said *ret, struct diag *d)
{
	struct claims c;
	int rc = claims_load(args.claims, &c, d);

	if (rc)
		return rc;
	*ret = (struct said){0};
	for (size_t i = 0; i < c.cnt; i++) {
		bool handoff = c.v[i].kind == CLAIM_HANDOFF;

		ret->claims += handoff;
		ret->two_ended += handoff && c.v[i].has & HAS_SRC && c.v[i].has & HAS_DST;
	}
	claims_free(&c);
	return 0;
}

static void print_not_scored(const struct handoff_score *h, const struct said *said)
{
	uint64_t context = said->claims - h->level[LEVEL_CONTEXT].all.claims;
	uint64_t identity = said->claims - h->level[LEVEL_IDENTITY].all.claims;
	uint64_t keys = h->level[LEVEL_IDENTITY].all.out_of_scope;

	printf("\nnot scored: of %" PRIu64 " handoff claims %" PRIu64 " at context level, %" PRIu64
	       " at identity level\n(outside the scored time; at context level also on threads "
	       "that are none of the application's",
	       said->claims, context, identity);
	if (keys)
		printf(";\n%" PRIu64 " for their keys, which no handoff uses", keys);
	puts(")");
}

/* Noughts alone would look like a profiler that said nothing. */
static void warn_outside(const struct handoff_score *h, const struct said *said)
{
	const struct handoff_counts *all = &h->level[LEVEL_CONTEXT].all;

	if (said->two_ended && !all->claims && all->out_of_scope)
		fprintf(stderr,
			"assay: warning: %s: no handoff of %s uses any of its keys (name space, "
			"value, scope),\n       so that nothing is judged: are they what the "
			"manual "
			"page says? assay explain --truth shows one\n",
			args.claims, args.truth);
	else if (said->two_ended && !all->two_ended)
		fprintf(stderr,
			"assay: warning: %s: none of its %" PRIu64 " two-ended claims has both "
			"ends in the scored\n       time and threads of %s: is it of another run, "
			"or another clock?\n",
			args.claims, said->two_ended, args.truth);
}

static void print_cheating(const struct handoff_score *h)
{
	if (h->cheating)
		printf("\nCHEATING: %" PRIu64 " claims lie on decoys, acts that never happened and "
		       "stand in truth alone:\nmore than any shifted copy of these claims hits by "
		       "chance\n",
		       h->level[LEVEL_CONTEXT].all.decoy_hits);
}

static int print_tables(const struct score *s, const struct said *said)
{
	enum table_by by = args.by == UINT_MAX ? TABLE_BY_TYPE : (enum table_by)args.by;
	int rc;

	if (by < TABLE_BY_CNT) {
		rc = score_table(s, by, stdout);
	} else {
		printf("%-34s %-18s %14s %12s\n", "figure", "of", "value", "n");
		rc = score_each_figure(s, print_figure, NULL);
	}
	print_not_scored(score_handoff(s), said);
	print_cheating(score_handoff(s));
	return rc;
}

static int print_score(const struct score *s, struct diag *d)
{
	bool ok = score_status(s) == SCORE_OK;
	struct said said = {0};
	int rc = ok ? count_said(&said, d) : 0;

	if (rc)
		return rc;
	if (ok)
		warn_outside(score_handoff(s), &said);
	if (args.json)
		rc = score_json(s, stdout);
	else if (ok)
		rc = print_tables(s, &said);
	else
		diag_print(score_error(s), stderr);
	if (!ok && !args.json) {
		file_kind_note(args.truth, "truth");
		file_kind_note(args.claims, "claims");
	}
	if (rc || fflush(stdout))
		return diag_set(d, rc ? rc : -errno, "standard output", 0, NULL,
				"cannot be written: %s", strerror(rc ? -rc : errno));
	return 0;
}

static int score_pair(void)
{
	static const int codes[] = {[SCORE_OK] = EXIT_GOOD,
				    [SCORE_INVALID] = EXIT_FAILED,
				    [SCORE_BROKEN] = EXIT_BROKEN};
	struct score_options o = {.start = args.binding == BINDING_BEST_EFFORT ? HEALTH_SUSPECT
									       : HEALTH_VALIDATED,
				  .manifest = args.manifest};
	struct diag d = {0};
	struct score *s = score_files(args.truth, args.claims, &o, &d);
	int code;

	/* Truth and claims that are malformed have a status; this is the manifest. */
	if (!s && errno == EINVAL) {
		diag_print(&d, stderr);
		return EXIT_FAILED;
	}
	if (!s)
		return command_error(&d);
	code = codes[score_status(s)];
	if (print_score(s, &d))
		code = command_error(&d);
	score_free(s);
	return code;
}

/* ---- a run ---- */

static int score_whole_run(const char *path)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	char run[PATH_LEN], file[PATH_LEN];
	struct plan p = {0};
	struct diag d = {0};
	int rc = run_find(path, run, &d);

	if (rc) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	rc = path_format(file, &d, "%s/plan.tsv", run);
	if (!rc)
		rc = plan_load(file, &p, &d);
	if (!rc)
		rc = workshop_open(&w, &d);
	if (!rc)
		rc = make_scores(&w, run, &p, &d);
	if (!rc)
		printf("%s/scores.csv\n%s/scores.sqlite\n", run, run);
	plan_free(&p);
	workshop_close(&w);
	return rc ? command_error(&d) : EXIT_GOOD;
}

int cmd_score(int argc, char **argv)
{
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (first < argc && (args.truth || args.claims))
		return usage("a run, or --truth and --claims, not both");
	if (first < argc &&
	    (args.json || args.by != UINT_MAX || args.binding != UINT_MAX || args.manifest))
		return usage("--json, --by, --binding and --manifest are for a pair of files; of a "
			     "run, report prints the table and scores.csv holds every figure");
	if (first < argc)
		return score_whole_run(argv[first]);
	if (!args.truth || !args.claims)
		return usage("name a run, or both --truth and --claims");
	if (args.json && args.by != UINT_MAX)
		return usage("--json prints every table, --by one of them: not both");
	return score_pair();
}
