/* SPDX-License-Identifier: BSD-2-Clause */
/* assay profiler test: does a profiler keep the adapter contract? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/conform.h"
#include "harness/folder.h"
#include "harness/reference.h"
#include "harness/single.h"
#include "lib/files.h"
#include "lib/opts.h"

static bool schema;
static const char *keep;

static const struct opt table[] = {
	{"schema", 0, OPT_FLAG, NULL, "print the JSON Schema of describe instead", &schema, 0, 0,
	 NULL},
	{"keep", 0, OPT_STR, "FOLDER", "keep truth, claims and logs there, for assay explain",
	 &keep, 0, 0, NULL},
	MAKE_OPTS,
	LIMIT_OPTS,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts opts = {
	.command = "assay profiler test",
	.usage = "PROFILER | --schema",
	.purpose = "Says what keeps a profiler from being scored",
	.table = table,
	.args_min = 0,
	.args_max = 1,
	.examples = {"assay profiler test ./mine", "sudo assay profiler test ./mine",
		     "assay profiler test causal"},
};

/* One test of one profiler. */
struct test {
	struct workshop *w;
	struct conform conform;
	const struct profiler *p;
	bool tried;	       /* it was started at least once, and the cell was about it */
	const char *name;      /* as given */
	char folder[PATH_LEN]; /* scratch, or what is kept; ends in a slash */
};

static void print_finding(const struct finding *f, void *arg)
{
	static const char *const words[VERDICT_CNT] = {"ok", "note", "skipped", "WRONG"};

	(void)arg;
	printf("  %-8s %s\n", words[f->verdict], f->what);
	if (f->cure[0])
		printf("           try: %s\n", f->cure);
	fflush(stdout);
}

/* Where the log is all there is to say: it may lack a right that it did not ask for. */
static const char *cure_of(const struct test *t, const struct single *s)
{
	const char *cure = single_cure(s);

	if (cure[0] || s->status.state != CELL_CRASHED || !(t->p->launch & LAUNCH_LIVE) ||
	    profiler_needs(t->p, "admin"))
		return cure;
	return "where the kernel refused it something, or it found no kernel types: "
	       "\"needs\":[\"admin\"]";
}

/* How a cell ended that is not ok; its log has the profiler's own words. */
static void say_state(struct test *t, struct single *s, const char *where)
{
	bool other = s->status.state == CELL_UNSUPPORTED || s->status.state == CELL_BROKEN;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		single_explain(s, f);
		fclose(f);
	}
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	t->tried |= !other;
	conform_say(&t->conform, other ? VERDICT_SKIPPED : VERDICT_WRONG, cure_of(t, s),
		    "%s: %.600s", where, text ? text : s->status.reason);
	free(text);
}

/* ---- a join of a stored run ---- */

static int load_both(struct test *t, const char *truth_path, const char *claims_path,
		     const char *where, bool live, struct diag *d)
{
	struct claims claims;
	struct truth truth;
	int rc = claims_load(claims_path, &claims, d);

	if (rc)
		return rc;
	rc = truth_load(truth_path, &truth, d);
	if (!rc)
		rc = conform_claims(&t->conform, t->p, &claims, &truth, where, live, d);
	if (!rc)
		truth_free(&truth);
	claims_free(&claims);
	return rc;
}

/* Keeps a cell's folder where that is wished, "run pipeline" as run-pipeline. */
static int keep_cell(struct test *t, const struct single *s, const char *where, struct diag *d)
{
	char to[PATH_LEN];
	int rc = keep ? path_format(to, d, "%s%s", t->folder, where) : 0;

	if (!keep || rc)
		return rc;
	for (char *at = to + strlen(t->folder); *at; at++)
		*at = *at == ' ' || *at == '/' ? '-' : *at;
	return single_keep(s, to, d);
}

/* Joins stored evidence; the claims are kept under ret_claims if the cell was ok. */
static int join_once(struct test *t, const char *evidence, const char *where, char *ret_claims,
		     bool *ret_ok, struct diag *d)
{
	const struct single_evidence from = {.evidence = evidence};
	struct trial_limits limits = make_limits();
	struct single s;
	int rc = single_open(&s, evidence, d);

	*ret_ok = false;
	if (!rc)
		rc = single_plan_join(&s, t->name, &from, d);
	if (!rc)
		rc = single_make(&s, &t->w->programs, &t->w->machine, &limits, d);
	if (!rc && s.status.state != CELL_OK)
		say_state(t, &s, where);
	if (!rc && s.status.state == CELL_OK) {
		rc = single_take(&s, "claims.bin", ret_claims, d);
		*ret_ok = !rc;
	}
	single_close(&s);
	return rc;
}

static int same_bytes(const char *a, const char *b, bool *ret, struct diag *d)
{
	char *x = NULL, *y = NULL;
	size_t x_len, y_len;
	int rc = file_read(a, 1u << 30, &x, &x_len, d);

	if (!rc)
		rc = file_read(b, 1u << 30, &y, &y_len, d);
	if (!rc)
		*ret = x_len == y_len && !memcmp(x, y, x_len);
	free(x);
	free(y);
	return rc;
}

static int try_join(struct test *t, const char *reference, const char *workload, struct diag *d)
{
	char folder[PATH_LEN], evidence[PATH_LEN], truth[PATH_LEN], one[PATH_LEN], two[PATH_LEN];
	char where[NAME_LEN + 8];
	bool ok, same;
	int rc = path_format(folder, d, "%sjoin-%s", t->folder, workload);

	snprintf(where, sizeof(where), "join %s", workload);
	if (!rc)
		rc = dir_make(folder, d);
	if (!rc)
		rc = reference_unpack(reference, workload, folder, d);
	if (!rc)
		rc = path_format(evidence, d, "%s/evidence.bin", folder);
	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", folder);
	if (!rc)
		rc = path_format(one, d, "%s/claims.bin", folder);
	if (!rc)
		rc = path_format(two, d, "%s/claims.again", folder);
	if (!rc)
		rc = join_once(t, evidence, where, one, &ok, d);
	if (rc || !ok)
		return rc;
	t->tried = true;
	conform_say(&t->conform, VERDICT_OK, NULL,
		    "%s: it joined a stored run, ended well and wrote well-formed claims", where);
	rc = load_both(t, truth, one, where, false, d);
	if (!rc)
		rc = join_once(t, evidence, where, two, &ok, d);
	if (!rc && ok)
		rc = same_bytes(one, two, &same, d);
	if (!rc && ok && !same)
		conform_say(&t->conform, VERDICT_NOTE, "do not iterate over addresses or clocks",
			    "%s: the same evidence gave other claims the second time", where);
	return rc;
}

static int try_joins(struct test *t, struct diag *d)
{
	static const char *const stored[] = {"wake", "uring"};
	char reference[PATH_LEN];
	int rc = make_reference(t->w, reference, d);

	for (size_t i = 0; !rc && i < sizeof(stored) / sizeof(stored[0]); i++) {
		if (!reference_has(reference, stored[i]))
			conform_say(&t->conform, VERDICT_SKIPPED, "--reference DIR",
				    "join %s: there is no stored run below %s", stored[i],
				    reference);
		else
			rc = try_join(t, reference, stored[i], d);
	}
	return rc;
}

/* ---- a run ---- */

enum { LIVE_OPS = 400 };

/* One way in which a profiler watches a run. */
struct way {
	enum launch launch;
	const char *name, *did;
	const char *params; /* of the cell, "" or with a blank in front */
};

static const struct way ways[] = {
	{LAUNCH_ATTACH, "run", "it attached, said that it was ready, drained on SIGINT", ""},
	{LAUNCH_ENV, "env",
	 "it printed variables, attached to what they were set for, drained on SIGINT", ""},
	{LAUNCH_WRAP, "wrap", "it started the workload, and saw it to its end", ""},
};

static int plan_live(struct single *s, const struct test *t, const struct workload *w,
		     const struct way *way, struct diag *d)
{
	struct cell c;
	size_t len;

	single_live(w, t->p, t->name, 1, LIVE_OPS, &c);
	len = strlen(c.params);
	snprintf(c.params + len, sizeof(c.params) - len, " launch=%u%s", way->launch, way->params);
	return plan_add(&s->plan, &c, d);
}

/* Of a cell that is ok all the same: processes and probes that were removed. */
static void say_reason(struct test *t, const struct single *s, const char *where)
{
	if (s->status.reason[0])
		conform_say(&t->conform, VERDICT_NOTE, single_cure(s), "%s: %s", where,
			    s->status.reason);
}

static int try_live(struct test *t, const struct way *way, const char *name, struct diag *d)
{
	struct trial_limits limits = make_limits();
	char where[NAME_LEN + 24], truth[PATH_LEN], claims[PATH_LEN];
	const struct workload *w;
	struct single s = {.run = ""};
	int rc = programs_workload(&t->w->programs, name, &w, d);

	snprintf(where, sizeof(where), "%s %s", way->name, name);
	if (rc) { /* not built here */
		conform_say(&t->conform, VERDICT_SKIPPED, d->cure, "%s: %s", where, d->reason);
		return 0;
	}
	rc = single_open(&s, t->folder, d);
	if (!rc)
		rc = plan_live(&s, t, w, way, d);
	if (!rc)
		rc = single_make(&s, &t->w->programs, &t->w->machine, &limits, d);
	if (!rc && s.status.state != CELL_OK)
		say_state(t, &s, where);
	if (!rc && s.status.state == CELL_OK) {
		t->tried = true;
		conform_say(&t->conform, VERDICT_OK, NULL,
			    "%s: %s, ended well and wrote well-formed claims", where, way->did);
		say_reason(t, &s, where);
		rc = single_path(&s, "truth.bin", truth, d);
		if (!rc)
			rc = single_path(&s, "claims.bin", claims, d);
		if (!rc)
			rc = load_both(t, truth, claims, where, true, d);
	}
	if (!rc)
		rc = keep_cell(t, &s, where, d);
	single_close(&s);
	return rc;
}

/* What shows most of what it declares, in as few runs as possible. */
static int try_way(struct test *t, const struct way *way, struct diag *d)
{
	static const struct {
		uint32_t declares;
		const char *workload;
	} shows[] = {
		{DECLARES_HANDOFFS, "pipeline"},
		{DECLARES_EVENT | DECLARES_HEALTH | DECLARES_EFFECT | DECLARES_DIAGNOSIS, "pool"},
		{DECLARES_PROFILE | DECLARES_COST, "affine"}};
	unsigned runs = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(shows) / sizeof(shows[0]); i++)
		if (t->p->declares & shows[i].declares) {
			rc = try_live(t, way, shows[i].workload, d);
			runs++;
		}
	return rc || runs ? rc : try_live(t, way, "wake", d);
}

/* What it says that it takes beside the form in which it is started. */
static int try_accepts(struct test *t, struct diag *d)
{
	const enum launch launch = profiler_launch(t->p);
	const struct way control = {launch, "reload",
				    "it took a manifest while it ran and drained in the end",
				    " reload=1"};
	const struct way budget = {launch, "budget", "it took a budget of 1 %",
				   " budget_permille=10"};
	int rc = 0;

	if (t->p->accepts & ACCEPTS_CONTROL)
		rc = try_live(t, &control, "pool", d);
	if (!rc && (t->p->accepts & ACCEPTS_BUDGET))
		rc = try_live(t, &budget,
			      t->p->declares & DECLARES_HANDOFFS ? "pipeline" : "affine", d);
	return rc;
}

static int try_runs(struct test *t, struct diag *d)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (t->p->launch & ways[i].launch)
			rc = try_way(t, &ways[i], d);
	return rc ? rc : try_accepts(t, d);
}

/* ---- the whole ---- */

static int try_launches(struct test *t, struct diag *d)
{
	struct diag lacks = {0};
	bool can = machine_has(&t->w->machine, t->p->needs, t->p->needs_cnt, &lacks);
	int rc = 0;

	if (t->p->launch & LAUNCH_JOIN)
		rc = try_joins(t, d);
	if (rc || !(t->p->launch & LAUNCH_LIVE))
		return rc;
	if (can)
		return try_runs(t, d);
	conform_say(&t->conform, VERDICT_SKIPPED, lacks.cure, "run: it %s", lacks.reason);
	return 0;
}

/* Where cells are made; *ret_made: the folder is new and goes away. */
static int make_folder(struct test *t, bool *ret_made, struct diag *d)
{
	char name[PATH_LEN];
	int rc = keep ? path_format(name, d, "%s", keep) : temp_path("assay-test-XXXXXX", name, d);

	*ret_made = false;
	if (!rc && keep)
		rc = dir_make(name, d);
	if (!rc && !keep && !mkdtemp(name))
		rc = file_error(d, -errno, name, "make");
	*ret_made = !rc && !keep;
	return rc ? rc : path_format(t->folder, d, "%s/", name);
}

static int test_described(struct test *t, struct diag *d)
{
	bool made;
	int rc;

	if (t->p->trouble.err) {
		conform_say(&t->conform, VERDICT_WRONG, t->p->trouble.cure, "%s",
			    t->p->trouble.reason);
		return 0;
	}
	conform_describe(&t->conform, t->p, &t->w->machine);
	rc = make_folder(t, &made, d);
	if (!rc)
		rc = try_launches(t, d);
	if (made)
		folder_remove(t->folder, NULL);
	return rc;
}

static int conclude(const struct test *t)
{
	const unsigned *cnt = t->conform.cnt;

	if (cnt[VERDICT_WRONG]) {
		printf("\n%u wrong: it is not ready to be scored.\n", cnt[VERDICT_WRONG]);
		return EXIT_FAILED;
	}
	if (!t->tried) {
		printf("\nIt could not be started here, so nothing is known.\n");
		return EXIT_MISSING;
	}
	if (cnt[VERDICT_SKIPPED]) {
		printf("\nNothing is wrong in what could be tried; %u could not be tried here.\n",
		       cnt[VERDICT_SKIPPED]);
		return EXIT_GOOD;
	}
	printf("\nIt keeps the contract. How good it is: assay bench default --profiler "
	       "PROFILER\n");
	return EXIT_GOOD;
}

static int test(int argc, char **argv)
{
	struct workshop w = {.programs = {.workloads_cnt = 0}};
	struct test t = {.w = &w, .conform = {.tell = print_finding}};
	struct diag d = {0};
	int first, rc = opts_start(&opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (schema) {
		describe_schema(stdout);
		return EXIT_GOOD;
	}
	if (first == argc) {
		diag_set(&d, -EINVAL, "assay profiler test", 0, opts.examples[0],
			 "there is no profiler");
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	if (make_engine_check(&d) || workshop_open(&w, &d))
		return command_error(&d);
	t.name = argv[first];
	rc = programs_profiler(&w.programs, t.name, &t.p, &d);
	if (rc || (t.p->trouble.err && access(t.p->path, F_OK))) {
		diag_print(rc ? &d : &t.p->trouble, stderr);
		workshop_close(&w);
		return EXIT_USAGE;
	}
	rc = test_described(&t, &d);
	rc = rc ? command_error(&d) : conclude(&t);
	workshop_close(&w);
	return rc;
}

int cmd_profiler(int argc, char **argv)
{
	static const struct command parts[] = {
		{"test", "does it keep the adapter contract?", test},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay profiler", "Profilers under test", parts, argc, argv);
}
