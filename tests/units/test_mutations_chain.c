/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of mutations: what may follow what, and the sources and the manifest that one begins with.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "mutations/repair.h"

static struct house house;

static void put(const char *name, const char *text)
{
	char path[RECORD_PATH], *slash;
	struct diag d = {0};

	cr_assert_eq(house_path(path, &d, "%s/%s", house.source, name), 0);
	slash = strrchr(path, '/');
	*slash = '\0';
	cr_assert_eq(dir_make(path, &d), 0, "%s", d.reason);
	*slash = '/';
	cr_assert_eq(file_write(path, text, strlen(text), &d), 0, "%s", d.reason);
}

static void put_record(const char *id, const char *after, const char *more)
{
	char name[64], text[1024];

	snprintf(text, sizeof(text),
		 "mutation: 1\nid: %s\nclass: BYPASS\nkind: patch\nworkloads: [w]\n%s%s%swhat: x\n"
		 "naive: x\nmutant: {patch: mutant.patch}\ntwin: {patch: twin.patch}\n"
		 "repaired: repaired.patch\ninvalid: [{descriptor: 1, why: x}]\ncanon: equal\n"
		 "reached: {event: USE, class: w.x}\n%s",
		 id, after ? "after: " : "", after ? after : "", after ? "\n" : "", more);
	snprintf(name, sizeof(name), "mutations/%s/record.yaml", id);
	put(name, text);
	snprintf(name, sizeof(name), "mutations/%s/mutant.patch", id);
	put(name, "");
	snprintf(name, sizeof(name), "mutations/%s/twin.patch", id);
	put(name, "");
}

/* A repair that turns one value of the manifest into the next. */
static void put_repair(const char *id, char from, char to)
{
	char name[64], text[256];

	snprintf(name, sizeof(name), "mutations/%s/repaired.patch", id);
	snprintf(
		text, sizeof(text),
		"--- a/manifest.yaml\n+++ b/manifest.yaml\n@@ -1,1 +1,1 @@\n-site: %c\n+site: %c\n",
		from, to);
	put(name, text);
}

static void make_house(void)
{
	static char top[] = "/tmp/assay-chain-XXXXXX";

	strcpy(top + strlen(top) - 6, "XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	cr_assert_eq(house_path(house.source, NULL, "%s", top), 0);
	cr_assert_eq(house_path(house.records, NULL, "%s/mutations", top), 0);
	cr_assert_eq(house_path(house.variants, NULL, "%s/variants", top), 0);
	put("workloads/w/manifest.yaml", "site: a\n");
	put_record("one", NULL, "");
	put_repair("one", 'a', 'b');
	put_record("two", "one", "");
	put_repair("two", 'b', 'c');
	put_record("three", "two", "");
	put_repair("three", 'c', 'd');
}

static void remove_house(void)
{
	house_remove(house.source, NULL);
}

static int load(const char *id, struct mutation *m, struct diag *d)
{
	char folder[RECORD_PATH];

	cr_assert_eq(house_path(folder, d, "%s/%s", house.records, id), 0);
	return mutation_load(folder, m, d);
}

static void check_text(const char *path, const char *wanted)
{
	struct diag d = {0};
	char *text;

	cr_assert_eq(file_read(path, 100, &text, NULL, &d), 0, "%s", d.reason);
	cr_expect_str_eq(text, wanted);
	free(text);
}

TestSuite(mutations_chain, .init = make_house, .fini = remove_house);

Test(mutations_chain, lists_what_goes_before_from_the_first_on)
{
	struct mutation m;
	struct diag d = {0};

	cr_assert_eq(load("three", &m, &d), 0, "%s: %s", d.file, d.reason);
	cr_assert_eq(m.before_cnt, 2);
	cr_assert_str_eq(m.before[0].id, "one");
	cr_assert_str_eq(m.before[1].id, "two");
	cr_assert_str_eq(m.before[1].patch, "mutant.patch");
}

Test(mutations_chain, begins_with_the_repairs_of_those_before)
{
	struct mutation m;
	struct diag d = {0};
	char path[RECORD_PATH];

	cr_assert_eq(load("three", &m, &d), 0);
	cr_assert_eq(repair_start(&house, &m, "w", path, &d), 0, "%s: %s", d.file, d.reason);
	check_text(path, "site: c\n");
	cr_assert_eq(repair_make(&house, &m, "w", house.records, path, &d), 0, "%s", d.reason);
	check_text(path, "site: d\n");
	cr_assert_eq(load("one", &m, &d), 0);
	cr_assert_eq(repair_start(&house, &m, "w", path, &d), 0);
	check_text(path, "site: a\n");
}

Test(mutations_chain, depends_on_all_files_of_those_before)
{
	struct mutation m;
	struct diag d = {0};
	uint64_t before, after;

	cr_assert_eq(load("three", &m, &d), 0);
	cr_assert_eq(mutation_hash(&m, &before, &d), 0);
	put("mutations/one/mutant.patch", "something else");
	cr_assert_eq(mutation_hash(&m, &after, &d), 0);
	cr_assert_neq(before, after);
}

static void check_refused(const char *id, const char *says)
{
	struct mutation m;
	struct diag d = {0};

	cr_assert_eq(load(id, &m, &d), -EINVAL);
	cr_expect(strstr(d.reason, says), "%s", d.reason);
	cr_expect(d.cure[0] && d.file[0]);
}

Test(mutations_chain, refuses_a_circle)
{
	put_record("one", "three", "");
	check_refused("two", "longer than");
}

Test(mutations_chain, refuses_what_cannot_be_gone_on_from)
{
	put_record("two", "one", "since: 20\n");
	check_refused("three", "more than a patch");
	put_record("two", "one", "base: {patch: twin.patch}\n");
	check_refused("two", "its base is the mutant of one");
}
