/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and manifests of cells. */
#include "harness/stage.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "harness/binding.h"
#include "harness/runner.h"
#include "lib/files.h"

static bool is_bound(const struct cell *c)
{
	return strcmp(c->binding, "-") != 0;
}

/* The house of the sources; an installed command has none and makes base cells only. */
static int open_house(const struct making *m, struct house *ret, struct diag *d)
{
	return house_open(ret, m->r->programs->folder, NULL, d);
}

static int load_mutation(const struct making *m, const struct house *h, struct mutation *ret,
			 enum form *ret_form, struct diag *d)
{
	char id[RECORD_WORD], folder[PATH_LEN];
	int rc = variant_name_parse(m->c->variant, id, ret_form, d);

	if (!rc)
		rc = path_format(folder, d, "%s/%s", h->records, id);
	if (!rc)
		rc = mutation_load(folder, ret, d);
	if (!rc && !mutation_on(ret, m->c->workload))
		rc = diag_set(d, -EINVAL, folder, 0, ret->workloads[0],
			      "it is no mutation of %.64s", m->c->workload);
	return rc;
}

static bool is_base(const struct cell *c)
{
	return !strcmp(c->variant, "base");
}

int stage_check(const struct making *m, struct diag *d)
{
	struct mutation mutation;
	struct house h;
	enum form form;
	int rc;

	if (is_base(m->c))
		return 0;
	rc = open_house(m, &h, d);
	return rc ? rc : load_mutation(m, &h, &mutation, &form, d);
}

/* From the folder of its build, which its salt has for itself, to one of the cell's. */
static int move_program(const char *from, const char *to, struct diag *d)
{
	char folder[PATH_LEN];
	int rc = 0;

	if (rename(from, to))
		rc = errno == EXDEV ? file_copy(from, to, d) : file_error(d, -errno, to, "write");
	snprintf(folder, sizeof(folder), "%s", from);
	house_remove(dirname(folder), NULL);
	return rc;
}

/* A build of the base that its profiler may have seen before, with another salt. */
static int build_base(const struct making *m, const struct house *h, const struct mutation *mu,
		      const char *bin, struct stage *s, struct diag *d)
{
	struct build_spec b = {.mutation = mu,
			       .workload = m->c->workload,
			       .form = FORM_BASE,
			       .compiler = COMPILER_GCC,
			       .level = 2,
			       .salt = variant_salt()};
	char made[PATH_LEN];
	int rc = build_variant(h, &b, made, d);

	if (!rc)
		rc = path_format(s->base, d, "%s/earlier", bin);
	return rc ? rc : move_program(made, s->base, d);
}

static int open_variant(const struct making *m, const char *bin, struct stage *s, struct diag *d)
{
	struct mutation mutation;
	struct house h;
	enum form form;
	int rc = open_house(m, &h, d);

	if (!rc)
		rc = load_mutation(m, &h, &mutation, &form, d);
	if (!rc)
		rc = variant_open(&h, m->r->programs->folder, &mutation, form, m->c->workload,
				  COMPILER_GCC, 2, variant_salt(), &s->variant, d);
	if (!rc)
		rc = path_format(s->exe, d, "%s/%s", bin, m->c->workload);
	if (!rc)
		rc = move_program(s->variant.exe, s->exe, d);
	return rc ? rc : build_base(m, &h, &mutation, bin, s, d);
}

static int open_plain(const struct making *m, struct stage *s, struct diag *d)
{
	const struct workload *w;
	struct house h;
	bool sources = !open_house(m, &h, NULL);
	int rc = programs_workload(m->r->programs, m->c->workload, &w, d);

	if (!rc)
		rc = path_format(s->exe, d, "%s", w->path);
	if (!rc)
		rc = path_format(s->base, d, "%s", w->path);
	return rc ? rc
		  : variant_open(sources ? &h : NULL, m->r->programs->folder, NULL, FORM_BASE,
				 m->c->workload, COMPILER_GCC, 2, 0, &s->variant, d);
}

int stage_open(const struct making *m, const char *bin, struct stage *ret, struct diag *d)
{
	struct stage *s = ret; /* its variant must stay where it is */
	int rc;

	memset(s, 0, sizeof(*s));
	rc = is_base(m->c) ? open_plain(m, s, d) : open_variant(m, bin, s, d);
	if (!rc && is_bound(m->c) && s->variant.manifest[0]) {
		rc = path_format(s->manifest, d, "%s/manifest.yaml", bin);
		if (!rc)
			rc = binding_write(s->variant.manifest, m->c->binding, s->exe, s->base,
					   s->manifest, d);
	}
	if (rc)
		stage_free(s);
	return rc;
}

void stage_free(struct stage *s)
{
	variant_free(&s->variant);
	memset(s, 0, sizeof(*s));
}

/* ---- what is kept ---- */

static int keep(const char *from, const char *folder, const char *name, struct diag *d)
{
	char to[PATH_LEN];
	int rc;

	if (!from[0])
		return 0;
	rc = path_format(to, d, "%s/%s", folder, name);
	return rc ? rc : file_copy(from, to, d);
}

int stage_keep(const struct stage *s, const char *folder, struct diag *d)
{
	int rc = keep(s->manifest, folder, "manifest.yaml", d);

	if (!rc && s->variant.exe[0])
		rc = keep(s->exe, folder, "program", d);
	if (!rc && s->variant.exe[0])
		rc = keep(s->base, folder, "earlier", d);
	return rc;
}

/* Copies FOLDER/NAME to WORK/AS where it is there, else leaves *ret alone. */
static int fetch(const char *folder, const char *name, const char *work, const char *as,
		 char ret[PATH_LEN], struct diag *d)
{
	char from[PATH_LEN], to[PATH_LEN];
	int rc = path_format(from, d, "%s/%s", folder, name);

	if (rc || access(from, F_OK))
		return rc;
	rc = path_format(to, d, "%s/%s", work, as);
	if (!rc)
		rc = file_copy(from, to, d);
	if (!rc)
		strcpy(ret, to);
	return rc;
}

/* The recording's manifest bears the build-id of its own binding: this cell's may be another. */
static int fetch_manifest(const struct making *m, const char *folder, const char *work,
			  struct stage *s, struct diag *d)
{
	char kept[PATH_LEN] = "";
	int rc = fetch(folder, "manifest.yaml", work, "kept.yaml", kept, d);

	if (rc || !kept[0])
		return rc;
	rc = path_format(s->manifest, d, "%s/manifest.yaml", work);
	if (!rc && s->exe[0])
		rc = binding_write(kept, m->c->binding, s->exe, s->base, s->manifest, d);
	else if (!rc)
		rc = file_copy(kept, s->manifest, d);
	if (unlink(kept) && !rc)
		rc = file_error(d, -errno, kept, "remove");
	return rc;
}

int stage_join(const struct making *m, const char *folder, const char *work, struct stage *ret,
	       struct diag *d)
{
	const struct workload *w;
	int rc = 0;

	memset(ret, 0, sizeof(*ret));
	if (!programs_workload(m->r->programs, m->c->workload, &w, NULL)) {
		rc = path_format(ret->exe, d, "%s", w->path);
		if (!rc)
			rc = path_format(ret->base, d, "%s", w->path);
	}
	if (!rc)
		rc = fetch(folder, "program", work, m->c->workload, ret->exe, d);
	if (!rc)
		rc = fetch(folder, "earlier", work, "earlier", ret->base, d);
	if (!rc && is_bound(m->c))
		rc = fetch_manifest(m, folder, work, ret, d);
	return rc;
}

void stage_arguments(const struct stage *s, const char *binding, bool shows_base, char *argv[],
		     unsigned at)
{
	if (s->exe[0]) {
		argv[at++] = (char *)"--exe";
		argv[at++] = (char *)s->exe;
	}
	if (s->manifest[0]) {
		argv[at++] = (char *)"--manifest";
		argv[at++] = (char *)s->manifest;
		argv[at++] = (char *)"--binding";
		argv[at++] = (char *)binding;
	}
	if (shows_base && s->base[0]) {
		argv[at++] = (char *)"--base";
		argv[at++] = (char *)s->base;
	}
	argv[at] = NULL;
}
