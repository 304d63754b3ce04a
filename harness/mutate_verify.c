/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate verify: certificates recomputed and held against the frozen list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/certify.h"
#include "harness/certify_build.h"
#include "harness/mutate.h"
#include "lib/progress.h"
#include "mutations/frozen.h"

static struct {
	uint64_t repeats, least;
	bool changed, freeze;
} args = {.repeats = 3, .least = 20};

static const struct opt verify_table[] = {
	{"changed", 0, OPT_FLAG, NULL, "only what changed since its certificate", &args.changed, 0,
	 0, NULL},
	{"freeze", 0, OPT_FLAG, NULL, "write mutations/witnessed.list, if all are certified",
	 &args.freeze, 0, 0, NULL},
	{"repeats", 'k', OPT_COUNT, "N", "runs in which a witness has to agree (3)", &args.repeats,
	 1, 100, NULL},
	{"reached", 'N', OPT_COUNT, "N", "how often the changed site must be reached (20)",
	 &args.least, 1, 1000000, NULL},
	LIMIT_OPTS,
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts verify_opts = {
	.command = "assay mutate verify",
	.usage = "[ID…] [--changed] [-k N] [--freeze]",
	.purpose = "Recomputes certificates and prints how many mutations pass each step",
	.table = verify_table,
	.args_max = 512,
	.examples = {"assay mutate verify", "assay mutate verify --changed",
		     "assay mutate verify null-uring-1 -k 10"},
};

/* What one call of the command goes through. */
struct verifying {
	const struct certifier *c;
	const struct house *house;
	struct frozen_list frozen; /* as it was */
	struct frozen_list fresh;  /* what --freeze would write */
	struct funnel funnel;
	unsigned kept, disagree;
	struct progress progress;
};

static void complain(struct verifying *v, const char *id, const char *what, const char *why)
{
	progress_end(&v->progress);
	printf("  FAIL %-24s %s: %s\n", id, what, why);
}

/* ---- the frozen list ---- */

static void disagree(struct verifying *v, const char *id, const char *why)
{
	v->disagree++;
	complain(v, id, "frozen", why);
}

static bool same_line(const struct frozen *a, const struct frozen *b)
{
	return !strcmp(a->class, b->class) && !strcmp(a->workloads, b->workloads) &&
	       !strcmp(a->resources, b->resources);
}

/* Only what was checked can disagree: a machine that cannot record says nothing of witnesses. */
static int compare_frozen(struct verifying *v, const struct mutation *m,
			  const struct certificate *c, struct diag *d)
{
	const struct frozen *old = frozen_find(&v->frozen, m->id);
	bool fired = certificate_witnessed(c);
	struct frozen line;
	int rc = frozen_line(v->house, m, &line, d);

	if (!rc && fired && frozen_add(&v->fresh, &line))
		rc = diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	if (rc || !v->frozen.there || args.freeze || c->state[STEP_WITNESS] == STEP_UNCHECKED)
		return rc;
	if (fired && !old)
		disagree(v, m->id, "its witness fires, and witnessed.list does not name it");
	else if (!fired && old)
		disagree(v, m->id, "witnessed.list names it, and its witness does not fire");
	else if (old && !same_line(old, &line))
		disagree(v, m->id, "witnessed.list gives it another class, workload or resource");
	return 0;
}

/* Lines of mutations that are no more, or are used no more. */
static void compare_left(struct verifying *v, const struct mutation_list *l)
{
	for (size_t i = 0; !args.freeze && i < v->frozen.cnt; i++) {
		const struct mutation *m;

		if (mutation_find(l, v->frozen.v[i].id, &m, NULL))
			disagree(v, v->frozen.v[i].id,
				 "witnessed.list names it, and it is not there");
		else if (m->deprecated[0])
			disagree(v, m->id, "witnessed.list names it, and it is deprecated");
	}
}

static int freeze(struct verifying *v, struct diag *d)
{
	if (v->funnel.certified != v->funnel.written)
		return diag_set(d, -EINVAL, NULL, 0, "mend or deprecate what fails",
				"%u of %u mutations are certified: nothing is frozen",
				v->funnel.certified, v->funnel.written);
	if (v->funnel.unchecked[STEP_WITNESS])
		return diag_set(d, -EINVAL, NULL, 0, "assay doctor says what is missing",
				"witnesses were not checked: nothing is frozen");
	return frozen_save(v->house, &v->fresh, d);
}

/* ---- certificates ---- */

/* The certificate as it stands, if it still rests on the same things. */
static bool keep(const struct certifier *c, const struct mutation *m, struct certificate *ret)
{
	uint64_t hash;

	return args.changed && !certify_hash(c, m, &hash, NULL) &&
	       !certificate_load(c->house, m->id, ret, NULL) && ret->hash == hash &&
	       certificate_holds(ret, NULL);
}

static int make_anew(struct verifying *v, const struct mutation *m, struct certificate *ret,
		     struct diag *d)
{
	enum step s;
	int rc = certify(v->c, m, ret, d);

	if (!rc)
		rc = certificate_save(v->house, m->id, ret, d);
	if (rc)
		return rc;
	s = certificate_failed(ret);
	if (s != STEP_CNT)
		complain(v, m->id, step_name(s), ret->text[s]);
	return 0;
}

static int verify_one(struct verifying *v, const struct mutation *m, struct diag *d)
{
	struct certificate c = {.hash = 0};
	bool in_use = !m->deprecated[0], kept = in_use && keep(v->c, m, &c);
	int rc = in_use && !kept ? make_anew(v, m, &c, d) : 0;

	if (rc)
		return rc;
	v->kept += kept;
	funnel_add(&v->funnel, m, &c);
	return in_use && certificate_holds(&c, NULL) ? compare_frozen(v, m, &c, d) : 0;
}

static bool is_named(const struct mutation *m, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], m->id))
			return true;
	return argc == 0;
}

/* Those that a call is about, without the deprecated and those whose certificate is kept. */
static int prebuild(struct verifying *v, const struct mutation_list *l, int argc, char **argv,
		    struct diag *d)
{
	bool *which = calloc(l->cnt + 1, sizeof(*which));
	struct certificate c;
	int rc;

	if (!which)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < l->cnt; i++)
		which[i] = !l->v[i].deprecated[0] && is_named(&l->v[i], argc, argv) &&
			   !keep(v->c, &l->v[i], &c);
	rc = certify_prebuild(v->house, l, which, d);
	free(which);
	return rc;
}

static int verify_all(struct verifying *v, const struct mutation_list *l, int argc, char **argv,
		      struct diag *d)
{
	int rc = frozen_load(v->house, &v->frozen, d);

	if (!rc)
		rc = prebuild(v, l, argc, argv, d);
	progress_start(&v->progress, "certificates", l->cnt);
	for (size_t i = 0; !rc && i < l->cnt; i++) {
		progress_update(&v->progress, i, l->v[i].id);
		if (is_named(&l->v[i], argc, argv))
			rc = verify_one(v, &l->v[i], d);
	}
	progress_end(&v->progress);
	if (!rc && !argc)
		compare_left(v, l);
	return rc;
}

static int check_arguments(struct shop *s, int argc, char **argv, struct diag *d)
{
	const struct mutation *m;
	int rc = 0;

	if (args.freeze && argc)
		return diag_set(d, -EINVAL, NULL, 0, "assay mutate verify --freeze",
				"the list is frozen whole, not for some mutations");
	for (int i = 0; !rc && i < argc; i++)
		rc = mutation_find(&s->list, argv[i], &m, d);
	return rc;
}

static int finish(struct verifying *v)
{
	struct diag d = {0};

	funnel_print(&v->funnel, v->kept, stdout);
	if (!v->funnel.written)
		return EXIT_BROKEN;
	if (args.freeze && freeze(v, &d)) {
		diag_print(&d, stderr);
		return d.err == -EINVAL ? EXIT_FAILED : EXIT_BROKEN;
	}
	if (args.freeze)
		printf("%-10s %4zu  in mutations/witnessed.list\n", "frozen", v->fresh.cnt);
	if (v->disagree)
		printf("%-10s %4u  with mutations/witnessed.list (--freeze writes it anew)\n",
		       "disagree", v->disagree);
	return v->funnel.certified == v->funnel.written && !v->disagree ? EXIT_GOOD : EXIT_FAILED;
}

static int run_verify(struct shop *s, int argc, char **argv)
{
	struct certifier c = {.house = &s->house,
			      .programs = &s->w.programs,
			      .machine = &s->w.machine,
			      .limits = make_limits(),
			      .repeats = (unsigned)args.repeats,
			      .least = args.least};
	struct verifying v = {.c = &c, .house = &s->house};
	char folder[RECORD_PATH];
	struct diag d = {0};
	int rc;

	if (check_arguments(s, argc, argv, &d))
		return mutate_usage(&d);
	if (house_scratch(&s->house, folder, &d))
		return command_error(&d);
	c.folder = folder;
	rc = verify_all(&v, &s->list, argc, argv, &d) ? command_error(&d) : finish(&v);
	house_remove(folder, NULL);
	frozen_free(&v.frozen);
	frozen_free(&v.fresh);
	return rc;
}

int mutate_verify(int argc, char **argv)
{
	return mutate_with_shop(&verify_opts, argc, argv, run_verify);
}
