/* SPDX-License-Identifier: BSD-2-Clause */
/* assay mutate: what its parts share, and variants built. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/mutate.h"
#include "harness/variant.h"
#include "mutations/build.h"

const char *mutate_source;

static struct {
	const char *workload;
	unsigned form, compiler, level;
	uint64_t salt;
} args = {.form = FORM_MUTANT};

static const char *const forms[] = {"base", "mutant", "twin", NULL};
static const char *const compilers[] = {"gcc", "clang", NULL};
static const char *const levels[] = {"O2", "O0", NULL};

static int shop_open(struct shop *s, struct diag *d)
{
	int rc = workshop_open(&s->w, d);

	if (!rc)
		rc = house_open(&s->house, s->w.programs.folder, mutate_source,
				s->w.programs.records, d);
	if (!rc)
		rc = mutation_scan(s->house.records, &s->list, d);
	return rc;
}

static void shop_close(struct shop *s)
{
	mutation_list_free(&s->list);
	workshop_close(&s->w);
}

int mutate_usage(const struct diag *d)
{
	diag_print(d, stderr);
	return d->err == -ENOENT || d->err == -EINVAL ? EXIT_USAGE : EXIT_BROKEN;
}

int mutate_with_shop(const struct opts *o, int argc, char **argv,
		     int (*run)(struct shop *, int, char **))
{
	struct shop s = {.list = {0}};
	struct diag d = {0};
	int first, rc = opts_start(o, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (shop_open(&s, &d))
		rc = d.err == -ENOENT ? mutate_usage(&d) : command_error(&d);
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
	QUADS_OPT,
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
		return mutate_usage(&d);
	b.workload = args.workload ? args.workload : b.mutation->workloads[0];
	if (!mutation_on(b.mutation, b.workload)) {
		diag_set(&d, -EINVAL, NULL, 0, b.mutation->workloads[0], "%s is no mutation of %s",
			 b.mutation->id, b.workload);
		return mutate_usage(&d);
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
	return mutate_with_shop(&build_opts, argc, argv, run_build);
}

int cmd_mutate(int argc, char **argv)
{
	static const struct command list[] = {
		{"build", "build one form of a mutation", cmd_build},
		{"verify", "recompute certificates", mutate_verify},
		{"list", "mutations and the state of their certificates", mutate_list},
		{"train", "thresholds from a run, each class left out in turn", mutate_train},
		{"generate", "draw fresh mutations from a seed and certify them", mutate_generate},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay mutate", "Mutations: base, mutant, twin, repaired manifest",
				list, argc, argv);
}
