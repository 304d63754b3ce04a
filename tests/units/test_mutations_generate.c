/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated quads: the same seed gives the same, another others; what is drawn fits the sources,
 * leaves truth alone and says nothing. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/calibrate.h"
#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "mutations/build.h"
#include "mutations/generate/change.h"
#include "mutations/generate/generator.h"
#include "mutations/generate/operator.h"
#include "mutations/repair.h"

enum { DRAWN = 32 };

static char folder[] = "/tmp/generate-XXXXXX";
static struct house house;

static void open_house(void)
{
	char top[RECORD_PATH];

	strcpy(folder, "/tmp/generate-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_not_null(getcwd(top, sizeof(top)));
	house = (struct house){.source = ""};
	cr_assert_eq(house_path(house.source, NULL, "%s", top), 0);
	cr_assert_eq(house_path(house.variants, NULL, "%s/variants", folder), 0);
	cr_assert_eq(house_path(house.records, NULL, "%s", folder), 0);
}

static void close_house(void)
{
	house_remove(folder, NULL);
}

static void draw(uint64_t seed, struct quad v[DRAWN])
{
	struct generator *g;
	struct diag d = {0};

	cr_assert_eq(generator_open(&house, seed, &g, &d), 0, "%s: %s", d.file, d.reason);
	cr_assert_gt(generator_chances(g), 10 * DRAWN);
	for (unsigned i = 0; i < DRAWN; i++)
		cr_assert_eq(generator_next(g, &v[i], &d), 0, "%s: %s", v[i].id, d.reason);
	generator_close(g);
}

static void free_all(struct quad v[DRAWN])
{
	for (unsigned i = 0; i < DRAWN; i++)
		quad_free(&v[i]);
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

Test(mutations_generate, draws_the_same_for_a_seed_and_others_for_another, .init = open_house,
     .fini = close_house)
{
	struct quad a[DRAWN], b[DRAWN], c[DRAWN];
	unsigned alike = 0;

	draw(7, a);
	draw(7, b);
	draw(8, c);
	for (unsigned i = 0; i < DRAWN; i++) {
		cr_expect_str_eq(a[i].id, b[i].id);
		cr_expect(same_text(a[i].mutant, b[i].mutant), "%s", a[i].id);
		cr_expect(same_text(a[i].twin, b[i].twin), "%s", a[i].id);
		cr_expect(same_text(a[i].repaired, b[i].repaired), "%s", a[i].id);
		alike += same_text(a[i].mutant, c[i].mutant);
	}
	cr_expect_lt(alike, 2);
	free_all(a);
	free_all(b);
	free_all(c);
}

static void expect_applies(const struct mutation *m, enum form f)
{
	struct build_spec s = {.mutation = m, .workload = m->workloads[0], .form = f};
	char tree[RECORD_PATH];
	struct diag d = {0};
	int rc = build_sources(&house, &s, tree, &d);

	cr_expect_eq(rc, 0, "%s: %s", m->id, d.reason);
	if (!rc)
		house_remove(tree, NULL);
}

static void expect_repairs(const struct mutation *m)
{
	char path[RECORD_PATH];
	struct manifest v;
	struct diag d = {0};

	cr_assert_eq(repair_make(&house, m, m->workloads[0], m->folder, path, &d), 0, "%s: %s",
		     m->id, d.reason);
	cr_assert_eq(manifest_load(path, &v, &d), 0, "%s: %s", m->id, d.reason);
	for (uint32_t i = 0; i < m->invalid_cnt; i++)
		cr_expect_not_null(manifest_descriptor_by_id(&v, m->invalid[i].descriptor));
	manifest_free(&v);
}

/* build_sources refuses what touches a line of truth. */
Test(mutations_generate, fits_sources_and_manifests_and_leaves_truth_alone, .init = open_house,
     .fini = close_house)
{
	struct quad v[DRAWN];

	draw(11, v);
	for (unsigned i = 0; i < DRAWN; i++) {
		char path[RECORD_PATH];
		struct mutation m;
		struct diag d = {0};

		cr_assert_eq(quad_write(&v[i], folder, &d), 0, "%s", d.reason);
		cr_assert_eq(house_path(path, &d, "%s/%s", folder, v[i].id), 0);
		cr_assert_eq(mutation_load(path, &m, &d), 0, "%s: %lu: %s", d.file,
			     (unsigned long)d.line, d.reason);
		cr_expect_gt(m.invalid_cnt, 0);
		for (unsigned f = 0; f < FORM_CNT; f++)
			expect_applies(&m, (enum form)f);
		expect_repairs(&m);
	}
	free_all(v);
}

/* Lines that both patches add, but for numbers and the way of one comparison. */
Test(mutations_generate, twins_are_as_long_and_no_name_tells, .init = open_house,
     .fini = close_house)
{
	static const char *const words[] = {"mutat", "mutant", "twin", "witness", "assay", NULL};
	struct quad v[DRAWN];

	draw(13, v);
	for (unsigned i = 0; i < DRAWN; i++) {
		double a = (double)strlen(v[i].mutant), b = (double)strlen(v[i].twin);

		cr_expect_neq(strcmp(v[i].mutant, v[i].twin), 0, "%s", v[i].id);
		/* the moved member's own patch alone has more */
		cr_expect_lt(a > b ? a / b : b / a, 2.5, "%s", v[i].id);
		for (unsigned w = 0; words[w]; w++)
			cr_expect_null(strstr(v[i].mutant, words[w]), "%s: %s", v[i].id, words[w]);
	}
	free_all(v);
}

Test(mutations_generate, reads_operators_as_they_are_written)
{
	struct texts t = {
		.cnt = 2,
		.v = {{"workloads/x/x.c",
		       (char *)"static int f(void)\n{\n\treturn 0;\n}\n\n"
			       "OPERATOR struct job *queue_pop(struct queue *q, unsigned n)\n"
			       "{\n\treturn q->first;\n}\n"},
		      {"workloads/x/x.h",
		       (char *)"\nstruct queue {\n\tint a;\n\tuint32_t room; /* left */\n};\n"
			       "/* queue_pop( in words */\n"
			       "struct job *queue_pop(struct queue *q, unsigned n);\n"}}};
	struct operator_text o;
	char args[CHANGE_TEXT];
	unsigned file;
	size_t at;

	cr_assert(operator_find(&t, "queue_pop", &o));
	cr_expect_str_eq(o.result, "struct job *");
	cr_expect_eq(o.params_cnt, 2);
	cr_expect_str_eq(o.params[0].tag, "queue");
	cr_expect(o.params[1].number && !o.params[0].number);
	operator_args(&o, args, sizeof(args));
	cr_expect_str_eq(args, "q, n");
	cr_expect_not(operator_find(&t, "queue_po", &o));
	cr_expect_not(operator_find(&t, "f", &o));
	cr_assert(member_find(&t, "queue", "room", &file, &at));
	cr_expect_eq(file, 1);
	cr_expect_eq(strncmp(t.v[1].s + at, "\tuint32_t room;", 15), 0);
	cr_expect_not(member_find(&t, "queue", "a", &file, &at));
}

Test(mutations_generate, bounds_lie_between_and_distances_within_one)
{
	cr_expect_float_eq(calibrate_bound(1, 0.8), 0.9, 1e-9);
	cr_expect_float_eq(calibrate_bound(4, 400), 40, 1e-9);
	cr_expect_float_eq(calibrate_bound(0, 0.4), 0.2, 1e-9);
	cr_expect_float_eq(calibrate_distance(1, 1, 0.2), 0, 1e-9);
	cr_expect_float_eq(calibrate_distance(0, 0, 0), 0, 1e-9);
	cr_expect_float_eq(calibrate_distance(1, 0.8, 0), 0.2, 1e-9);
	cr_expect_lt(calibrate_distance(0, 0.01, 0.3), 0.05);
}
