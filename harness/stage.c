/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and manifests of cells. */
#include "harness/stage.h"

#include "harness/candidates.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/binding.h"
#include "harness/crew.h"
#include "harness/runner.h"
#include "lib/files.h"
#include "lib/hash.h"

static bool is_bound(const struct cell *c)
{
	return strcmp(c->binding, "-") != 0;
}

/* ---- what a cell's program is made from ---- */

struct recipe {
	struct mutation mutation; /* id "": none */
	enum form form;
	struct house house;
	bool has_sources; /* an installed command has none and runs the programs of its build */
};

static bool is_mutation(const struct recipe *r)
{
	return r->mutation.id[0];
}

static int load_mutation(struct recipe *r, const char *id, const struct cell *c, struct diag *d)
{
	char folder[PATH_LEN];
	int rc = path_format(folder, d, "%s/%s", r->house.records, id);

	if (!rc)
		rc = mutation_load(folder, &r->mutation, d);
	if (!rc && !mutation_on(&r->mutation, c->workload))
		rc = diag_set(d, -EINVAL, folder, 0, r->mutation.workloads[0],
			      "it is no mutation of %.64s", c->workload);
	return rc;
}

/* Who may not write where programs are made runs those of the build. */
static bool can_build(const struct house *h)
{
	return !access(h->variants, W_OK) || (errno == ENOENT && !access(h->build, W_OK));
}

static int read_recipe(const struct programs *t, const struct cell *c, struct recipe *ret,
		       struct diag *d)
{
	char id[RECORD_WORD];
	int rc, no_house;

	memset(ret, 0, sizeof(*ret));
	rc = variant_name_parse(c->variant, id, &ret->form, d);
	if (rc)
		return rc;
	no_house = house_open(&ret->house, t->folder, NULL, t->records, d);
	ret->has_sources = !no_house && (id[0] || can_build(&ret->house));
	if (!id[0])
		return 0;
	return no_house ? no_house : load_mutation(ret, id, c, d);
}

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
	int rc = r ? read_recipe(m->r->programs, m->c, r, d)
		   : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	if (!rc)
		rc = check_ailment(m, d);
	free(r);
	return rc;
}

/* ---- programs ---- */

/* What a cell may need: what runs, and what its profiler may have seen before. */
enum program { PROGRAM_NOW, PROGRAM_EARLIER };

/* An earlier build is of the base, and of another salt than what runs. */
static int build(const struct recipe *r, const struct cell *c, enum program which,
		 char ret[RECORD_PATH], struct diag *d)
{
	struct build_spec s = {.mutation = is_mutation(r) ? &r->mutation : NULL,
			       .workload = c->workload,
			       .form = which == PROGRAM_NOW ? r->form : FORM_BASE,
			       .compiler = COMPILER_GCC,
			       .level = 2,
			       .salt = variant_salt()};

	return build_variant(&r->house, &s, ret, d);
}

/* From the folder of its build, which its salt has for itself. */
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

/*
 * Where a program lies that was built ahead. What runs is its cell's alone. The earlier build of a
 * base is one for all cells of a run, as an author's earlier release would be: it is shown only,
 * and tells those who see it again no more than the first time.
 */
static int stock_name(const char *stock, const struct cell *c, const char *mutation,
		      enum program which, char ret[PATH_LEN], struct diag *d)
{
	char whose[RECORD_WORD + PATH_LEN];

	if (which == PROGRAM_NOW)
		snprintf(whose, sizeof(whose), "%s", c->name);
	else
		snprintf(whose, sizeof(whose), "%s %s", c->workload, mutation);
	return path_format(ret, d, "%s/%016llx", stock,
			   (unsigned long long)hash_bytes(whose, strlen(whose), which));
}

static int take_from_stock(const char *stock, const struct cell *c, const struct recipe *r,
			   enum program which, const char *to, struct diag *d)
{
	char from[PATH_LEN];
	int rc = stock_name(stock, c, r->mutation.id, which, from, d);

	if (rc || access(from, F_OK))
		return rc ? rc : -ENOENT;
	if (which == PROGRAM_NOW && !rename(from, to))
		return 0;
	return file_copy(from, to, d);
}

static int take_program(const struct making *m, const struct recipe *r, enum program which,
			const char *to, struct diag *d)
{
	char made[RECORD_PATH];
	int rc;

	if (m->r->program)
		return file_copy(m->r->program, to, d);
	if (m->r->stock && !take_from_stock(m->r->stock, m->c, r, which, to, d))
		return 0;
	rc = build(r, m->c, which, made, d);
	return rc ? rc : move_program(made, to, d);
}

static bool reads_binary(struct programs *programs, const struct cell *c)
{
	const struct profiler *p;

	return c->kind == KIND_LIVE && !programs_profiler(programs, c->profiler, &p, NULL) &&
	       !strcmp(p->division, "binary");
}

/* A recording is joined by all, under all bindings. The base's own build-id is what its manifest
 * bears; a variant's bears the earlier build's, but for stamped. */
static bool wants_earlier(struct programs *programs, const struct cell *c, enum form form)
{
	if (!is_bound(c))
		return false;
	return c->kind == KIND_RECORD || reads_binary(programs, c) ||
	       (form != FORM_BASE && strcmp(c->binding, "stamped"));
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
	if (rc || !wants_earlier(m->r->programs, m->c, r->form))
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
			      is_mutation(r) ? &r->mutation : NULL, r->form, m->c->workload,
			      &s->variant, d);

	if (!rc)
		rc = r->has_sources ? open_built(m, r, bin, s, d) : open_own(m, s, d);
	if (!rc)
		rc = plant(m, bin, s, d);
	if (!rc && is_bound(m->c) && s->variant.manifest[0])
		rc = bind(m, r->form, s->variant.manifest, bin, s, d);
	return rc;
}

int stage_open(const struct making *m, const char *bin, struct stage *ret, struct diag *d)
{
	struct recipe *r = malloc(sizeof(*r));
	int rc = r ? read_recipe(m->r->programs, m->c, r, d)
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

/* ---- ahead of the cells ---- */

/* One program to make: of a cell, or of the first of those that are shown the same earlier one. */
struct order {
	const struct cell *cell;
	enum program which;
};

struct ahead {
	const struct runner *r;
	struct order *v;
	size_t cnt;
};

/* What fails here fails again in its cell, and is told there. */
static void stock_one(void *arg, size_t i)
{
	const struct ahead *a = arg;
	const struct order *o = &a->v[i];
	struct recipe *r = malloc(sizeof(*r));
	char made[RECORD_PATH], to[PATH_LEN];

	if (r && !read_recipe(a->r->programs, o->cell, r, NULL) && r->has_sources &&
	    !stock_name(a->r->stock, o->cell, r->mutation.id, o->which, to, NULL) &&
	    !build(r, o->cell, o->which, made, NULL))
		move_program(made, to, NULL);
	free(r);
}

static bool runs_program(const struct cell *c)
{
	return c->kind == KIND_RECORD || c->kind == KIND_LIVE;
}

/* The first of a workload compiles its objects, which the others take: two that are built at once
 * should be of two workloads. */
static bool is_first(const struct plan *p, const bool *wanted, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (wanted[k] && runs_program(&p->v[k]) &&
		    !strcmp(p->v[k].workload, p->v[i].workload))
			return false;
	return true;
}

static bool is_ordered(const struct ahead *a, const struct cell *c, const char *id)
{
	char other[RECORD_WORD];
	enum form form;

	for (size_t i = 0; i < a->cnt; i++)
		if (a->v[i].which == PROGRAM_EARLIER &&
		    !strcmp(a->v[i].cell->workload, c->workload) &&
		    !variant_name_parse(a->v[i].cell->variant, other, &form, NULL) &&
		    !strcmp(other, id))
			return true;
	return false;
}

static void order(struct ahead *a, const struct cell *c, enum program which)
{
	char id[RECORD_WORD];
	enum form form;

	if (variant_name_parse(c->variant, id, &form, NULL))
		return;
	if (which == PROGRAM_NOW ||
	    (wants_earlier(a->r->programs, c, form) && !is_ordered(a, c, id)))
		a->v[a->cnt++] = (struct order){c, which};
}

/* Earlier builds come last: by then the objects of which they are made are there. */
static void order_all(struct ahead *a, const bool *wanted)
{
	const struct plan *p = a->r->plan;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < p->cnt; i++)
			if (wanted[i] && runs_program(&p->v[i]) &&
			    is_first(p, wanted, i) == (bool)first)
				order(a, &p->v[i], PROGRAM_NOW);
	for (size_t i = 0; i < p->cnt; i++)
		if (wanted[i] && runs_program(&p->v[i]))
			order(a, &p->v[i], PROGRAM_EARLIER);
}

int stage_ahead(const struct runner *r, const bool *wanted, struct diag *d)
{
	struct ahead a = {.r = r, .v = calloc(2 * r->plan->cnt + 1, sizeof(*a.v))};
	int rc;

	if (!a.v)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	order_all(&a, wanted);
	rc = crew_run("programs", 1, a.cnt, stock_one, &a, 0, d);
	free(a.v);
	return rc;
}
