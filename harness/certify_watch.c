/* SPDX-License-Identifier: BSD-2-Clause */
/* What shows of the forms of a mutation on the collector's records, and how it is misread. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/certify_build.h"
#include "harness/certify_run.h"
#include "lib/formats/evidence.h"
#include "mutations/once.h"
#include "mutations/tool.h"
#include "mutations/witness.h"
#include "scoring/score.h"

/* A figure of a form over the repeats, and the bounds outside of which it tells. */
struct range {
	enum step step;
	bool has_above, has_below;
	double above, below;
	double lo[FORM_CNT], hi[FORM_CNT];
};

struct watched {
	struct runs *x;
	const struct profiler *reference; /* NULL: not there, or no reading is declared */
	struct range witness, reading;
	unsigned repeats;
};

/* ---- figures ---- */

int runs_seen(const struct run_files *files, struct seen_list *ret, struct diag *d)
{
	struct evidence e;
	int rc = evidence_load(files->evidence, &e, d);

	if (rc)
		return rc;
	rc = seen_read(&e, ret, d);
	evidence_free(&e);
	return rc;
}

static int measure_witness(const struct watched *w, const struct run_files *files, double *ret,
			   struct diag *d)
{
	const struct mutation *m = w->x->mutation;
	struct seen_list l;
	int rc = runs_seen(files, &l, d);

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

struct joining {
	const struct runs *x;
	const struct profiler *p;
	enum form form;
	const struct run_files *files;
};

static int join(void *arg, const char *claims, struct diag *d)
{
	const struct joining *j = arg;
	const struct run_files *files = j->files;
	char *argv[] = {(char *)j->p->path,
			(char *)"join",
			(char *)"--evidence",
			(char *)files->evidence,
			(char *)"--claims",
			(char *)claims,
			(char *)"--exe",
			(char *)j->x->exe[j->form],
			(char *)"--binding",
			(char *)"stamped",
			(char *)"--manifest",
			(char *)files->manifest,
			NULL};

	if (!j->x->forms[j->form].manifest[0])
		argv[8] = NULL;
	return tool_must(argv, files->folder, NULL, d);
}

int runs_join(const struct runs *x, const struct profiler *p, enum form f,
	      const struct run_files *files, struct diag *d)
{
	struct joining j = {x, p, f, files};

	return make_once(files->claims, join, &j, d);
}

int runs_scored(const struct runs *x, const struct profiler *p, enum form f,
		const struct run_files *files, int (*each)(const struct score_figure *, void *),
		void *arg, struct diag *d)
{
	struct score_options o = {.start = HEALTH_VALIDATED};
	struct score *s;
	int rc = runs_join(x, p, f, files, d);

	if (rc)
		return rc;
	s = score_files(files->truth, files->claims, &o, d);
	if (!s)
		return d->err;
	if (score_status(s) == SCORE_OK)
		score_each_figure(s, each, arg);
	score_free(s);
	return 0;
}

/* NAN where the score has no such figure. */
static int measure_reading(const struct watched *w, enum form f, const struct run_files *files,
			   double *ret, struct diag *d)
{
	struct looking l = {&w->x->mutation->reading, NAN};
	int rc = runs_scored(w->x, w->reference, f, files, look_at, &l, d);

	if (!rc)
		*ret = l.value;
	return rc;
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

/* Other builds only say that they agree. */
static void pass(const struct watched *w, const struct range *g)
{
	char *text = w->x->certificate->text[g->step];
	size_t used = strlen(text), cap = sizeof(w->x->certificate->text[0]);

	if (w->x->first)
		certificate_set(w->x->certificate, g->step, STEP_PASSED,
				"%u of %u: %g … %g, base %g … %g, twin %g … %g", w->repeats,
				w->repeats, g->lo[FORM_MUTANT], g->hi[FORM_MUTANT],
				g->lo[FORM_BASE], g->hi[FORM_BASE], g->lo[FORM_TWIN],
				g->hi[FORM_TWIN]);
	else
		snprintf(text + used, cap - used, "; %s -O%u too",
			 compiler_name(certify_builds[w->x->build].compiler),
			 certify_builds[w->x->build].level);
}

static int run_once(struct watched *w, enum form f, unsigned i, struct diag *d)
{
	const struct mutation *m = w->x->mutation;
	struct run_files files;
	struct diag why = {0};
	double v = NAN;
	int rc = runs_one(w->x, f, RUN_WATCHED, i, &files, &why, d);

	if (rc)
		return rc;
	if (why.err)
		return runs_fail(w->x, STEP_WITNESS, "run of the %s: %s", form_name(f), why.reason);
	if (m->witness.of_cnt) {
		rc = measure_witness(w, &files, &v, d);
		if (rc)
			return rc;
		judge(w, &w->witness, f, i, v);
	}
	if (w->reference && !runs_failed(w->x)) {
		rc = measure_reading(w, f, &files, &v, d);
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
		for (unsigned i = 0; !rc && !runs_failed(w->x) && i < w->repeats; i++)
			rc = run_once(w, (enum form)f, i, d);
	return rc;
}

/* ---- which of the two there are ---- */

static void not_there(const struct runs *x, enum step s, bool declared, const char *why)
{
	if (declared)
		certificate_set(x->certificate, s, STEP_UNCHECKED, "%s", why);
	else
		certificate_set(x->certificate, s, STEP_NONE, "none declared");
}

static void find_reference(struct watched *w)
{
	const struct profiler *p;

	if (w->x->mutation->reading.figure[0] &&
	    !programs_profiler(w->x->certifier->programs, "attach-only", &p, NULL) &&
	    !p->trouble.err)
		w->reference = p;
}

int runs_watched(struct runs *x, struct diag *d)
{
	const struct mutation *m = x->mutation;
	const struct certifier *c = x->certifier;
	bool witness = m->witness.of_cnt, reading = m->reading.figure[0];
	bool here = c->programs->collector[0] && machine_can_record(c->machine, NULL);
	struct watched w = {
		.x = x,
		.repeats = x->first ? c->repeats : 1,
		.witness = {.step = STEP_WITNESS,
			    .has_above = m->witness.has_above,
			    .has_below = m->witness.has_below,
			    .above = m->witness.above,
			    .below = m->witness.below},
		.reading = {.step = STEP_READING,
			    .has_above = m->reading.has_above,
			    .has_below = m->reading.has_below,
			    .above = m->reading.above,
			    .below = m->reading.below},
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
	rc = run_all(&w, d);
	if (rc || runs_failed(x))
		return rc;
	if (witness)
		pass(&w, &w.witness);
	if (w.reference)
		pass(&w, &w.reading);
	return 0;
}
