/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a certificate, in order. */
#include "harness/certify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/certify_run.h"
#include "harness/variant.h"
#include "lib/hash.h"
#include "mutations/image.h"
#include "mutations/leaks.h"

/* The steps look at this: raise it where they look at something else. */
static const uint64_t CERTIFY_VERSION = 1;

static const struct {
	enum compiler compiler;
	unsigned level;
} builds[] = {{COMPILER_GCC, 2}, {COMPILER_GCC, 0}, {COMPILER_CLANG, 2}, {COMPILER_CLANG, 0}};
enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };

static bool wanted(const struct mutation *m, size_t build)
{
	return (builds[build].compiler == COMPILER_GCC ? m->gcc : m->clang) &&
	       (builds[build].level ? m->o2 : m->o0);
}

/* What the steps hand on. */
struct work {
	const struct certifier *c;
	const struct mutation *m;
	const char *workload;
	struct certificate *ret;
	struct diag *d;
	char programs[BUILDS][FORM_CNT][RECORD_PATH];
	struct image images[BUILDS][FORM_CNT];
};

/* An error that is the machine's, not the mutation's. */
static bool is_fatal(int err)
{
	return err == -EINTR || err == -ENOMEM || err == -ENOSPC || err == -EROFS || err == -EACCES;
}

/* A failed step, or an error to be handed up. */
static int fail(struct work *w, enum step s, int err, const struct diag *why, const char *what)
{
	if (is_fatal(err)) {
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

	snprintf(name, sizeof(name), "%s -O%u %s", compiler_name(builds[b].compiler),
		 builds[b].level, form_name(f));
	return name;
}

/* One salt for the three forms, so that what differs is the mutation's. */
static uint64_t salt_of(const struct work *w)
{
	return hash_bytes(w->m->id, strlen(w->m->id), CERTIFY_VERSION);
}

/* ---- builds ---- */

static int step_compiles(struct work *w)
{
	unsigned made = 0;

	for (size_t b = 0; b < BUILDS; b++) {
		for (unsigned f = 0; f < FORM_CNT && wanted(w->m, b); f++) {
			struct build_spec s = {.mutation = w->m,
					       .workload = w->workload,
					       .form = (enum form)f,
					       .compiler = builds[b].compiler,
					       .level = builds[b].level,
					       .salt = salt_of(w)};
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
	for (size_t b = 0; b < BUILDS; b++) {
		for (unsigned f = FORM_MUTANT; f < FORM_CNT && wanted(w->m, b); f++) {
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
	for (size_t b = 0; b < BUILDS; b++) {
		struct image *v = w->images[b];

		if (!wanted(w->m, b))
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

static int step_leaks(struct work *w)
{
	struct diag why = {0};
	int rc = 0;

	for (size_t b = 0; !rc && b < BUILDS; b++) {
		for (unsigned f = 0; !rc && f < FORM_CNT && wanted(w->m, b); f++)
			rc = leaks_scan(w->c->house, w->m, w->programs[b][f], &w->images[b][f],
					&why);
		if (!rc && wanted(w->m, b))
			rc = leaks_compare(w->m, w->images[b], &why);
	}
	if (rc)
		return fail(w, STEP_LEAKS, rc, &why, "");
	certificate_set(w->ret, STEP_LEAKS, STEP_PASSED, "nothing tells");
	return 0;
}

/* ---- the whole ---- */

static int run_steps(struct work *w)
{
	int (*const early[])(struct work *) = {step_compiles, step_symbols, step_code, step_leaks};
	struct certify_run r = {.certifier = w->c,
				.mutation = w->m,
				.workload = w->workload,
				.salt = salt_of(w),
				.certificate = w->ret};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(early) / sizeof(early[0]); i++) {
		rc = early[i](w);
		if (certificate_failed(w->ret) != STEP_CNT)
			return rc;
	}
	return rc ? rc : certify_runs(&r, w->d);
}

int certify_hash(const struct certifier *c, const struct mutation *m, uint64_t *ret, struct diag *d)
{
	uint64_t sum, inputs = 0;
	int rc = mutation_hash(m, &sum, d);

	sum = hash_u64(c->repeats * 1000003 + c->least, rc ? 0 : sum + CERTIFY_VERSION);
	for (uint32_t i = 0; !rc && i < m->workloads_cnt; i++) {
		rc = build_inputs_hash(c->house, m->workloads[i], &inputs, d);
		sum = hash_u64(inputs, sum);
	}
	if (!rc)
		*ret = sum;
	return rc;
}

int certify(const struct certifier *c, const struct mutation *m, struct certificate *ret,
	    struct diag *d)
{
	struct work *w = calloc(1, sizeof(*w));
	struct certificate v = {.hash = 0};
	int rc = w ? certify_hash(c, m, &v.hash, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (uint32_t i = 0; !rc && i < m->workloads_cnt; i++) {
		*w = (struct work){.c = c, .m = m, .workload = m->workloads[i], .ret = &v, .d = d};
		rc = run_steps(w);
		for (size_t b = 0; b < BUILDS; b++)
			for (unsigned f = 0; f < FORM_CNT; f++)
				image_free(&w->images[b][f]);
		if (certificate_failed(&v) != STEP_CNT)
			break;
	}
	free(w);
	if (!rc)
		*ret = v;
	return rc;
}
