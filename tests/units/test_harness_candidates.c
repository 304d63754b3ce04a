/* SPDX-License-Identifier: BSD-2-Clause */
/* Planted resources: they parse, are as many as the share says, and truth knows which are wrong. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/candidates.h"

static const char text[] =
	"manifest: 1\n"
	"application: app\n"
	"resources:\n"
	"  - {resource: app.a, unit: u}\n"
	"  - {resource: app.slot, unit: bytes}\n"
	"descriptors:\n"
	"  - {id: 1, resource: app.a, event: ACQUIRE, site: \"a_get:return\", instance_key: retval,"
	" unit_key: 1, generation: acquire_epoch, confidence: validated}\n"
	"  - {id: 2, resource: app.a, event: RELEASE, site: a_put, instance_key: arg0, unit_key: "
	"1}\n"
	"  - {id: 3, resource: app.slot, event: ACQUIRE, site: b_get, instance_key: arg0,"
	" unit_key: arg1, generation: acquire_epoch, confidence: validated}\n"
	"  - {id: 4, resource: app.slot, event: RELEASE, site: b_put, instance_key: arg0,"
	" unit_key: arg1}\n"
	"invariants:\n"
	"  - {id: pair, kind: pairing, of: [1, 2], evidence: proof}\n"
	"  - {id: fresh, kind: generation, of: [3], evidence: proof}\n"
	"  - {id: back, kind: balance, of: [3, 4]}\n";

static char from[64], to[64];

static void open_variant(struct variant *v)
{
	struct diag d = {0};
	FILE *f;

	snprintf(from, sizeof(from), "/tmp/assay-candidates-%d.yaml", getpid());
	snprintf(to, sizeof(to), "/tmp/assay-candidates-%d.planted", getpid());
	f = fopen(from, "we");
	cr_assert(f);
	fputs(text, f);
	fclose(f);
	memset(v, 0, sizeof(*v));
	cr_assert_eq(manifest_load(from, &v->old, &d), 0, "%s", d.reason);
	v->has_old = true;
}

static void remove_files(void)
{
	unlink(from);
	unlink(to);
}

static void plant(struct variant *v, const char *word, uint64_t seed)
{
	struct diag d = {0};
	struct regime r;

	open_variant(v);
	cr_assert_eq(regime_parse(word, &r, &d), 0, "%s", d.reason);
	cr_assert_eq(candidates_plant(v, &r, seed, to, STDERR_FILENO, &d), 0, "%s:%lu: %s", d.file,
		     (unsigned long)d.line, d.reason);
}

static size_t wrong_of(const struct variant *v, const char *resource)
{
	size_t cnt = 0;

	for (size_t i = 0; i < v->descriptors_cnt; i++)
		cnt += !v->descriptors[i].valid && !strcmp(v->descriptors[i].resource, resource);
	return cnt;
}

Test(candidates, each_planted_resource_is_wrong_and_no_other_whatever_is_drawn,
     .fini = remove_files)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct variant v;

		plant(&v, "candidates:0.5", seed);
		cr_assert_eq(v.old.resources_cnt, 4);
		cr_assert_eq(v.old.descriptors_cnt, 8);
		cr_assert_eq(v.descriptors_cnt, 8);
		cr_expect_str_eq(v.manifest, to);
		for (uint32_t i = 0; i < v.old.resources_cnt; i++)
			cr_expect_eq(wrong_of(&v, v.old.resources[i].name) > 0, i >= 2,
				     "seed %lu: %s", (unsigned long)seed, v.old.resources[i].name);
		for (uint32_t i = 0; i < v.old.descriptors_cnt; i++)
			cr_expect(v.old.descriptors[i].id <= 4 ||
				  v.old.descriptors[i].confidence == CONFIDENCE_CANDIDATE);
		variant_free(&v);
	}
}

/* app.slot is there already, and a number would tell. */
Test(candidates, names_are_free_and_look_like_those_that_were_there, .fini = remove_files)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct variant v;

		plant(&v, "candidates:0.6", seed);
		for (uint32_t i = 0; i < v.old.resources_cnt; i++) {
			const char *name = v.old.resources[i].name;

			cr_expect_eq(strcspn(name, "0123456789"), strlen(name), "%s", name);
			for (uint32_t k = 0; k < i; k++)
				cr_expect_str_neq(name, v.old.resources[k].name);
		}
		variant_free(&v);
	}
}

Test(candidates, as_many_as_the_share_says, .fini = remove_files)
{
	struct variant v;

	plant(&v, "candidates:0.6", 7);
	cr_expect_eq(v.old.resources_cnt, 2 + 3);
	variant_free(&v);
	plant(&v, "candidates:0.1", 7);
	cr_expect_eq(v.old.resources_cnt, 2 + 1, "one at least");
	variant_free(&v);
}

Test(candidates, the_same_seed_plants_the_same, .fini = remove_files)
{
	struct variant a, b;
	bool differs = false;

	plant(&a, "candidates:0.5", 3);
	plant(&b, "candidates:0.5", 3);
	cr_expect_eq(manifest_diff(&a.old, &b.old, stderr), 0);
	variant_free(&b);
	for (uint64_t seed = 4; seed < 10 && !differs; seed++) {
		plant(&b, "candidates:0.5", seed);
		differs = manifest_diff(&a.old, &b.old, stderr) > 0;
		variant_free(&b);
	}
	cr_expect(differs);
	variant_free(&a);
}

Test(candidates, nothing_is_planted_where_nothing_can_be_copied, .fini = remove_files)
{
	struct regime r = {.kind = REGIME_CANDIDATES, .share = UINT64_C(1) << 31};
	struct variant v = {.has_old = false};
	struct diag d = {0};

	cr_expect_eq(candidates_plant(&v, &r, 1, to, STDERR_FILENO, &d), -ENOTSUP);
}
