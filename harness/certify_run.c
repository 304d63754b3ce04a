/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the forms of a mutation: what they mean serially, what shows of them otherwise. */
#include "harness/certify_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/truth.h"
#include "harness/folder.h"
#include "harness/variant.h"
#include "lib/files.h"
#include "mutations/tally.h"

enum { SERIAL_OPS = 150, SERIAL_REPEATS = 2, CERTIFY_SEED = 7 };

int runs_fail(const struct runs *x, enum step s, const char *fmt, const char *what, const char *why)
{
	certificate_set(x->r->certificate, s, STEP_FAILED, fmt, what, why);
	return 0;
}

bool runs_failed(const struct runs *x)
{
	return certificate_failed(x->r->certificate) != STEP_CNT;
}

/* ---- one run ---- */

static void fill_cell(const struct runs *x, enum form f, bool serial, struct cell *ret)
{
	uint64_t ops = x->r->mutation->ops;

	*ret = (struct cell){.kind = KIND_RECORD, .seed = CERTIFY_SEED};
	snprintf(ret->workload, sizeof(ret->workload), "%s", x->workload->name);
	snprintf(ret->variant, sizeof(ret->variant), "%s", form_name(f));
	snprintf(ret->name, sizeof(ret->name), "%.32s %s", x->workload->name, form_name(f));
	if (serial)
		snprintf(ret->params, sizeof(ret->params), "ops=%llu depth=1 workers=1 serial=1",
			 (unsigned long long)(ops ? ops : SERIAL_OPS));
	else
		snprintf(ret->params, sizeof(ret->params), "ops=%llu rate=%llu workers=%llu",
			 (unsigned long long)runs_watched_ops(x->r->mutation),
			 (unsigned long long)x->workload->rate,
			 (unsigned long long)x->workload->workers);
}

static int fresh(const struct runs *x, char data[PATH_LEN], char work[PATH_LEN], struct diag *d)
{
	int rc = path_format(data, d, "%s/data", x->folder);

	if (!rc)
		rc = path_format(work, d, "%s/work", x->folder);
	if (!rc)
		rc = folder_remove(data, d);
	if (!rc)
		rc = folder_remove(work, d);
	if (!rc)
		rc = dir_make(data, d);
	return rc ? rc : dir_make(work, d);
}

int runs_one(struct runs *x, enum form f, bool serial, struct watch_args *w, struct diag *ret_why,
	     struct diag *d)
{
	const struct variant *v = &x->forms[f];
	char data[PATH_LEN], work[PATH_LEN], truth[PATH_LEN], load[PATH_LEN];
	struct trial_result result;
	struct cell cell;
	int rc = fresh(x, data, work, d);

	if (!rc)
		rc = path_format(truth, d, "%s/truth.bin", x->folder);
	if (!rc)
		rc = path_format(load, d, "%s/load.json", x->folder);
	if (rc)
		return rc;
	fill_cell(x, f, serial, &cell);
	{
		struct trial_spec s = {
			.workload = x->workload,
			.cell = &cell,
			.exe = v->exe,
			.config = v->config[0] ? v->config : NULL,
			.descriptors = v->descriptors,
			.descriptors_cnt = v->descriptors_cnt,
			.onset = x->r->mutation->onset,
			.watcher = w ? runs_watcher : NULL,
			.arg = w,
			.work = work,
			.data = data,
			.truth_path = truth,
			.load_path = load,
			.log_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
			.limits = x->r->certifier->limits,
		};

		rc = trial_run(&s, &result, d);
		close(s.log_fd);
	}
	if (rc)
		return rc;
	*ret_why = result.sound ? result.complaint : result.trouble;
	return 0;
}

/* ---- canon ---- */

static int read_meaning(const struct runs *x, struct meaning *ret, struct diag *d)
{
	char path[PATH_LEN];
	struct meaning v = {.canon = NULL};
	struct truth t;
	FILE *out;
	int rc = path_format(path, d, "%s/truth.bin", x->folder);

	if (!rc)
		rc = truth_load(path, &t, d);
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

/* The same form again and again means the same. */
static int repeat_form(struct runs *x, enum form f, struct diag *d)
{
	struct meaning *first = &x->meaning[f], next;
	int rc = 0;

	for (unsigned i = 0; !rc && !runs_failed(x) && i < SERIAL_REPEATS; i++) {
		struct diag why = {0};

		rc = runs_one(x, f, true, NULL, &why, d);
		if (!rc && why.err)
			return runs_fail(x, STEP_CANON, "serial run of the %s: %s", form_name(f),
					 why.reason);
		if (!rc)
			rc = read_meaning(x, i ? &next : first, d);
		if (rc || !i)
			continue;
		if (!same(first, &next))
			runs_fail(x, STEP_CANON, "two serial runs of the %s differ%s", form_name(f),
				  "");
		free(next.canon);
	}
	return rc;
}

static void judge_canon(struct runs *x)
{
	const struct mutation *m = x->r->mutation;
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
	certificate_set(x->r->certificate, STEP_CANON, STEP_PASSED, "twin equal, mutant %s",
			m->canon_differs ? "differs as declared" : "equal as declared");
}

static int step_canon(struct runs *x, struct diag *d)
{
	int rc = 0;

	for (unsigned f = 0; !rc && !runs_failed(x) && f < FORM_CNT; f++)
		rc = repeat_form(x, (enum form)f, d);
	if (!rc && !runs_failed(x))
		judge_canon(x);
	return rc;
}

static int step_reached(struct runs *x, struct diag *d)
{
	const struct run_tally *t = &x->meaning[FORM_MUTANT].tally;
	uint64_t n = tally_reached(t, &x->r->mutation->reached);
	uint64_t least = x->r->certifier->least;

	certificate_set(x->r->certificate, STEP_REACHED, n < least ? STEP_FAILED : STEP_PASSED,
			n < least ? "%llu times, fewer than %llu" : "%llu times",
			(unsigned long long)n, (unsigned long long)least);
	return 0;
}

/* ---- the whole ---- */

static int open_forms(struct runs *x, struct diag *d)
{
	const struct certifier *c = x->r->certifier;
	int rc = 0;

	for (unsigned f = 0; !rc && f < FORM_CNT; f++)
		rc = variant_open(c->house, c->programs->folder, x->r->mutation, (enum form)f,
				  x->workload->name, COMPILER_GCC, 2, x->r->salt, &x->forms[f], d);
	return rc;
}

static int run_steps(struct runs *x, struct diag *d)
{
	int (*const steps[])(struct runs *, struct diag *) = {step_canon, step_reached,
							      runs_watched};
	int rc = 0;

	for (size_t i = 0; !rc && !runs_failed(x) && i < sizeof(steps) / sizeof(steps[0]); i++)
		rc = steps[i](x, d);
	return rc;
}

static void close_runs(struct runs *x)
{
	for (unsigned f = 0; f < FORM_CNT; f++) {
		variant_free(&x->forms[f]);
		free(x->meaning[f].canon);
	}
	if (x->folder[0])
		folder_remove(x->folder, NULL);
	free(x);
}

int certify_runs(const struct certify_run *r, struct diag *d)
{
	struct runs *x = calloc(1, sizeof(*x));
	int rc = x ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (rc)
		return rc;
	x->r = r;
	rc = programs_workload(r->certifier->programs, r->workload, &x->workload, d);
	if (!rc)
		rc = path_format(x->folder, d, "%s/t", r->certifier->house->variants);
	if (!rc)
		rc = dir_make(x->folder, d);
	if (!rc)
		rc = path_format(x->folder, d, "%s/t/XXXXXX", r->certifier->house->variants);
	if (!rc && !mkdtemp(x->folder))
		rc = file_error(d, -errno, x->folder, "write");
	if (!rc)
		rc = open_forms(x, d);
	if (!rc)
		rc = run_steps(x, d);
	close_runs(x);
	return rc;
}
