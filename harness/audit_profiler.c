/* SPDX-License-Identifier: BSD-2-Clause */
/* The arms of an audit: runs that differ in their truth channel alone. */
#include "harness/audit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/folder.h"
#include "harness/runner.h"
#include "harness/single.h"

/* Five times the usual share. An act's time may be late by so much that it is still plausible. */
enum { DECOYED_PPM = 100000, SHIFT_LEAST_NS = 30000000, SHIFT_SPAN_NS = 60000000 };

/* By chance a cell is called cheating once in 201 (contracts §5.1): of fifteen or more, three are
 * so once in 3,000 audits. */
enum { CHEATING_MIN = 3 };

/* Fewer claims than this a run say nothing either way. */
enum { CLAIMS_MIN = 10 };

static const char *const arm_names[AUDIT_ARM_CNT] = {"truth", "off", "decoyed", "shifted"};

struct session {
	struct workshop *w;
	const struct audit_options *o;
	const struct workload *workload;
	const struct profiler *p;
	struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX];
	bool has[AUDIT_ARM_CNT];
	unsigned cheating, failed, spoiled;
	bool again;    /* these are the second runs */
	bool unsteady; /* those, or the first */
};

static bool has_truth(unsigned arm)
{
	return arm != AUDIT_OFF;
}

/* Where somebody else works beside it, or on the same evidence. Who works
 * in the workload's process is let alone: two who patch one program are in each other's way. */
static bool has_reference(const struct session *x, unsigned arm)
{
	bool apart = profiler_launch(x->p) == LAUNCH_ATTACH || !(x->p->launch & LAUNCH_LIVE);

	return apart && (arm == AUDIT_OFF || arm == AUDIT_DECOYED);
}

/* Who only joins is alone with what was recorded. */
static bool has_company(const struct session *x)
{
	return x->p->launch & LAUNCH_LIVE && has_reference(x, AUDIT_OFF);
}

/* Earlier, as a record is that was written before it was read; nobody knows by how much. */
static struct trial_truth truth_of(unsigned arm)
{
	struct trial_truth t = {.off = arm == AUDIT_OFF};
	uint32_t random = 0;

	if (arm == AUDIT_DECOYED)
		t.decoy_ppm = DECOYED_PPM;
	if (arm == AUDIT_SHIFTED && getrandom(&random, sizeof(random), 0) < 0)
		random = (uint32_t)now_ns();
	if (arm == AUDIT_SHIFTED)
		t.ahead_ns = -(int64_t)(SHIFT_LEAST_NS + random % SHIFT_SPAN_NS);
	return t;
}

/* ---- one run ---- */

static int measure_claims(const char *claims_path, struct audit_run *ret, struct diag *d)
{
	struct claims claims;
	int rc = claims_load(claims_path, &claims, d);

	if (rc)
		return rc;
	rc = audit_measure(&claims, ret);
	claims_free(&claims);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

static int measure_score(const char *truth_path, const char *claims_path, struct audit_run *ret,
			 struct diag *d)
{
	const struct score_options o = {.start = HEALTH_VALIDATED};
	struct score *score = score_files(truth_path, claims_path, &o, d);
	int rc = 0;

	if (!score)
		return d->err;
	if (score_status(score) != SCORE_OK)
		*d = *score_error(score), rc = -EINVAL;
	else if (audit_measure_score(score, ret))
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	score_free(score);
	return rc;
}

static int measure(struct session *x, const struct single *s, unsigned arm, struct audit_run *ret,
		   struct diag *d)
{
	char claims[PATH_LEN], truth[PATH_LEN];
	int rc = single_path(s, "claims.bin", claims, d);

	if (!rc)
		rc = path_format(truth, d, "%s/cells/%s/truth.bin", s->run,
				 cell_truth(&s->plan.v[s->plan.cnt - 1]));
	if (!rc)
		rc = measure_claims(claims, ret, d);
	if (!rc && has_truth(arm))
		rc = measure_score(truth, claims, ret, d);
	if (!rc)
		x->cheating += ret->cheating;
	return rc;
}

/* Everything that a profiler can do wrong is a result. */
static int ended(struct session *x, const struct single *s, unsigned arm, struct audit_run *ret,
		 struct diag *d)
{
	switch (s->status.state) {
	case CELL_OK:
		return measure(x, s, arm, ret, d);
	case CELL_UNSUPPORTED:
		return diag_set(d, -ENOTSUP, NULL, 0, s->status.cure, "%s", s->status.reason);
	case CELL_BROKEN:
		single_report(s, stderr);
		return diag_set(d, -ECANCELED, NULL, 0, NULL, "a run is broken");
	default:
		x->failed++;
		audit_measure_nothing(has_truth(arm), has_reference(x, arm), ret);
		return 0;
	}
}

static int make(struct session *x, struct single *s, const struct cell *c, const struct runner *how,
		struct diag *d)
{
	struct trial_limits limits = make_limits();
	int rc = plan_add(&s->plan, c, d);

	return rc ? rc : single_make_with(s, &x->w->programs, &x->w->machine, &limits, how, d);
}

/* Who joins sees of a run what the collector saw of it. */
static int record_and_join(struct session *x, struct single *s, const struct runner *how,
			   struct diag *d)
{
	struct cell c, live;
	int rc;

	single_live(x->workload, x->p, x->o->profiler, x->o->seed, x->o->ops, &live);
	single_recording(x->workload->name, x->o->seed, &c);
	memcpy(c.params, live.params, sizeof(c.params));
	memcpy(c.binding, live.binding, sizeof(c.binding));
	rc = make(x, s, &c, how, d);
	if (rc || s->status.state != CELL_OK)
		return rc;
	live.kind = KIND_JOIN;
	memcpy(live.from, s->plan.v[0].name, sizeof(live.from));
	return make(x, s, &live, how, d);
}

/* ---- the reference ---- */

static int agree(const char *claims_path, const char *reference_path, struct audit_run *ret,
		 struct diag *d)
{
	struct claims claims, reference;
	int rc = claims_load(claims_path, &claims, d);

	if (rc)
		return rc;
	rc = claims_load(reference_path, &reference, d);
	if (!rc) {
		if (audit_agree(&claims, &reference, &ret->v[FIGURE_AGREES]))
			rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
		claims_free(&reference);
	}
	claims_free(&claims);
	return rc;
}

/* What causal joins of the evidence of the cell that was made last, or of that which it is of. */
static int join_reference(struct session *x, struct single *s, const struct runner *how,
			  struct diag *d)
{
	const struct cell *last = &s->plan.v[s->plan.cnt - 1];
	struct cell c = *last;
	int rc;

	if (c.kind == KIND_LIVE)
		memcpy(c.from, last->name, sizeof(c.from));
	c.kind = KIND_JOIN;
	strcpy(c.profiler, "causal");
	strcpy(c.division, "attach");
	rc = make(x, s, &c, how, d);
	if (!rc && s->status.state != CELL_OK) {
		single_report(s, stderr);
		rc = diag_set(d, -ECANCELED, NULL, 0, NULL, "there is no reference");
	}
	return rc;
}

/* Who ends the collector beside it agrees with nobody. */
static int measure_agreement(struct session *x, struct single *s, const struct runner *how,
			     struct audit_run *ret, struct diag *d)
{
	char claims[PATH_LEN], evidence[PATH_LEN], reference[PATH_LEN];
	bool live = s->plan.v[s->plan.cnt - 1].kind == KIND_LIVE;
	int rc = single_path(s, "claims.bin", claims, d);

	if (!rc)
		rc = single_path(s, "evidence.bin", evidence, d);
	if (!rc && live && access(evidence, F_OK)) {
		x->spoiled++;
		ret->v[FIGURE_AGREES] = 0;
		return 0;
	}
	if (!rc)
		rc = join_reference(x, s, how, d);
	if (!rc)
		rc = single_path(s, "claims.bin", reference, d);
	return rc ? rc : agree(claims, reference, ret, d);
}

static int run_one(struct session *x, unsigned arm, unsigned at, struct diag *d)
{
	const struct trial_truth truth = truth_of(arm);
	const struct runner how = {
		.truth = &truth, .program = x->workload->path, .beside = has_reference(x, arm)};
	struct single s = {.run = ""};
	char near[PATH_LEN];
	struct cell c;
	int rc = temp_path("run", near, d);

	if (!rc)
		rc = single_open(&s, near, d);
	if (!rc && x->p->launch & LAUNCH_LIVE) {
		single_live(x->workload, x->p, x->o->profiler, x->o->seed, x->o->ops, &c);
		rc = make(x, &s, &c, &how, d);
	} else if (!rc) {
		rc = record_and_join(x, &s, &how, d);
	}
	if (!rc)
		rc = ended(x, &s, arm, &x->runs[arm][at], d);
	if (!rc && how.beside && s.status.state == CELL_OK)
		rc = measure_agreement(x, &s, &how, &x->runs[arm][at], d);
	single_close(&s);
	return rc;
}

/* The arms one after the other, turned round in every other round: what drifts falls on all. */
static int run_all(struct session *x, struct diag *d)
{
	int rc = 0;

	for (unsigned arm = 0; arm < AUDIT_ARM_CNT; arm++)
		x->has[arm] = arm != AUDIT_SHIFTED || profiler_launch(x->p) != LAUNCH_WRAP;
	for (unsigned at = 0; !rc && at < x->o->runs; at++)
		for (unsigned i = 0; !rc && i < AUDIT_ARM_CNT; i++) {
			unsigned arm = at % 2 ? AUDIT_ARM_CNT - 1 - i : i;

			if (x->has[arm])
				rc = run_one(x, arm, at, d);
		}
	x->unsteady |= !rc && audit_is_unsteady(x->runs, x->o->runs, has_reference(x, AUDIT_OFF));
	return rc;
}

/* One audit of twenty finds by chance what is not there, and who is called a cheat must be one:
 * what was found is looked for again, in new runs. */
static int run_until_sure(struct session *x, struct audit_difference found[COMPARED_CNT],
			  struct diag *d)
{
	struct audit_difference first[COMPARED_CNT] = {0};
	bool any = false;
	int rc = run_all(x, d);

	if (!rc && audit_compare(x->runs, x->o->runs, x->has, first))
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	memcpy(found, first, sizeof(first));
	for (unsigned k = 0; k < COMPARED_CNT; k++)
		any |= first[k].found;
	if (rc || !any)
		return rc;
	puts("there is a difference; once more, to be sure");
	fflush(stdout);
	x->again = true;
	rc = run_all(x, d);
	if (!rc && audit_compare(x->runs, x->o->runs, x->has, found))
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (unsigned k = 0; k < COMPARED_CNT; k++)
		found[k].found &= first[k].found;
	return rc;
}

/* ---- what is said ---- */

static double mean(const struct session *x, unsigned arm, unsigned figure)
{
	return audit_mean(x->runs[arm], x->o->runs, figure);
}

static bool is_shown(const struct session *x, unsigned figure)
{
	for (unsigned arm = 0; arm < AUDIT_ARM_CNT; arm++)
		if (x->has[arm] && mean(x, arm, figure) > 0)
			return true;
	return false;
}

/* All handoffs are told by type. */
static void print_figures(const struct session *x)
{
	char name[64];

	printf("%-36s", "mean of a run");
	for (unsigned arm = 0; arm < AUDIT_ARM_CNT; arm++)
		printf(" %10s", x->has[arm] ? arm_names[arm] : "");
	putchar('\n');
	for (unsigned f = 0; f < FIGURE_CNT; f++) {
		if (f == FIGURE_KINDS + CLAIM_HANDOFF || !is_shown(x, f))
			continue;
		printf("%-36s", figure_name(f, name));
		for (unsigned arm = 0; arm < AUDIT_ARM_CNT && x->has[arm]; arm++) {
			double v = mean(x, arm, f);

			if (isnan(v))
				printf(" %10s", "-");
			else
				printf(" %10.*f", figure_is_share(f) ? 4 : 1, v);
		}
		putchar('\n');
	}
}

static void print_difference(const struct session *x, unsigned k, const struct audit_difference *v)
{
	static const char *const where[COMPARED_CNT] = {
		[COMPARED_OFF] = "where there is no truth",
		[COMPARED_DECOYED] = "where truth has more decoys",
		[COMPARED_SHIFTED] = "where the times of truth are other ones",
		[COMPARED_WITHOUT] = "where there is no truth, against that with more decoys",
	};
	char name[64];

	printf("%s: ", where[k]);
	if (v->found)
		printf("it claims otherwise (p %.3f): %s, %.4g and not %.4g\n", v->p,
		       figure_name(v->figure, name), v->here, v->usual);
	else
		printf("no difference that matters%s (p %.2f)\n", x->again ? " in both" : "", v->p);
}

static bool says_enough(const struct session *x)
{
	double claims = 0;

	for (unsigned k = 0; k < CLAIM_KIND_CNT; k++)
		claims += mean(x, AUDIT_TRUTH, FIGURE_KINDS + k);
	return claims >= CLAIMS_MIN || mean(x, AUDIT_TRUTH, FIGURE_WELL) < 1;
}

static int conclude(const struct session *x, const struct audit_difference v[COMPARED_CNT])
{
	bool depends = x->cheating >= CHEATING_MIN || audit_depends(v, has_company(x));
	bool differs = false;

	putchar('\n');
	for (unsigned k = 0; k < COMPARED_CNT; k++)
		if (k != COMPARED_SHIFTED || x->has[AUDIT_SHIFTED]) {
			print_difference(x, k, &v[k]);
			differs |= v[k].found;
		}
	if (x->spoiled)
		printf("the collector beside it came to grief in %u run%s\n", x->spoiled,
		       x->spoiled == 1 ? "" : "s");
	if (x->cheating)
		printf("decoys: hit more often than by chance in %u run%s\n", x->cheating,
		       x->cheating == 1 ? "" : "s");
	if (x->failed)
		printf("it did not end well in %u run%s\n", x->failed, x->failed == 1 ? "" : "s");
	if (depends) {
		puts("\nWhat it claims DEPENDS ON THE TRUTH CHANNEL: it may be reading it.");
		return EXIT_FAILED;
	}
	if (differs) {
		puts("\nIt claims otherwise where a collector works beside it, with truth or "
		     "without. It may lose\nrecords to that load, or rest from reading truth "
		     "where it sees one: no arm tells which.");
		return EXIT_INCONCLUSIVE;
	}
	if (!says_enough(x)) {
		puts("\nIt claims too little here to tell; try another --workload or more --ops.");
		return EXIT_INCONCLUSIVE;
	}
	if (x->unsteady) {
		puts("\nIn some run with truth it joined far better than in any without, or beside "
		     "a "
		     "collector; these are too few runs to tell: try --runs 8, and again.");
		return EXIT_INCONCLUSIVE;
	}
	puts("\nWhat it claims does not depend on the truth channel, as far as these runs tell.");
	return EXIT_GOOD;
}

/* What no arm can show (docs/threat-model.md). */
static void print_limits(const struct session *x)
{
	const char *how = NULL;

	if (profiler_launch(x->p) == LAUNCH_WRAP || profiler_launch(x->p) == LAUNCH_ENV)
		how = "be in the workload's process";
	else if (profiler_needs(x->p, "ptrace"))
		how = "put code into the workload";
	else if (profiler_needs(x->p, "bpf"))
		how = "run BPF programs in the workload's context";
	if (how)
		printf("It may %s: one that knows of the audit could still read truth unseen, "
		       "%s.\n",
		       how,
		       has_reference(x, AUDIT_OFF) ? "if it joins as well without"
						   : "if it claims as much without");
	if (profiler_needs(x->p, "admin"))
		puts("It may unmount what covers the run: it could read plans and the truth of "
		     "other cells.");
}

/* ---- the whole ---- */

/* What shows most of what it declares. */
static const char *default_workload(const struct profiler *p)
{
	if (p->declares & DECLARES_HANDOFFS)
		return "pipeline";
	return p->declares & (DECLARES_PROFILE | DECLARES_COST) ? "affine" : "pool";
}

static int find(struct session *x, struct diag *d)
{
	int rc = programs_profiler(&x->w->programs, x->o->profiler, &x->p, d);

	if (!rc && x->p->trouble.err) {
		*d = x->p->trouble;
		rc = d->err;
	}
	if (!rc)
		rc = programs_workload(&x->w->programs,
				       x->o->workload ? x->o->workload : default_workload(x->p),
				       &x->workload, d);
	return rc;
}

int audit_profiler(struct workshop *w, const struct audit_options *o)
{
	struct audit_difference found[COMPARED_CNT] = {0};
	struct session x = {.w = w, .o = o};
	struct diag d = {0};
	int rc = find(&x, &d);

	if (rc) {
		diag_print(&d, stderr);
		return EXIT_USAGE;
	}
	printf("%s on %s: %llu runs an arm of %llu operations, seed %llu\n\n", x.p->name,
	       x.workload->name, (unsigned long long)o->runs, (unsigned long long)o->ops,
	       (unsigned long long)o->seed);
	fflush(stdout);
	rc = run_until_sure(&x, found, &d);
	if (rc == -ECANCELED) /* it was said */
		return EXIT_BROKEN;
	if (rc == -ENOTSUP) {
		diag_print(&d, stderr);
		return EXIT_MISSING;
	}
	if (rc)
		return command_error(&d);
	print_figures(&x);
	rc = conclude(&x, found);
	print_limits(&x);
	return rc;
}
