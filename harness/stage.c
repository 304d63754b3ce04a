/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and manifests of cells. */
#include "harness/stage.h"

#include "harness/candidates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/binding.h"
#include "harness/recipe.h"
#include "harness/runner.h"
#include "harness/stock.h"
#include "lib/files.h"

static int check_ailment(const struct making *m, struct diag *d)
{
	unsigned label = variant_ailment(m->c->variant);
	const struct workload *w;
	int rc = label ? programs_workload(m->r->programs, m->c->workload, &w, d) : 0;

	if (!rc && label && !(w->ailments & 1u << label))
		rc = diag_set(d, -EINVAL, NULL, 0, "assay list workloads says what it can have",
			      "%.64s cannot be made to have %s", m->c->workload,
			      diagnosis_name(label));
	return rc;
}

int stage_check(const struct making *m, struct diag *d)
{
	struct recipe *r = malloc(sizeof(*r));
	int rc = r ? recipe_read(m->r->programs, m->c, r, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc)
		rc = check_ailment(m, d);
	free(r);
	return rc;
}

/* ---- programs ---- */

static int take_program(const struct making *m, const struct recipe *r, enum program which,
			const char *to, struct diag *d)
{
	char made[RECORD_PATH];
	int rc = -ENOENT;

	if (m->r->program)
		return file_copy(m->r->program, to, d);
	if (m->r->stock)
		rc = stock_take(m->r->stock, m->c, r, which, to, d);
	if (rc != -ENOENT)
		return rc;
	rc = recipe_build(r, m->c, which, made, d);
	return rc ? rc : recipe_move(made, to, d);
}

static int open_built(const struct making *m, const struct recipe *r, const char *bin,
		      struct stage *s, struct diag *d)
{
	int rc = path_format(s->exe, d, "%s/%s", bin, m->c->workload);

	s->built = true;
	if (!rc)
		rc = take_program(m, r, PROGRAM_NOW, s->exe, d);
	if (!rc)
		rc = variant_next(m->r->programs->folder, m->c->workload, bin, d);
	if (rc || !recipe_wants_earlier(m->r->programs, m->c, r->form))
		return rc;
	rc = path_format(s->base, d, "%s/earlier", bin);
	return rc ? rc : take_program(m, r, PROGRAM_EARLIER, s->base, d);
}

static int open_own(const struct making *m, struct stage *s, struct diag *d)
{
	const struct workload *w;
	int rc = programs_workload(m->r->programs, m->c->workload, &w, d);

	if (!rc)
		rc = path_format(s->exe, d, "%s", w->path);
	return rc ? rc : path_format(s->base, d, "%s", w->path);
}

/* ---- manifests ---- */

/* The build for which the old manifest holds: the base itself, or one before the variant. */
static const char *manifests_build(const struct stage *s, enum form form)
{
	return form == FORM_BASE || !s->base[0] ? s->exe : s->base;
}

static int bind(const struct making *m, enum form form, const char *from, const char *folder,
		struct stage *s, struct diag *d)
{
	int rc = path_format(s->manifest, d, "%s/manifest.yaml", folder);

	return rc ? rc
		  : binding_write(from, m->c->binding, s->exe, manifests_build(s, form),
				  s->manifest, d);
}

/* ---- the whole ---- */

/* Candidates come after the build: what is planted depends on nothing but the manifest. */
static int plant(const struct making *m, const char *bin, struct stage *s, struct diag *d)
{
	char to[PATH_LEN];
	struct regime r;
	int rc = regime_parse(m->c->regime, &r, d);

	if (rc || r.kind != REGIME_CANDIDATES)
		return rc;
	rc = path_format(to, d, "%s/candidates.yaml", bin);
	return rc ? rc : candidates_plant(&s->variant, &r, m->c->seed, to, m->log_fd, d);
}

static int open_with(const struct making *m, const struct recipe *r, const char *bin,
		     struct stage *s, struct diag *d)
{
	int rc = variant_open(r->has_sources ? &r->house : NULL, m->r->programs->folder,
			      recipe_is_mutation(r) ? &r->mutation : NULL, r->form, m->c->workload,
			      &s->variant, d);

	if (!rc)
		rc = r->has_sources ? open_built(m, r, bin, s, d) : open_own(m, s, d);
	if (!rc)
		rc = plant(m, bin, s, d);
	if (!rc && recipe_is_bound(m->c) && s->variant.manifest[0])
		rc = bind(m, r->form, s->variant.manifest, bin, s, d);
	return rc;
}

int stage_open(const struct making *m, const char *bin, struct stage *ret, struct diag *d)
{
	struct recipe *r = malloc(sizeof(*r));
	int rc = r ? recipe_read(m->r->programs, m->c, r, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	memset(ret, 0, sizeof(*ret));
	if (!rc)
		rc = open_with(m, r, bin, ret, d); /* its variant must stay where it is */
	free(r);
	if (rc)
		stage_free(ret);
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

	if (!rc && s->built)
		rc = keep(s->exe, folder, "program", d);
	if (!rc && s->built)
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
	char kept[PATH_LEN] = "", id[RECORD_WORD];
	enum form form;
	int rc = fetch(folder, "manifest.yaml", work, "kept.yaml", kept, d);

	if (!rc)
		rc = variant_name_parse(m->c->variant, id, &form, d);
	if (rc || !kept[0])
		return rc;
	rc = s->exe[0] ? bind(m, form, kept, work, s, d)
		       : fetch(folder, "manifest.yaml", work, "manifest.yaml", s->manifest, d);
	if (unlink(kept) && !rc)
		rc = file_error(d, -errno, kept, "remove");
	return rc;
}

/* A recording that kept no program was made by the build's own, or elsewhere. */
static int join_own(const struct making *m, struct stage *s, struct diag *d)
{
	const struct workload *w;
	int rc = 0;

	if (s->exe[0] || programs_workload(m->r->programs, m->c->workload, &w, NULL))
		return 0;
	rc = path_format(s->exe, d, "%s", w->path);
	return rc ? rc : path_format(s->base, d, "%s", w->path);
}

int stage_join(const struct making *m, const char *folder, const char *work, struct stage *ret,
	       struct diag *d)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	rc = fetch(folder, "program", work, m->c->workload, ret->exe, d);
	if (!rc)
		rc = fetch(folder, "earlier", work, "earlier", ret->base, d);
	if (!rc)
		rc = join_own(m, ret, d);
	if (!rc && recipe_is_bound(m->c))
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
