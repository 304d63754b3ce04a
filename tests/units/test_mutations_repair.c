/* SPDX-License-Identifier: BSD-2-Clause */
/* Repaired manifests: what is in the tree fits the manifests of today, and what does not is told.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/files.h"
#include "lib/formats/manifest.h"
#include "mutations/repair.h"

static char folder[] = "/tmp/repair-XXXXXX";

static void make_folder(void)
{
	strcpy(folder, "/tmp/repair-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	house_remove(folder, NULL);
}

/* Whatever a record calls invalid is in the manifest, and whatever the repair promises is sound. */
static void check_repair(const struct house *h, const struct mutation *m)
{
	struct diag d = {0};
	char path[RECORD_PATH];
	struct manifest v;

	cr_assert_eq(repair_make(h, m, m->workloads[0], folder, path, &d), 0, "%s: %s: %s", m->id,
		     d.file, d.reason);
	cr_assert_eq(manifest_load(path, &v, &d), 0, "%s: line %lu: %s", m->id,
		     (unsigned long)d.line, d.reason);
	for (uint32_t i = 0; i < m->invalid_cnt; i++)
		cr_expect_not_null(manifest_descriptor_by_id(&v, m->invalid[i].descriptor),
				   "%s: descriptor %u", m->id, m->invalid[i].descriptor);
	manifest_free(&v);
}

Test(mutations_repair, fits_the_manifests_of_the_tree, .init = make_folder, .fini = remove_folder)
{
	struct house h = {.source = "."};
	struct mutation_list l;
	struct diag d = {0};
	size_t cnt = 0;

	cr_assert_eq(house_path(h.variants, &d, "%s/variants", folder), 0);
	cr_assert_eq(mutation_scan("mutations", &l, &d), 0, "%s: %s", d.file, d.reason);
	for (size_t i = 0; i < l.cnt; i++) {
		struct mutation *m = &l.v[i];
		char top[RECORD_PATH], relative[RECORD_PATH];

		if (!m->repaired[0])
			continue;
		cr_assert_not_null(getcwd(top, sizeof(top)));
		strcpy(relative, m->folder);
		cr_assert_eq(house_path(m->folder, &d, "%s/%s", top, relative), 0);
		check_repair(&h, m);
		cnt++;
	}
	cr_assert_gt(cnt, 40);
	mutation_list_free(&l);
}

Test(mutations_repair, tells_that_a_patch_is_too_old, .init = make_folder, .fini = remove_folder)
{
	static const char patch[] = "--- a/manifest.yaml\n+++ b/manifest.yaml\n"
				    "@@ -1,1 +1,1 @@\n-manifest: 2\n+manifest: 3\n";
	struct house h = {.source = "."};
	struct mutation m = {.repaired = "repaired.patch"};
	struct diag d = {0};
	char path[RECORD_PATH];

	strcpy(m.folder, folder);
	cr_assert_eq(house_path(path, &d, "%s/repaired.patch", folder), 0);
	cr_assert_eq(file_write(path, patch, strlen(patch), &d), 0);
	cr_assert_eq(repair_make(&h, &m, "pool", folder, path, &d), -EINVAL);
	cr_assert(strstr(d.file, "repaired.patch"), "%s", d.file);
	cr_assert(strstr(d.cure, "make the patch anew"), "%s", d.cure);
}
