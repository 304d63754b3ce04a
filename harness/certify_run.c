/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the forms of a mutation and looking at them while they run. */
#include "harness/certify_run.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/binding.h"
#include "harness/certify_build.h"
#include "lib/files.h"
#include "mutations/leaks.h"
#include "mutations/once.h"
#include "mutations/view.h"

enum { SERIAL_OPS = 150, WATCHED_OPS = 800, CERTIFY_SEED = 7, VIEW_MAX = 1 << 22 };

int runs_fail(const struct runs *x, enum step s, const char *fmt, const char *what, const char *why)
{
	const struct certify_build *b = &certify_builds[x->build];
	char text[224];

	snprintf(text, sizeof(text), fmt, what, why);
	if (x->first)
		certificate_set(x->certificate, s, STEP_FAILED, "%s", text);
	else
		certificate_set(x->certificate, s, STEP_FAILED, "%s -O%u: %s",
				compiler_name(b->compiler), b->level, text);
	return 0;
}

bool runs_failed(const struct runs *x)
{
	return certificate_failed(x->certificate) != STEP_CNT;
}

uint64_t runs_watched_ops(const struct mutation *m)
{
	return m->ops ? 4 * m->ops : WATCHED_OPS;
}

/* ---- files ---- */

/* Nothing was done to it: it is the same for every mutation of the workload. */
static bool is_plain(const struct runs *x, enum form f)
{
	const struct form_spec *s = &x->mutation->forms[f];

	return f == FORM_BASE && !s->patch[0] && !s->config[0] && !s->flags_cnt &&
	       !x->mutation->before_cnt;
}

/* The kernel's side is recorded where somebody looks at it: a witness over what it shows, another
 * reading than of events, or the embedded profiler. */
static bool is_all(const struct runs *x)
{
	const struct witness_spec *w = &x->mutation->witness;
	const char *figure = x->mutation->reading.figure;

	for (uint32_t i = 0; i < w->of_cnt; i++)
		if (w->of[i].kind == SEEN_IO || w->of[i].kind == SEEN_WAKE)
			return true;
	return x->repaired[0] || (figure[0] && strncmp(figure, "event.", 6));
}

static uint64_t ops_of(const struct runs *x, enum run_kind kind)
{
	uint64_t ops = x->mutation->ops;

	return kind != RUN_SERIAL ? runs_watched_ops(x->mutation) : ops ? ops : SERIAL_OPS;
}

static int name_files(const struct runs *x, enum form f, enum run_kind kind, unsigned i,
		      struct run_files *ret, struct diag *d)
{
	const char *top = x->certifier->folder;
	struct run_files v;
	int rc;

	if (is_plain(x, f))
		rc = path_format(v.folder, d, "%s/%s%s-%u-%c%s-%llu-%u", top,
				 x->certifier->alone ? "alone-" : "", x->workload->name, x->build,
				 "swc"[kind], is_all(x) ? "a" : "",
				 (unsigned long long)ops_of(x, kind), i);
	else
		rc = path_format(v.folder, d, "%s/run-%d", top, (int)getpid());
	if (!rc)
		rc = path_format(v.truth, d, "%s/truth.bin", v.folder);
	if (!rc)
		rc = path_format(v.evidence, d, "%s/evidence.bin", v.folder);
	if (!rc)
		rc = path_format(v.manifest, d, "%s/manifest.yaml", v.folder);
	if (!rc)
		rc = path_format(v.claims, d, "%s/claims.bin", v.folder);
	if (!rc)
		rc = path_format(v.view, d, "%s.view", v.folder);
	if (!rc)
		*ret = v;
	return rc;
}

/* ---- looking ---- */

/* One run: what its watcher is given, and what a stranger sees meanwhile. */
struct session {
	const char *collector, *exe;
	const struct run_files *files;
	bool has_manifest, all; /* all: more than hits is recorded */
	char pid[16], fd[16];
	char data[PATH_LEN], work[PATH_LEN], bin[PATH_LEN];
	struct name_list view;
};

static void watch(void *arg, pid_t pid, char *argv[32])
{
	struct session *s = arg;
	const char *const v[] = {s->collector, "record",
				 "--pid",      s->pid,
				 "--evidence", s->files->evidence,
				 "--ready-fd", s->fd,
				 "--exe",      s->exe,
				 "--binding",  "stamped",
				 "--manifest", s->files->manifest,
				 "--only",     "sites",
				 NULL};

	snprintf(s->pid, sizeof(s->pid), "%d", pid);
	snprintf(s->fd, sizeof(s->fd), "%d", READY_FD);
	memcpy(argv, v, sizeof(v));
	if (!s->has_manifest)
		argv[8] = NULL;
	else if (s->all)
		argv[14] = NULL;
}

static int look(void *arg, pid_t pid, struct diag *d)
{
	struct session *s = arg;
	const struct view_word words[] = {{s->data, "DATA"},
					  {s->work, "WORK"},
					  {s->files->folder, "RUN"},
					  {s->bin, "BIN"},
					  {NULL, NULL}};
	int rc = view_process(pid, words, &s->view, d);

	if (!rc)
		rc = view_folder(s->data, words, &s->view, d);
	if (!rc)
		rc = view_folder(s->work, words, &s->view, d);
	if (!rc && s->has_manifest)
		rc = view_text(s->files->manifest, "build_id:", words, &s->view, d);
	return rc;
}

static int save_view(struct session *s, const char *path, struct diag *d)
{
	struct file_out o;
	int rc;

	names_sort(&s->view);
	rc = file_out_open(&o, path, d);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->view.cnt; i++)
		fprintf(o.f, "%s\n", s->view.v[i]);
	return file_out_commit(&o, d);
}

static int add_view(struct name_list *l, const char *path, struct diag *d)
{
	char *text, *save = NULL;
	int rc = file_read(path, VIEW_MAX, &text, NULL, d);

	if (rc)
		return rc;
	for (char *s = strtok_r(text, "\n", &save); !rc && s; s = strtok_r(NULL, "\n", &save))
		rc = names_add(l, s, strlen(s));
	free(text);
	return rc ? diag_set(d, rc, NULL, 0, NULL, "out of memory") : 0;
}

void runs_shown(struct runs *x)
{
	struct diag why = {0};

	for (unsigned f = 0; f < FORM_CNT; f++)
		names_sort(&x->views[f]);
	if (leaks_shown(x->certifier->house, x->mutation, x->views, &why))
		runs_fail(x, STEP_PROCESS, "%s: %s", why.file, why.reason);
	else
		certificate_set(x->certificate, STEP_PROCESS, STEP_PASSED, "%zu lines, all alike",
				x->views[FORM_BASE].cnt);
}

/* ---- one run ---- */

static void fill_cell(const struct runs *x, enum form f, enum run_kind kind, struct cell *ret)
{
	unsigned long long ops = ops_of(x, kind);

	*ret = (struct cell){.kind = KIND_RECORD, .seed = CERTIFY_SEED};
	snprintf(ret->workload, sizeof(ret->workload), "%s", x->workload->name);
	snprintf(ret->variant, sizeof(ret->variant), "%s", form_name(f));
	snprintf(ret->name, sizeof(ret->name), "%.32s %s", x->workload->name, form_name(f));
	if (kind != RUN_WATCHED)
		snprintf(ret->params, sizeof(ret->params), "ops=%llu depth=1 workers=1 serial=1",
			 ops);
	else
		snprintf(ret->params, sizeof(ret->params), "ops=%llu rate=%llu workers=%llu", ops,
			 (unsigned long long)x->workload->rate,
			 (unsigned long long)x->workload->workers);
}

/* The manifest, stamped for this form: what a profiler gets. */
static int bind_form(const char *manifest, struct session *s, struct diag *d)
{
	s->has_manifest = manifest[0];
	return s->has_manifest
		       ? binding_write(manifest, "stamped", s->exe, s->exe, s->files->manifest, d)
		       : 0;
}

static int session_open(const struct runs *x, enum form f, const struct run_files *files,
			enum run_kind kind, struct session *s, struct diag *d)
{
	const struct variant *v = &x->forms[f];
	char exe[PATH_LEN];
	int rc = folder_remove(files->folder, d);

	*s = (struct session){.collector = x->certifier->programs->collector,
			      .exe = x->exe[f],
			      .files = files,
			      .all = is_all(x)};
	if (!rc)
		rc = path_format(s->data, d, "%s/data", files->folder);
	if (!rc)
		rc = path_format(s->work, d, "%s/work", files->folder);
	if (!rc)
		rc = dir_make(s->data, d);
	if (!rc)
		rc = dir_make(s->work, d);
	strcpy(exe, s->exe);
	if (!rc)
		rc = path_format(s->bin, d, "%s", dirname(exe));
	return rc || kind == RUN_SERIAL
		       ? rc
		       : bind_form(x->repaired[0] ? x->repaired : v->manifest, s, d);
}

static int run_session(struct runs *x, enum form f, enum run_kind kind, struct session *s,
		       struct diag *ret_why, struct diag *d)
{
	const struct variant *v = &x->forms[f];
	struct trial_result result;
	char load[PATH_LEN];
	struct cell cell;
	int rc = path_format(load, d, "%s/load.json", s->files->folder);
	struct trial_spec t = {
		.workload = x->workload,
		.cell = &cell,
		.exe = s->exe,
		.config = v->config[0] ? v->config : NULL,
		.descriptors = v->descriptors,
		.descriptors_cnt = v->descriptors_cnt,
		.onset = x->mutation->onset,
		.uncosted = true,
		.watcher = kind == RUN_SERIAL ? NULL : watch,
		.look = look,
		.arg = s,
		.work = s->work,
		.data = s->data,
		.truth_path = s->files->truth,
		.load_path = load,
		.log_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
		.limits = x->certifier->limits,
	};

	fill_cell(x, f, kind, &cell);
	if (!rc)
		rc = trial_run(&t, &result, d);
	close(t.log_fd);
	if (!rc)
		*ret_why = result.sound ? result.complaint : result.trouble;
	return rc;
}

struct making_run {
	struct runs *x;
	enum form form;
	enum run_kind kind;
	const struct run_files *files;
	struct diag why; /* it is not sound */
};

/* The view is written last: where it is there, the run is whole. */
static int make_run(void *arg, const char *view, struct diag *d)
{
	struct making_run *r = arg;
	struct session s;
	int rc = session_open(r->x, r->form, r->files, r->kind, &s, d);

	if (!rc)
		rc = run_session(r->x, r->form, r->kind, &s, &r->why, d);
	if (!rc)
		rc = r->why.err ? -ECANCELED : save_view(&s, view, d);
	names_free(&s.view);
	return rc;
}

int runs_one(struct runs *x, enum form f, enum run_kind kind, unsigned i, struct run_files *ret,
	     struct diag *ret_why, struct diag *d)
{
	struct run_files files;
	struct making_run r = {.x = x, .form = f, .kind = kind, .files = &files};
	int rc = name_files(x, f, kind, i, &files, d);

	if (!rc)
		rc = is_plain(x, f) ? make_once(files.view, make_run, &r, d)
				    : make_run(&r, files.view, d);
	if (!rc)
		rc = add_view(&x->views[f], files.view, d);
	if (rc && !r.why.err)
		return rc;
	*ret = files;
	*ret_why = r.why;
	return 0;
}

/* ---- the whole ---- */

static int open_form(struct runs *x, enum form f, struct diag *d)
{
	const struct certifier *c = x->certifier;
	const struct certify_build *b = &certify_builds[x->build];
	struct build_spec s = {.mutation = x->mutation,
			       .workload = x->workload->name,
			       .form = f,
			       .compiler = b->compiler,
			       .level = b->level,
			       .salt = certify_salt(x->workload->name)};
	int rc = build_variant(c->house, &s, x->exe[f], d);

	return rc ? rc
		  : variant_open(c->house, c->programs->folder, x->mutation, f, x->workload->name,
				 &x->forms[f], d);
}

static int open_forms(struct runs *x, struct diag *d)
{
	int rc = 0;

	for (unsigned f = 0; !rc && f < FORM_CNT; f++)
		rc = open_form(x, (enum form)f, d);
	return rc;
}

void runs_close(struct runs *x)
{
	for (unsigned f = 0; f < FORM_CNT; f++) {
		variant_free(&x->forms[f]);
		names_free(&x->views[f]);
		free(x->meaning[f].canon);
	}
	free(x);
}

int runs_open(const struct certifier *c, const struct mutation *m, const struct workload *w,
	      unsigned build, struct certificate *v, struct runs **ret, struct diag *d)
{
	struct runs *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	x->certifier = c;
	x->mutation = m;
	x->workload = w;
	x->certificate = v;
	x->build = build;
	x->first = build == certify_first(m);
	rc = open_forms(x, d);
	if (rc)
		runs_close(x);
	else
		*ret = x;
	return rc;
}

/* Where a compiler shapes the fault, which a record says by both levels, each build has to show. */
static bool is_shaped(const struct mutation *m)
{
	return m->o0 && m->o2;
}

static int run_steps(struct runs *x, struct diag *d)
{
	int rc = runs_canon(x, d);

	if (!rc && !runs_failed(x) && x->first)
		rc = runs_reached(x, d);
	if (!rc && !runs_failed(x) && (x->first || is_shaped(x->mutation)))
		rc = runs_watched(x, d);
	if (!rc && !runs_failed(x))
		runs_shown(x);
	if (!rc && !runs_failed(x) && x->first)
		rc = runs_repaired(x, d);
	return rc;
}

static int run_build(const struct certifier *c, const struct mutation *m, const struct workload *w,
		     unsigned build, struct certificate *v, struct diag *d)
{
	struct runs *x;
	int rc = runs_open(c, m, w, build, v, &x, d);

	if (rc)
		return rc;
	rc = run_steps(x, d);
	runs_close(x);
	return rc;
}

int certify_runs(const struct certifier *c, const struct mutation *m, const char *workload,
		 struct certificate *ret, struct diag *d)
{
	unsigned first = certify_first(m);
	const struct workload *w;
	int rc = programs_workload(c->programs, workload, &w, d);

	if (!rc)
		rc = run_build(c, m, w, first, ret, d);
	for (unsigned b = 0; !rc && b < CERTIFY_BUILDS; b++)
		if (b != first && certify_wants(m, b) && certificate_failed(ret) == STEP_CNT)
			rc = run_build(c, m, w, b, ret, d);
	return rc;
}
