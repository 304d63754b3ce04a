/* SPDX-License-Identifier: BSD-2-Clause */
/* What the forms of a mutation mean: serial runs compared. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/truth.h"
#include "harness/certify_run.h"
#include "mutations/tally.h"

enum { SERIAL_REPEATS = 2 };

static int read_meaning(const char *path, struct meaning *ret, struct diag *d)
{
	struct meaning v = {.canon = NULL};
	struct truth t;
	FILE *out;
	int rc = truth_load(path, &t, d);

	if (rc)
		return rc;
	out = open_memstream(&v.canon, &v.len);
	rc = out ? truth_canon(&t, out) : -ENOMEM;
	if (out && fclose(out))
		rc = -ENOMEM;
	if (!rc)
		rc = tally_truth(&t, &v.tally, d);
	else
		diag_set(d, rc, path, 0, NULL, "no canon");
	truth_free(&t);
	if (rc)
		free(v.canon);
	else
		*ret = v;
	return rc;
}

static bool same(const struct meaning *a, const struct meaning *b)
{
	return a->len == b->len && !memcmp(a->canon, b->canon, a->len);
}

static int run_form(struct runs *x, enum form f, unsigned i, struct meaning *ret, struct diag *d)
{
	struct run_files files;
	struct diag why = {0};
	int rc = runs_one(x, f, RUN_SERIAL, i, &files, &why, d);

	if (rc)
		return rc;
	if (why.err)
		return runs_fail(x, STEP_CANON, "serial run of the %s: %s", form_name(f),
				 why.reason);
	return read_meaning(files.truth, ret, d);
}

/* The same form again means the same. */
static int repeat_form(struct runs *x, enum form f, struct diag *d)
{
	struct meaning next = {.canon = NULL};
	int rc = run_form(x, f, 0, &x->meaning[f], d);

	for (unsigned i = 1; !rc && !runs_failed(x) && x->first && i < SERIAL_REPEATS; i++) {
		rc = run_form(x, f, i, &next, d);
		if (!rc && !runs_failed(x) && !same(&x->meaning[f], &next))
			runs_fail(x, STEP_CANON, "two serial runs of the %s differ%s", form_name(f),
				  "");
		free(next.canon);
		next.canon = NULL;
	}
	return rc;
}

static void judge_canon(struct runs *x)
{
	const struct mutation *m = x->mutation;
	const struct meaning *v = x->meaning;
	struct diag why = {0};

	if (!same(&v[FORM_BASE], &v[FORM_TWIN])) {
		runs_fail(x, STEP_CANON, "the twin means something else than the base%s%s", "", "");
		return;
	}
	if (same(&v[FORM_BASE], &v[FORM_MUTANT]) == m->canon_differs) {
		runs_fail(x, STEP_CANON, "the mutant's canon %s the base's%s",
			  m->canon_differs ? "equals" : "differs from", "");
		return;
	}
	if (tally_check(m, &v[FORM_BASE].tally, &v[FORM_MUTANT].tally, &why)) {
		runs_fail(x, STEP_CANON, "%s%s", why.reason, "");
		return;
	}
	certificate_set(x->certificate, STEP_CANON, STEP_PASSED, "twin equal, mutant %s",
			m->canon_differs ? "differs as declared" : "equal as declared");
}

int runs_canon(struct runs *x, struct diag *d)
{
	int rc = 0;

	for (unsigned f = 0; !rc && !runs_failed(x) && f < FORM_CNT; f++)
		rc = repeat_form(x, (enum form)f, d);
	if (!rc && !runs_failed(x))
		judge_canon(x);
	return rc;
}

int runs_reached(struct runs *x, struct diag *d)
{
	const struct run_tally *t = &x->meaning[FORM_MUTANT].tally;
	uint64_t n = tally_reached(t, &x->mutation->reached);
	uint64_t least = x->certifier->least;

	certificate_set(x->certificate, STEP_REACHED, n < least ? STEP_FAILED : STEP_PASSED,
			n < least ? "%llu times, fewer than %llu" : "%llu times",
			(unsigned long long)n, (unsigned long long)least);
	return 0;
}
