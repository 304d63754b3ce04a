/* SPDX-License-Identifier: BSD-2-Clause */
/* What shows of the forms of a mutation on the collector's records, and how it is misread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/binding.h"
#include "harness/certify_run.h"
#include "lib/files.h"
#include "lib/formats/evidence.h"
#include "mutations/tool.h"
#include "mutations/witness.h"
#include "scoring/score.h"

enum { WATCHED_OPS = 800 };

/* A figure of a form over the repeats, and the bounds outside of which it tells. */
struct range {
	enum step step;
	bool has_above, has_below;
	double above, below;
	double lo[FORM_CNT], hi[FORM_CNT];
};

struct watched {
	struct runs *x;
	struct watch_args args;
	const struct profiler *reference; /* NULL: not there, or no reading is declared */
	struct range witness, reading;
};

uint64_t runs_watched_ops(const struct mutation *m)
{
	return m->ops ? 4 * m->ops : WATCHED_OPS;
}

void runs_watcher(void *arg, pid_t pid, char *argv[32])
{
	struct watch_args *w = arg;
	const char *const v[] = {w->program,  "record",	    "--pid",	  w->pid,      "--evidence",
				 w->evidence, "--ready-fd", w->fd,	  "--exe",     w->exe,
				 "--binding", "stamped",    "--manifest", w->manifest, NULL};

	snprintf(w->pid, sizeof(w->pid), "%d", pid);
	snprintf(w->fd, sizeof(w->fd), "%d", READY_FD);
	memcpy(argv, v, sizeof(v));
	if (!w->manifest[0])
		argv[8] = NULL;
}

/* The old manifest, stamped for this form: what a profiler gets. */
static int bind_form(struct watched *w, enum form f, struct diag *d)
{
	const struct variant *v = &w->x->forms[f];
	int rc;

	w->args.exe = v->exe;
	if (!v->manifest[0])
		return 0;
	rc = path_format(w->args.manifest, d, "%s/manifest.yaml", w->x->folder);
	return rc ? rc : binding_write(v->manifest, "stamped", v->exe, v->exe, w->args.manifest, d);
}

/* ---- figures ---- */

static int measure_witness(struct watched *w, double *ret, struct diag *d)
{
	const struct mutation *m = w->x->r->mutation;
	struct evidence e;
	struct seen_list l;
	int rc = evidence_load(w->args.evidence, &e, d);

	if (rc)
		return rc;
	rc = seen_read(&e, &l, d);
	evidence_free(&e);
	if (rc)
		return rc;
	rc = witness_measure(&m->witness, &l, runs_watched_ops(m), ret, d);
	seen_free(&l);
	return rc;
}

struct looking {
	const struct reading_spec *spec;
	double value;
};

static int look_at(const struct score_figure *f, void *arg)
{
	struct looking *l = arg;

	if (f->has && !strcmp(f->metric, l->spec->figure) &&
	    (!l->spec->of[0] || !strcmp(f->scope, l->spec->of)))
		l->value = f->value;
	return 0;
}

static int join(struct watched *w, const char *claims, struct diag *d)
{
	char *argv[] = {(char *)w->reference->path,
			(char *)"join",
			(char *)"--evidence",
			w->args.evidence,
			(char *)"--claims",
			(char *)claims,
			(char *)"--exe",
			(char *)w->args.exe,
			(char *)"--binding",
			(char *)"stamped",
			(char *)"--manifest",
			w->args.manifest,
			NULL};

	return tool_must(argv, w->x->folder, NULL, d);
}

/* NAN where the score has no such figure. */
static int measure_reading(struct watched *w, double *ret, struct diag *d)
{
	struct score_options o = {.start = HEALTH_VALIDATED};
	struct looking l = {&w->x->r->mutation->reading, NAN};
	char claims[PATH_LEN], truth[PATH_LEN];
	struct score *s;
	int rc = path_format(claims, d, "%s/claims", w->x->folder);

	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", w->x->folder);
	if (!rc)
		rc = join(w, claims, d);
	if (rc)
		return rc;
	s = score_files(truth, claims, &o, d);
	if (!s)
		return d->err;
	if (score_status(s) == SCORE_OK)
		score_each_figure(s, look_at, &l);
	score_free(s);
	*ret = l.value;
	return 0;
}

/* ---- judging ---- */

static void judge(const struct watched *w, struct range *g, enum form f, unsigned i, double v)
{
	bool tells =
		!isnan(v) && ((g->has_above && v > g->above) || (g->has_below && v < g->below));
	char figure[32];

	g->lo[f] = i && g->lo[f] < v ? g->lo[f] : v;
	g->hi[f] = i && g->hi[f] > v ? g->hi[f] : v;
	if (tells == (f == FORM_MUTANT))
		return;
	snprintf(figure, sizeof(figure), "%g", v);
	runs_fail(w->x, g->step,
		  tells ? "it tells on the %s: %s" : "it does not tell on the %s: %s", form_name(f),
		  figure);
}

static void pass(const struct watched *w, const struct range *g)
{
	unsigned k = w->x->r->certifier->repeats;

	certificate_set(w->x->r->certificate, g->step, STEP_PASSED,
			"%u of %u: %g … %g, base %g … %g, twin %g … %g", k, k, g->lo[FORM_MUTANT],
			g->hi[FORM_MUTANT], g->lo[FORM_BASE], g->hi[FORM_BASE], g->lo[FORM_TWIN],
			g->hi[FORM_TWIN]);
}

static int run_once(struct watched *w, enum form f, unsigned i, struct diag *d)
{
	const struct mutation *m = w->x->r->mutation;
	struct diag why = {0};
	double v = NAN;
	int rc = bind_form(w, f, d);

	if (!rc)
		rc = runs_one(w->x, f, false, &w->args, &why, d);
	if (rc)
		return rc;
	if (why.err)
		return runs_fail(w->x, STEP_WITNESS, "run of the %s: %s", form_name(f), why.reason);
	if (m->witness.of_cnt) {
		rc = measure_witness(w, &v, d);
		if (rc)
			return rc;
		judge(w, &w->witness, f, i, v);
	}
	if (w->reference && !runs_failed(w->x)) {
		rc = measure_reading(w, &v, d);
		if (rc)
			return rc;
		judge(w, &w->reading, f, i, v);
	}
	return 0;
}

static int run_all(struct watched *w, struct diag *d)
{
	int rc = 0;

	for (unsigned f = 0; !rc && f < FORM_CNT; f++)
		for (unsigned i = 0; !rc && !runs_failed(w->x) && i < w->x->r->certifier->repeats;
		     i++)
			rc = run_once(w, (enum form)f, i, d);
	return rc;
}

/* ---- which of the two there are ---- */

static void not_there(const struct runs *x, enum step s, bool declared, const char *why)
{
	if (declared)
		certificate_set(x->r->certificate, s, STEP_UNCHECKED, "%s", why);
	else
		certificate_set(x->r->certificate, s, STEP_NONE, "none declared");
}

static void find_reference(struct watched *w)
{
	const struct profiler *p;

	if (w->x->r->mutation->reading.figure[0] &&
	    !programs_profiler(w->x->r->certifier->programs, "attach-only", &p, NULL) &&
	    !p->trouble.err)
		w->reference = p;
}

int runs_watched(struct runs *x, struct diag *d)
{
	const struct mutation *m = x->r->mutation;
	bool witness = m->witness.of_cnt, reading = m->reading.figure[0];
	bool here = x->r->certifier->programs->collector[0] &&
		    machine_can_record(x->r->certifier->machine, NULL);
	struct watched w = {
		.x = x,
		.args = {.program = x->r->certifier->programs->collector},
		.witness = {STEP_WITNESS,
			    m->witness.has_above,
			    m->witness.has_below,
			    m->witness.above,
			    m->witness.below,
			    {0},
			    {0}},
		.reading = {STEP_READING,
			    m->reading.has_above,
			    m->reading.has_below,
			    m->reading.above,
			    m->reading.below,
			    {0},
			    {0}},
	};
	int rc;

	find_reference(&w);
	if (!here || !witness)
		not_there(x, STEP_WITNESS, witness, "this machine cannot record");
	if (!here || !w.reference)
		not_there(x, STEP_READING, reading,
			  here ? "there is no profiler attach-only" : "this machine cannot record");
	if (!here || (!witness && !w.reference))
		return 0;
	rc = path_format(w.args.evidence, d, "%s/evidence.bin", x->folder);
	if (!rc)
		rc = run_all(&w, d);
	if (rc || runs_failed(x))
		return rc;
	if (witness)
		pass(&w, &w.witness);
	if (w.reference)
		pass(&w, &w.reading);
	return 0;
}
