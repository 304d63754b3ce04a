/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies beside the program of a variant. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/folder.h"
#include "harness/variant.h"
#include "lib/files.h"

static char top[] = "/tmp/assay-variant-XXXXXX";

static void make_folders(void)
{
	char path[PATH_LEN];

	strcpy(top + strlen(top) - 6, "XXXXXX");
	cr_assert_not_null(mkdtemp(top));
	cr_assert_eq(path_format(path, NULL, "%s/workloads/w", top), 0);
	cr_assert_eq(dir_make(path, NULL), 0);
	cr_assert_eq(path_format(path, NULL, "%s/bin", top), 0);
	cr_assert_eq(dir_make(path, NULL), 0);
}

static void remove_folders(void)
{
	house_remove(top, NULL);
}

static void write_next(const char *text)
{
	char path[PATH_LEN];

	cr_assert_eq(path_format(path, NULL, "%s/workloads/w/next", top), 0);
	cr_assert_eq(file_write(path, text, strlen(text), NULL), 0);
}

static void place(void)
{
	struct diag d = {0};
	char bin[PATH_LEN];

	cr_assert_eq(path_format(bin, &d, "%s/bin", top), 0);
	cr_assert_eq(variant_next(top, "w", bin, &d), 0, "%s", d.reason);
}

static void check(const char *name, const char *wanted)
{
	char path[PATH_LEN], *text;
	struct diag d = {0};

	cr_assert_eq(path_format(path, &d, "%s/%s", top, name), 0);
	cr_assert_eq(file_read(path, 100, &text, NULL, &d), 0, "%s", d.reason);
	cr_expect_str_eq(text, wanted);
	free(text);
}

TestSuite(harness_variant, .init = make_folders, .fini = remove_folders);

Test(harness_variant, places_the_next_build_again_without_harm_to_it)
{
	write_next("one");
	place();
	place();
	check("workloads/w/next", "one");
	check("bin/next", "one");
	write_next("two");
	place();
	check("bin/next", "two");
}

Test(harness_variant, places_nothing_where_there_is_no_next_build)
{
	char path[PATH_LEN];

	place();
	cr_assert_eq(path_format(path, NULL, "%s/bin/next", top), 0);
	cr_assert_neq(access(path, F_OK), 0);
}
