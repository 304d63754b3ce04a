/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate: variants built, certificates recomputed, mutations listed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/certify.h"
#include "harness/command.h"
#include "harness/variant.h"
#include "lib/opts.h"
#include "lib/progress.h"
#include "mutations/build.h"
#include "mutations/certificate.h"
#include "mutations/house.h"
#include "mutations/record.h"

static struct {
	const char *source, *workload;
	unsigned form, compiler, level;
	uint64_t salt, repeats, least;
	bool changed, verbose;
} args = {.form = FORM_MUTANT, .repeats = 3, .least = 20};

static const char *const forms[] = {"base", "mutant", "twin", NULL};
static const char *const compilers[] = {"gcc", "clang", NULL};
static const char *const levels[] = {"O2", "O0", NULL};

#define SOURCE_OPT                                                                                 \
	{                                                                                          \
		"source", 0, OPT_STR, "DIR", "top of assay's sources (above the command)",         \
			&args.source, 0, 0, NULL                                                   \
	}

/* What every one of them needs. */
struct shop {
	struct workshop w;
	struct house house;
	struct mutation_list list;
};

static int shop_open(struct shop *s, struct diag *d)
{
	int rc = workshop_open(&s->w, d);

	if (!rc)
		rc = house_open(&s->house, s->w.programs.folder, args.source, d);
	if (!rc)
		rc = mutation_scan(s->house.records, &s->list, d);
	return rc;
}

static void shop_close(struct shop *s)
{
	mutation_list_free(&s->list);
	workshop_close(&s->w);
}

static int usage_error(const struct diag *d)
{
	diag_print(d, stderr);
	return d->err == -ENOENT || d->err == -EINVAL ? EXIT_USAGE : EXIT_BROKEN;
}

/* Parses, opens the shop, runs, closes. */
static int with_shop(const struct opts *o, int argc, char **argv,
		     int (*run)(struct shop *, int, char **))
{
	struct shop s = {.list = {0}};
	struct diag d = {0};
	int first, rc = opts_start(o, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (shop_open(&s, &d))
		rc = d.err == -ENOENT ? usage_error(&d) : command_error(&d);
	else
		rc = run(&s, argc - first, argv + first);
	shop_close(&s);
	return rc;
}

/* ---- build ---- */

static const struct opt build_table[] = {
	{"form", 0, OPT_CHOICE, "FORM", "base, mutant or twin (mutant)", &args.form, 0, 0, forms},
	{"workload", 0, OPT_STR, "NAME", "where it is for several (its first)", &args.workload, 0,
	 0, NULL},
	{"cc", 0, OPT_CHOICE, "CC", "gcc or clang (gcc)", &args.compiler, 0, 0, compilers},
	{"opt", 0, OPT_CHOICE, "LEVEL", "O2 or O0 (O2)", &args.level, 0, 0, levels},
	{"salt", 0, OPT_U64, "N", "of the link (secret, from the kernel)", &args.salt, 1,
	 UINT64_MAX, NULL},
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts build_opts = {
	.command = "assay mutate build",
	.usage = "ID [--form FORM] [--cc CC] [--opt LEVEL] [--salt N]",
	.purpose = "Builds one form of a mutation and prints the program's path",
	.table = build_table,
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay mutate build null-uring-1",
		     "assay mutate build null-uring-1 --form twin --cc clang --opt O0",
		     "assay mutate build null-uring-1 --form base --salt 7"},
};

static int run_build(struct shop *s, int argc, char **argv)
{
	struct build_spec b = {.form = (enum form)args.form,
			       .compiler = (enum compiler)args.compiler,
			       .level = args.level ? 0 : 2,
			       .salt = args.salt ? args.salt : variant_salt()};
	char path[RECORD_PATH];
	struct diag d = {0};

	if (mutation_find(&s->list, argv[0], &b.mutation, &d))
		return usage_error(&d);
	b.workload = args.workload ? args.workload : b.mutation->workloads[0];
	if (!mutation_on(b.mutation, b.workload)) {
		diag_set(&d, -EINVAL, NULL, 0, b.mutation->workloads[0], "%s is no mutation of %s",
			 b.mutation->id, b.workload);
		return usage_error(&d);
	}
	if (build_variant(&s->house, &b, path, &d)) {
		diag_print(&d, stderr);
		return d.err == -EINVAL || d.err == -EPERM ? EXIT_FAILED : EXIT_BROKEN;
	}
	puts(path);
	return EXIT_GOOD;
}

static int cmd_build(int argc, char **argv)
{
	return with_shop(&build_opts, argc, argv, run_build);
}

/* ---- verify ---- */

static const struct opt verify_table[] = {
	{"changed", 0, OPT_FLAG, NULL, "only what changed since its certificate", &args.changed, 0,
	 0, NULL},
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
	.usage = "[ID…] [--changed] [-k N]",
	.purpose = "Recomputes certificates and prints how many mutations pass each step",
	.table = verify_table,
	.args_max = 512,
	.examples = {"assay mutate verify", "assay mutate verify --changed",
		     "assay mutate verify null-uring-1 -k 10"},
};

/* Records by the furthest step that they passed. */
struct funnel {
	unsigned written, deprecated, passed[STEP_CNT], none[STEP_CNT], unchecked[STEP_CNT];
	unsigned certified, witnessed, kept;
};

static void funnel_add(struct funnel *f, const struct certificate *c)
{
	for (unsigned s = 0; s < STEP_CNT; s++) {
		if (c->state[s] == STEP_FAILED || c->state[s] == STEP_OPEN)
			return;
		f->passed[s]++;
		f->none[s] += c->state[s] == STEP_NONE;
		f->unchecked[s] += c->state[s] == STEP_UNCHECKED;
	}
	f->certified++;
	f->witnessed += certificate_witnessed(c);
}

static void funnel_print(const struct funnel *f)
{
	printf("%-10s %4u\n", "written", f->written);
	for (unsigned s = 0; s < STEP_CNT; s++) {
		printf("%-10s %4u", step_name(s), f->passed[s]);
		if (f->none[s])
			printf("  %u need it not", f->none[s]);
		if (f->unchecked[s])
			printf("%s %u not checked", f->none[s] ? "," : " ", f->unchecked[s]);
		printf("\n");
	}
	printf("%-10s %4u  %u with a witness\n", "certified", f->certified, f->witnessed);
	if (f->kept)
		printf("%-10s %4u  unchanged, not run again\n", "of these", f->kept);
	if (f->deprecated)
		printf("%-10s %4u  not looked at\n", "deprecated", f->deprecated);
}

static void print_failure(const char *id, const struct certificate *c)
{
	enum step s = certificate_failed(c);

	if (s != STEP_CNT)
		printf("  FAIL %-24s %s: %s\n", id, step_name(s), c->text[s]);
}

/* The certificate as it stands, if it still rests on the same things. */
static bool keep(const struct certifier *c, const struct mutation *m, struct certificate *ret)
{
	uint64_t hash;

	return args.changed && !certify_hash(c, m, &hash, NULL) &&
	       !certificate_load(c->house, m->id, ret, NULL) && ret->hash == hash &&
	       certificate_holds(ret, NULL);
}

static int verify_one(const struct certifier *c, const struct mutation *m, struct funnel *f,
		      struct progress *p, struct diag *d)
{
	struct certificate v = {.hash = 0};
	int rc = 0;

	if (m->deprecated[0]) {
		f->deprecated++;
		return 0;
	}
	f->written++;
	if (keep(c, m, &v)) {
		f->kept++;
	} else {
		rc = certify(c, m, &v, d);
		if (!rc)
			rc = certificate_save(c->house, m->id, &v, d);
		if (rc)
			return rc;
		progress_end(p);
		print_failure(m->id, &v);
	}
	funnel_add(f, &v);
	return 0;
}

static bool is_named(const struct mutation *m, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], m->id))
			return true;
	return argc == 0;
}

static int verify_all(const struct certifier *c, const struct mutation_list *l, int argc,
		      char **argv, struct funnel *f, struct diag *d)
{
	struct progress p;
	int rc = 0;

	progress_start(&p, "certificates", l->cnt);
	for (size_t i = 0; !rc && i < l->cnt; i++) {
		progress_update(&p, i, l->v[i].id);
		if (is_named(&l->v[i], argc, argv))
			rc = verify_one(c, &l->v[i], f, &p, d);
	}
	progress_end(&p);
	return rc;
}

static int run_verify(struct shop *s, int argc, char **argv)
{
	struct certifier c = {.house = &s->house,
			      .programs = &s->w.programs,
			      .machine = &s->w.machine,
			      .limits = make_limits(),
			      .repeats = (unsigned)args.repeats,
			      .least = args.least};
	const struct mutation *m;
	struct funnel f = {.written = 0};
	struct diag d = {0};

	for (int i = 0; i < argc; i++)
		if (mutation_find(&s->list, argv[i], &m, &d))
			return usage_error(&d);
	if (verify_all(&c, &s->list, argc, argv, &f, &d))
		return command_error(&d);
	funnel_print(&f);
	if (!f.written)
		return EXIT_BROKEN;
	return f.certified == f.written ? EXIT_GOOD : EXIT_FAILED;
}

static int cmd_verify(int argc, char **argv)
{
	return with_shop(&verify_opts, argc, argv, run_verify);
}

/* ---- list ---- */

static const struct opt list_table[] = {
	{"verbose", 'v', OPT_FLAG, NULL, "what changes, what becomes invalid, why", &args.verbose,
	 0, 0, NULL},
	SOURCE_OPT,
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts list_opts = {
	.command = "assay mutate list",
	.usage = "[--verbose]",
	.purpose = "Lists mutations and the state of their certificates",
	.table = list_table,
	.examples = {"assay mutate list", "assay mutate list --verbose", "assay list mutations"},
};

static const char *certificate_word(const struct house *h, const struct mutation *m)
{
	struct certificate v;

	if (m->deprecated[0])
		return "deprecated";
	if (certificate_load(h, m->id, &v, NULL))
		return "not verified";
	if (certificate_failed(&v) != STEP_CNT)
		return "fails";
	return certificate_witnessed(&v) ? "witnessed" : "certified";
}

static void list_one(const struct house *h, const struct mutation *m)
{
	char workloads[RECORD_WORKLOADS_MAX * RECORD_WORD] = "", since[32] = "start";

	for (uint32_t i = 0; i < m->workloads_cnt; i++)
		snprintf(workloads + strlen(workloads), sizeof(workloads) - strlen(workloads),
			 "%s%s", i ? "," : "", m->workloads[i]);
	if (m->onset)
		snprintf(since, sizeof(since), "op %" PRIu64, m->onset);
	printf("  %-22s %-8s %-8s %-7s %3u %% %-8s %s\n", m->id, mutation_class_name(m->class),
	       workloads, mutation_kind_name(m->kind), m->share, since, certificate_word(h, m));
	if (!args.verbose)
		return;
	printf("      %s.\n      naive: %s.\n", m->what, m->naive);
	for (uint32_t i = 0; i < m->invalid_cnt; i++)
		printf("      descriptor %u: %s.\n", m->invalid[i].descriptor, m->invalid[i].why);
}

void mutations_print(const struct house *h, const struct mutation_list *l)
{
	printf("mutations:\n");
	for (size_t i = 0; i < l->cnt; i++)
		list_one(h, &l->v[i]);
}

static int run_list(struct shop *s, int argc, char **argv)
{
	mutations_print(&s->house, &s->list);
	return EXIT_GOOD;
}

static int cmd_mutate_list(int argc, char **argv)
{
	return with_shop(&list_opts, argc, argv, run_list);
}

int cmd_mutate(int argc, char **argv)
{
	static const struct command list[] = {
		{"build", "build one form of a mutation", cmd_build},
		{"verify", "recompute certificates", cmd_verify},
		{"list", "mutations and the state of their certificates", cmd_mutate_list},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay mutate", "Mutations: base, mutant, twin, repaired manifest",
				list, argc, argv);
}
