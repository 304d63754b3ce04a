/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate verify: certificates recomputed and held against the frozen list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/certify.h"
#include "harness/certify_crew.h"
#include "harness/mutate.h"
#include "lib/clock.h"
#include "lib/progress.h"
#include "mutations/frozen.h"

static struct {
	uint64_t repeats, least, within_ns;
	bool changed, freeze;
} args = {.repeats = 3, .least = 20};

static const struct opt verify_table[] = {
	{"changed", 0, OPT_FLAG, NULL, "only what changed since its certificate", &args.changed, 0,
	 0, NULL},
	{"within", 0, OPT_DURATION, "TIME", "begin no certificate later than that", &args.within_ns,
	 1, UINT64_MAX, NULL},
	{"freeze", 0, OPT_FLAG, NULL, "write mutations/witnessed.list, or the lines of ID…",
	 &args.freeze, 0, 0, NULL},
	{"repeats", 'k', OPT_COUNT, "N", "runs in which a witness has to agree (3)", &args.repeats,
	 1, 100, NULL},
	{"reached", 'N', OPT_COUNT, "N", "how often the changed site must be reached (20)",
	 &args.least, 1, 1000000, NULL},
	LIMIT_OPTS,
	QUADS_OPT,
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts verify_opts = {
	.command = "assay mutate verify",
	.usage = "[ID…] [--changed] [--within TIME] [-k N] [--freeze]",
	.purpose = "Recomputes certificates, prints how many pass each step",
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
	unsigned kept, disagree, left, again;
	uint64_t deadline;
	struct progress progress;
};

static void complain(struct verifying *v, const char *id, const char *how, const char *what,
		     const char *why)
{
	progress_end(&v->progress);
	printf("  %s %-24s %s: %s\n", how, id, what, why);
}

/* ---- the frozen list ---- */

static void disagree(struct verifying *v, const char *id, const char *why)
{
	v->disagree++;
	complain(v, id, "FAIL", "frozen", why);
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

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct frozen *)a)->id, ((const struct frozen *)b)->id);
}

static bool is_named(const char *id, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], id))
			return true;
	return argc == 0;
}

/* The lines of those that the call is not about stay as they are. */
static int keep_lines(struct verifying *v, int argc, char **argv, struct diag *d)
{
	for (size_t i = 0; i < v->frozen.cnt; i++)
		if (!is_named(v->frozen.v[i].id, argc, argv) &&
		    frozen_add(&v->fresh, &v->frozen.v[i]))
			return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	qsort(v->fresh.v, v->fresh.cnt, sizeof(v->fresh.v[0]), by_id);
	return 0;
}

static int freeze(struct verifying *v, int argc, char **argv, struct diag *d)
{
	int rc;

	if (v->funnel.certified != v->funnel.written)
		return diag_set(d, -EINVAL, NULL, 0, "mend or deprecate what fails",
				"%u of %u mutations are certified: nothing is frozen",
				v->funnel.certified, v->funnel.written);
	if (v->funnel.unchecked[STEP_WITNESS])
		return diag_set(d, -EINVAL, NULL, 0, "assay doctor says what is missing",
				"witnesses were not checked: nothing is frozen");
	rc = keep_lines(v, argc, argv, d);
	return rc ? rc : frozen_save(v->house, &v->fresh, d);
}

/* ---- certificates ---- */

/* The certificate as it stands, if it still rests on the same things. */
static bool keep(const struct certifier *c, const struct mutation *m, struct certificate *ret)
{
	uint64_t hash;

	return args.changed && !certify_hash(c, m, &hash, NULL) &&
	       !certificate_load(c->house, m->id, ret, NULL) && ret->hash == hash &&
	       certificate_holds(ret, NULL) && ret->state[STEP_COMPILES] != STEP_UNCHECKED;
}

static void tell_failure(struct verifying *v, const char *id, const struct certificate *c)
{
	enum step s = certificate_failed(c);

	if (s != STEP_CNT)
		complain(v, id, "FAIL", step_name(s), c->text[s]);
	else if (c->state[STEP_COMPILES] == STEP_UNCHECKED)
		complain(v, id, "left", step_name(STEP_COMPILES), c->text[STEP_COMPILES]);
}

/* What was made in company holds where it holds; what failed there is made again alone. */
static int take_made(struct verifying *v, const struct mutation *m, bool made,
		     struct certificate *ret, struct diag *d)
{
	bool taken = made && !certificate_load(v->house, m->id, ret, NULL);
	struct certifier alone = *v->c;
	int rc = 0;

	alone.alone = true;
	if (!taken || certify_disturbed(ret)) {
		v->again += taken;
		rc = certify(&alone, m, ret, d);
		if (!rc)
			rc = certificate_save(v->house, m->id, ret, d);
	}
	if (!rc)
		tell_failure(v, m->id, ret);
	return rc;
}

static int count_one(struct verifying *v, const struct mutation *m, const struct certificate *c,
		     struct diag *d)
{
	funnel_add(&v->funnel, m, c);
	return !m->deprecated[0] && certificate_holds(c, NULL) ? compare_frozen(v, m, c, d) : 0;
}

static bool is_late(const struct verifying *v)
{
	return v->deadline && now_ns() >= v->deadline;
}

/* What the call is about, in three heaps: kept and deprecated, made in company, left. */
struct heaps {
	bool *named, *wanted, *made;
};

static int take_one(struct verifying *v, const struct mutation *m, bool wanted, bool made,
		    struct diag *d)
{
	struct certificate c = {.hash = 0};
	int rc = 0;

	if (wanted && !made && is_late(v)) {
		v->left++;
		return 0;
	}
	if (wanted)
		rc = take_made(v, m, made, &c, d);
	else if (!m->deprecated[0])
		v->kept += keep(v->c, m, &c);
	return rc ? rc : count_one(v, m, &c, d);
}

static int verify_heaps(struct verifying *v, const struct mutation_list *l, const struct heaps *h,
			struct diag *d)
{
	struct certificate c;
	int rc;

	for (size_t i = 0; i < l->cnt; i++)
		h->wanted[i] = h->named[i] && !l->v[i].deprecated[0] && !keep(v->c, &l->v[i], &c);
	rc = certify_crew(v->c, l, h->wanted, v->deadline, h->made, d);
	progress_start(&v->progress, "certificates", l->cnt);
	for (size_t i = 0; !rc && i < l->cnt; i++) {
		progress_update(&v->progress, i, l->v[i].id);
		if (h->named[i])
			rc = take_one(v, &l->v[i], h->wanted[i], h->made[i], d);
	}
	progress_end(&v->progress);
	return rc;
}

static int verify_all(struct verifying *v, const struct mutation_list *l, int argc, char **argv,
		      struct diag *d)
{
	bool *flags = calloc(3 * l->cnt + 1, sizeof(*flags));
	struct heaps h = {flags, flags + l->cnt, flags + 2 * l->cnt};
	int rc = flags ? frozen_load(v->house, &v->frozen, d)
		       : diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");

	for (size_t i = 0; flags && i < l->cnt; i++)
		h.named[i] = is_named(l->v[i].id, argc, argv);
	if (!rc)
		rc = verify_heaps(v, l, &h, d);
	if (!rc && !argc)
		compare_left(v, l);
	free(flags);
	return rc;
}

static int check_arguments(struct shop *s, int argc, char **argv, struct diag *d)
{
	const struct mutation *m;
	int rc = 0;

	if (args.freeze && args.within_ns)
		return diag_set(d, -EINVAL, NULL, 0, "assay mutate verify --freeze",
				"what is frozen is certified first, however long it takes");
	for (int i = 0; !rc && i < argc; i++)
		rc = mutation_find(&s->list, argv[i], &m, d);
	return rc;
}

static int finish(struct verifying *v, int argc, char **argv)
{
	struct diag d = {0};

	funnel_print(&v->funnel, v->kept, stdout);
	if (v->again)
		printf("%-10s %4u  failed beside others and were made again alone\n", "again",
		       v->again);
	if (v->left)
		printf("%-10s %4u  time ran out before them\n", "left", v->left);
	if (!v->funnel.written)
		return EXIT_BROKEN;
	if (args.freeze && freeze(v, argc, argv, &d)) {
		diag_print(&d, stderr);
		return d.err == -EINVAL ? EXIT_FAILED : EXIT_BROKEN;
	}
	if (args.freeze)
		printf("%-10s %4zu  in mutations/witnessed.list\n", "frozen", v->fresh.cnt);
	if (v->disagree)
		printf("%-10s %4u  with mutations/witnessed.list (--freeze writes it anew)\n",
		       "disagree", v->disagree);
	if (v->funnel.verdicts[VERDICT_FAILS] || v->disagree)
		return EXIT_FAILED;
	return v->funnel.certified ? EXIT_GOOD : EXIT_MISSING;
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
	if (certify_tools(&c, &d) || house_scratch(&s->house, folder, &d))
		return command_error(&d);
	c.folder = folder;
	v.deadline = args.within_ns ? now_ns() + args.within_ns : 0;
	rc = verify_all(&v, &s->list, argc, argv, &d) ? command_error(&d) : finish(&v, argc, argv);
	house_remove(folder, NULL);
	frozen_free(&v.frozen);
	frozen_free(&v.fresh);
	return rc;
}

int mutate_verify(int argc, char **argv)
{
	return mutate_with_shop(&verify_opts, argc, argv, run_verify);
}
