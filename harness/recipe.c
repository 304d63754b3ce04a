/* SPDX-License-Identifier: BSD-2-Clause */
/* From a cell's words to its programs. */
#include "harness/recipe.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "harness/folder.h"
#include "lib/files.h"

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

int recipe_read(const struct programs *t, const struct cell *c, struct recipe *ret, struct diag *d)
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

bool recipe_is_bound(const struct cell *c)
{
	return strcmp(c->binding, "-") != 0;
}

static bool reads_binary(struct programs *programs, const struct cell *c)
{
	const struct profiler *p;

	return c->kind == KIND_LIVE && !programs_profiler(programs, c->profiler, &p, NULL) &&
	       !strcmp(p->division, "binary");
}

/* A recording is joined by all, under all bindings. The base's own build-id is what its manifest
 * bears; a variant's bears the earlier build's, but for stamped. */
bool recipe_wants_earlier(struct programs *programs, const struct cell *c, enum form form)
{
	if (!recipe_is_bound(c))
		return false;
	return c->kind == KIND_RECORD || reads_binary(programs, c) ||
	       (form != FORM_BASE && strcmp(c->binding, "stamped"));
}

int recipe_build(const struct recipe *r, const struct cell *c, enum program which,
		 char ret[RECORD_PATH], struct diag *d)
{
	struct build_spec s = {.mutation = recipe_is_mutation(r) ? &r->mutation : NULL,
			       .workload = c->workload,
			       .form = which == PROGRAM_NOW ? r->form : FORM_BASE,
			       .compiler = COMPILER_GCC,
			       .level = 2,
			       .salt = variant_salt()};

	return build_variant(&r->house, &s, ret, d);
}

/* From the folder of its build, which its salt has for itself. */
int recipe_move(const char *from, const char *to, struct diag *d)
{
	char folder[PATH_LEN];
	int rc = 0;

	if (rename(from, to))
		rc = errno == EXDEV ? file_copy(from, to, d) : file_error(d, -errno, to, "write");
	snprintf(folder, sizeof(folder), "%s", from);
	house_remove(dirname(folder), NULL);
	return rc;
}
