/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a certificate that look at programs and run none. */
#include "harness/certify_static.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/certify_build.h"
#include "lib/formats/manifest.h"
#include "mutations/image.h"
#include "mutations/leaks.h"
#include "mutations/repair.h"
#include "mutations/signatures.h"

/* What the steps hand on. */
struct work {
	const struct certifier *c;
	const struct mutation *m;
	const char *workload;
	struct certificate *ret;
	struct diag *d;
	char programs[CERTIFY_BUILDS][FORM_CNT][RECORD_PATH];
	char debug[FORM_CNT][RECORD_PATH];
	struct image images[CERTIFY_BUILDS][FORM_CNT];
};

bool certify_fatal(int err)
{
	switch (err) {
	case -EINTR:
	case -ENOMEM:
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
	case -EACCES:
	case -EAGAIN:
	case -EMFILE:
	case -ENFILE:
		return true;
	default:
		return false;
	}
}

/* Without the program that applies its patch nothing can be said of a mutation here. */
static int not_here(struct work *w, const struct diag *why)
{
	for (unsigned s = 0; s < STEP_CNT; s++)
		certificate_set(w->ret, (enum step)s, STEP_UNCHECKED, "%s: %s (%s)", why->file,
				why->reason, why->cure);
	return 0;
}

/* A failed step, or an error to be handed up. */
static int fail(struct work *w, enum step s, int err, const struct diag *why, const char *what)
{
	if (err == -ENOPKG)
		return not_here(w, why);
	if (certify_fatal(err)) {
		*w->d = *why;
		return err;
	}
	certificate_set(w->ret, s, STEP_FAILED, "%s%s%s%s", what, what[0] ? ": " : "", why->reason,
			"");
	return 0;
}

static const char *build_name(size_t b, enum form f)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s -O%u %s", compiler_name(certify_builds[b].compiler),
		 certify_builds[b].level, form_name(f));
	return name;
}

/* ---- builds ---- */

static int step_compiles(struct work *w)
{
	unsigned made = 0;

	for (size_t b = 0; b < CERTIFY_BUILDS; b++) {
		for (unsigned f = 0; f < FORM_CNT && certify_wants(w->m, (unsigned)b); f++) {
			struct build_spec s = {.mutation = w->m,
					       .workload = w->workload,
					       .form = (enum form)f,
					       .compiler = certify_builds[b].compiler,
					       .level = certify_builds[b].level,
					       .salt = certify_salt(w->workload)};
			struct diag why = {0};
			int rc = build_variant(w->c->house, &s, w->programs[b][f], &why);

			if (!rc)
				rc = image_load(w->programs[b][f], &w->images[b][f], &why);
			if (rc)
				return fail(w, STEP_COMPILES, rc, &why,
					    build_name(b, (enum form)f));
			made++;
		}
	}
	certificate_set(w->ret, STEP_COMPILES, STEP_PASSED, "%u programs", made);
	return 0;
}

static int step_symbols(struct work *w)
{
	if (w->m->symbols_change) {
		certificate_set(w->ret, STEP_SYMBOLS, STEP_NONE,
				"the class does not preserve them");
		return 0;
	}
	for (size_t b = 0; b < CERTIFY_BUILDS; b++) {
		for (unsigned f = FORM_MUTANT; f < FORM_CNT && certify_wants(w->m, (unsigned)b);
		     f++) {
			const char *found = names_differ(&w->images[b][FORM_BASE].symbols,
							 &w->images[b][f].symbols);

			if (found) {
				certificate_set(w->ret, STEP_SYMBOLS, STEP_FAILED,
						"%s: not in both it and the base: %s",
						build_name(b, (enum form)f), found);
				return 0;
			}
		}
	}
	certificate_set(w->ret, STEP_SYMBOLS, STEP_PASSED, "%zu symbols",
			w->images[0][FORM_BASE].symbols.cnt);
	return 0;
}

/* ---- signatures and sites ---- */

static int build_debug(struct work *w, enum form f, struct diag *why)
{
	unsigned first = certify_first(w->m);
	struct build_spec s = {.mutation = w->m,
			       .workload = w->workload,
			       .form = f,
			       .compiler = certify_builds[first].compiler,
			       .level = certify_builds[first].level,
			       .salt = certify_salt(w->workload),
			       .debug = true};

	return build_variant(w->c->house, &s, w->debug[f], why);
}

static int differs(struct work *w, const char *what, enum form f, const char *found)
{
	certificate_set(w->ret, STEP_SIGNATURES, STEP_FAILED, "%s of the %s: %s", what,
			form_name(f), found);
	return 0;
}

static int compare_signatures(struct work *w, size_t *ret_cnt, struct diag *why)
{
	struct name_list v[FORM_CNT] = {{0}};
	int rc = 0;

	for (unsigned f = 0; !rc && f < FORM_CNT; f++) {
		rc = build_debug(w, (enum form)f, why);
		if (!rc)
			rc = signatures_load(w->debug[f], &v[f], why);
	}
	for (unsigned f = FORM_MUTANT; !rc && f < FORM_CNT && !w->m->symbols_change; f++) {
		const char *found = signatures_differ(&v[FORM_BASE], &v[f], ret_cnt);

		if (found)
			rc = differs(w, "signature", (enum form)f, found);
	}
	for (unsigned f = 0; f < FORM_CNT; f++)
		names_free(&v[f]);
	return rc;
}

/* The sites of the old manifest in one build of the three forms. */
static int compare_sites(struct work *w, const struct manifest *m, unsigned b, struct diag *why)
{
	struct name_list v[FORM_CNT] = {{0}};
	int rc = 0;

	for (unsigned f = 0; !rc && f < FORM_CNT; f++)
		rc = attachability_load(m, w->programs[b][f], &v[f], why);
	for (unsigned f = FORM_MUTANT; !rc && f < FORM_CNT; f++) {
		const char *found = names_differ(&v[FORM_BASE], &v[f]);

		if (found)
			rc = differs(w, "probe", (enum form)f, found);
	}
	for (unsigned f = 0; f < FORM_CNT; f++)
		names_free(&v[f]);
	return rc;
}

static int compare_all_sites(struct work *w, size_t *ret_cnt, struct diag *why)
{
	char path[RECORD_PATH];
	struct manifest m;
	int rc = repair_start(w->c->house, w->m, w->workload, path, why);

	if (rc || access(path, F_OK))
		return rc;
	rc = manifest_load(path, &m, why);
	if (rc)
		return rc;
	*ret_cnt = m.descriptors_cnt;
	for (unsigned b = 0; !rc && b < CERTIFY_BUILDS; b++)
		if (certify_wants(w->m, b))
			rc = compare_sites(w, &m, b, why);
	manifest_free(&m);
	return rc;
}

/* Whether an attach by symbol fails on the mutant, and so tells: the first site that is gone. */
static int say_attach(struct work *w, struct diag *why)
{
	char path[RECORD_PATH];
	struct name_list l = {0};
	const char *gone = NULL;
	struct manifest m;
	int rc = repair_start(w->c->house, w->m, w->workload, path, why);

	if (!rc)
		rc = manifest_load(path, &m, why);
	if (rc)
		return rc;
	rc = attachability_load(&m, w->programs[certify_first(w->m)][FORM_MUTANT], &l, why);
	for (size_t i = 0; i < l.cnt && !gone; i++)
		gone = strstr(l.v[i], ": none") ? l.v[i] : NULL;
	if (!rc)
		certificate_set(w->ret, STEP_SIGNATURES, STEP_NONE,
				"the class does not preserve them; attach is %s%s",
				gone ? "loud: " : "quiet: every site is there", gone ? gone : "");
	names_free(&l);
	manifest_free(&m);
	return rc;
}

static int step_signatures(struct work *w)
{
	size_t functions = 0, sites = 0;
	struct diag why = {0};
	int rc = compare_signatures(w, &functions, &why);

	if (!rc && w->m->symbols_change)
		rc = say_attach(w, &why);

	if (!rc && !w->m->symbols_change && certificate_failed(w->ret) == STEP_CNT)
		rc = compare_all_sites(w, &sites, &why);
	if (rc)
		return fail(w, STEP_SIGNATURES, rc, &why, "");
	if (certificate_failed(w->ret) != STEP_CNT)
		return 0;
	if (!w->m->symbols_change)
		certificate_set(w->ret, STEP_SIGNATURES, STEP_PASSED,
				"%zu functions, %zu sites probed alike", functions, sites);
	return 0;
}

/* ---- code and words ---- */

/* Onset variants hold both bodies in each form, CONFIG has one build: nothing differs there. */
static bool code_differs(const struct mutation *m)
{
	return m->kind == KIND_PATCH && !m->onset;
}

static int step_code(struct work *w)
{
	if (!code_differs(w->m) && w->m->kind != KIND_FLAGS) {
		certificate_set(w->ret, STEP_CODE, STEP_NONE, "onset and configuration: one code");
		return 0;
	}
	for (size_t b = 0; b < CERTIFY_BUILDS; b++) {
		struct image *v = w->images[b];

		if (!certify_wants(w->m, (unsigned)b))
			continue;
		if (v[FORM_MUTANT].code == v[FORM_BASE].code ||
		    v[FORM_TWIN].code == v[FORM_BASE].code ||
		    v[FORM_TWIN].code == v[FORM_MUTANT].code) {
			certificate_set(w->ret, STEP_CODE, STEP_FAILED,
					"%s: two forms have the same machine code",
					build_name(b, FORM_BASE));
			return 0;
		}
	}
	certificate_set(w->ret, STEP_CODE, STEP_PASSED, "all three differ");
	return 0;
}

/* Words of debug information too, though no program that runs has any. */
static int scan_debug(struct work *w, enum form f, struct diag *why)
{
	struct image image;
	int rc = image_load(w->debug[f], &image, why);

	if (!rc) {
		rc = leaks_debug(w->c->house, w->m, w->debug[f], &image, why);
		image_free(&image);
	}
	return rc;
}

static int step_leaks(struct work *w)
{
	struct diag why = {0};
	int rc = 0;

	for (size_t b = 0; !rc && b < CERTIFY_BUILDS; b++) {
		for (unsigned f = 0; !rc && f < FORM_CNT && certify_wants(w->m, (unsigned)b); f++)
			rc = leaks_scan(w->c->house, w->m, w->programs[b][f], &w->images[b][f],
					&why);
		if (!rc && certify_wants(w->m, (unsigned)b))
			rc = leaks_compare(w->m, w->images[b], &why);
	}
	for (unsigned f = 0; !rc && f < FORM_CNT; f++)
		rc = scan_debug(w, (enum form)f, &why);
	if (rc)
		return fail(w, STEP_LEAKS, rc, &why, "");
	certificate_set(w->ret, STEP_LEAKS, STEP_PASSED, "nothing tells");
	return 0;
}

/* ---- the whole ---- */

int certify_static(const struct certifier *c, const struct mutation *m, const char *workload,
		   struct certificate *ret, struct diag *d)
{
	int (*const steps[])(struct work *) = {step_compiles, step_symbols, step_signatures,
					       step_code, step_leaks};
	struct work *w = calloc(1, sizeof(*w));
	int rc = w ? 0 : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (rc)
		return rc;
	*w = (struct work){.c = c, .m = m, .workload = workload, .ret = ret, .d = d};
	for (size_t i = 0; !rc && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (certificate_failed(ret) == STEP_CNT && ret->state[STEP_LEAKS] == STEP_OPEN)
			rc = steps[i](w);
	for (size_t b = 0; b < CERTIFY_BUILDS; b++)
		for (unsigned f = 0; f < FORM_CNT; f++)
			image_free(&w->images[b][f]);
	free(w);
	return rc;
}
