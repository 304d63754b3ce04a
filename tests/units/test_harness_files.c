/* SPDX-License-Identifier: BSD-2-Clause */
/* Stored runs, locks, copies, claims from truth. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/convert.h"
#include "harness/folder.h"
#include "harness/from_truth.h"
#include "harness/provenance.h"
#include "harness/reference.h"
#include "lib/files.h"
#include "scoring/score.h"

#define SAMPLES "tests/units/data/scoring/"

static char dir[64];

static void setup(void)
{
	strcpy(dir, "/tmp/assay-files-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
}

static void teardown(void)
{
	folder_remove(dir, NULL);
}

TestSuite(harness_files, .init = setup, .fini = teardown);

static void in_dir(char path[PATH_LEN], const char *name)
{
	cr_assert(zero(int, path_format(path, NULL, "%s/%s", dir, name)));
}

static void make_file(const char *name, const char *content)
{
	char path[PATH_LEN], *slash;
	struct diag d = {0};

	in_dir(path, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	cr_assert(zero(int, dir_make(path, &d)), "%s", d.reason);
	*slash = '/';
	cr_assert(zero(int, file_write(path, content, strlen(content), &d)), "%s", d.reason);
}

static void expect_content(const char *name, const char *content)
{
	char path[PATH_LEN], *text;
	struct diag d = {0};

	in_dir(path, name);
	cr_assert(zero(int, file_read(path, 1 << 20, &text, NULL, &d)), "%s", d.reason);
	cr_expect(eq(str, text, (char *)content));
	free(text);
}

static void pack(const char *name)
{
	char path[PATH_LEN];
	struct diag d = {0};

	in_dir(path, name);
	cr_assert(zero(int, reference_pack(path, &d)), "%s", d.reason);
	unlink(path);
}

Test(harness_files, unpacks_a_stored_run_packed_and_plain)
{
	char reference[PATH_LEN], to[PATH_LEN];
	struct diag d = {0};

	make_file("ref/wake/truth.bin", "the truth, the truth, the truth");
	make_file("ref/wake/evidence.bin", "what was seen");
	make_file("to/here", "");
	in_dir(reference, "ref");
	in_dir(to, "to");
	cr_expect(reference_has(reference, "wake") == true);
	pack("ref/wake/truth.bin");
	cr_expect(reference_has(reference, "wake") == true);
	cr_expect(reference_has(reference, "uring") == false);
	cr_assert(zero(int, reference_unpack(reference, "wake", to, &d)), "%s", d.reason);
	expect_content("to/truth.bin", "the truth, the truth, the truth");
	expect_content("to/evidence.bin", "what was seen");
}

Test(harness_files, has_no_stored_run_if_one_file_is_missing)
{
	char reference[PATH_LEN];

	make_file("ref/wake/truth.bin", "x");
	in_dir(reference, "ref");
	cr_expect(reference_has(reference, "wake") == false);
}

struct damage {
	int keep; /* bytes; -1: replaced by text */
};

ParameterizedTestParameters(harness_files, refuses_a_damaged_stored_run)
{
	static struct damage rows[] = {{0}, {3}, {20}, {-1}};

	return cr_make_param_array(struct damage, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct damage *m, harness_files, refuses_a_damaged_stored_run, .init = setup,
		  .fini = teardown)
{
	char reference[PATH_LEN], path[PATH_LEN], to[PATH_LEN];
	struct diag d = {0};

	make_file("ref/wake/truth.bin", "a truth that is long enough to be cut in its middle");
	make_file("ref/wake/evidence.bin", "x");
	make_file("to/here", "");
	pack("ref/wake/truth.bin");
	in_dir(path, "ref/wake/truth.bin.zst");
	if (m->keep >= 0)
		cr_assert(zero(int, truncate(path, m->keep)));
	else
		make_file("ref/wake/truth.bin.zst", "no zstd frame at all");
	in_dir(reference, "ref");
	in_dir(to, "to");
	cr_expect(eq(int, reference_unpack(reference, "wake", to, &d), -EINVAL));
	cr_expect(ne(ptr, strstr(d.file, "truth.bin.zst"), NULL), "%s", d.file);
	in_dir(path, "to/truth.bin");
	cr_expect(ne(int, access(path, F_OK), 0));
}

Test(harness_files, locks_a_run_against_a_second_one)
{
	struct diag d = {0};
	int a = run_folder_lock(dir, 1, 1, &d);

	cr_assert(ge(int, a, 0), "%s", d.reason);
	cr_expect(eq(int, run_folder_lock(dir, 1, 1, &d), -EBUSY));
	cr_expect(eq(int, run_folder_lock(dir, 2, 3, &d), -EBUSY));
	close(a);
	a = run_folder_lock(dir, 1, 1, &d);
	cr_expect(ge(int, a, 0));
	close(a);
}

Test(harness_files, lets_shards_run_side_by_side)
{
	struct diag d = {0};
	int one = run_folder_lock(dir, 1, 3, &d), two = run_folder_lock(dir, 2, 3, &d);

	cr_expect(ge(int, one, 0));
	cr_expect(ge(int, two, 0));
	cr_expect(eq(int, run_folder_lock(dir, 2, 3, &d), -EBUSY));
	cr_expect(eq(int, run_folder_lock(dir, 1, 1, &d), -EBUSY));
	close(one);
	close(two);
}

Test(harness_files, takes_no_device_for_a_result)
{
	struct diag d = {0};
	char path[PATH_LEN];

	cr_expect(eq(int, output_check("/dev/null", &d), -EINVAL));
	cr_expect(eq(int, output_check(dir, &d), -EINVAL));
	in_dir(path, "new");
	cr_expect(zero(int, output_check(path, &d)));
	make_file("new", "old content");
	cr_expect(zero(int, output_check(path, &d)));
}

Test(harness_files, knows_the_build_id_of_a_program_and_no_other_file)
{
	char id[64] = "";

	cr_expect(zero(int, build_id("/proc/self/exe", id)));
	cr_expect(eq(sz, strlen(id), 40));
	cr_expect(lt(int, build_id("/etc/passwd", id), 0));
	cr_expect(lt(int, build_id("/no/such/file", id), 0));
}

static const struct handoff_counts *score(struct score **ret, const char *claims)
{
	struct score_options o = {.start = HEALTH_VALIDATED};
	struct diag d = {0};

	*ret = score_files(SAMPLES "01-perfect/truth.jsonl", claims, &o, &d);
	cr_assert(ne(ptr, *ret, NULL), "%s", d.reason);
	cr_assert(eq(int, score_status(*ret), SCORE_OK));
	return &score_handoff(*ret)->level[LEVEL_CONTEXT].all;
}

Test(harness_files, makes_claims_from_truth_that_are_all_right_or_never)
{
	const struct handoff_counts *c;
	char path[PATH_LEN];
	struct score *s;
	struct diag d = {0};

	in_dir(path, "claims");
	cr_assert(zero(int, from_truth(SAMPLES "01-perfect/truth.jsonl", TRUTH_ORACLE, path,
				       CLAIMS_JSON, &d)),
		  "%s", d.reason);
	c = score(&s, path);
	cr_expect(gt(ulong, c->truth, 0));
	cr_expect(eq(ulong, c->right, c->truth));
	score_free(s);
	cr_assert(zero(int, from_truth(SAMPLES "01-perfect/truth.jsonl", TRUTH_LIAR, path,
				       CLAIMS_BINARY, &d)),
		  "%s", d.reason);
	c = score(&s, path);
	cr_expect(gt(ulong, c->claims, 0));
	cr_expect(zero(ulong, c->right));
	score_free(s);
}

Test(harness_files, makes_no_claims_from_broken_truth)
{
	char path[PATH_LEN];
	struct diag d = {0};

	in_dir(path, "claims");
	cr_expect(eq(int,
		     from_truth(SAMPLES "27-broken-overlapping-segments/truth.jsonl", TRUTH_ORACLE,
				path, CLAIMS_JSON, &d),
		     -EINVAL));
	cr_expect(ne(int, access(path, F_OK), 0));
}

Test(harness_files, converts_claims_there_and_back)
{
	char packed[PATH_LEN], text[PATH_LEN], again[PATH_LEN], *a, *b;
	size_t la, lb;
	struct diag d = {0};

	in_dir(packed, "packed");
	in_dir(text, "text");
	in_dir(again, "again");
	cr_assert(zero(int, convert_claims(SAMPLES "17-events-perfect/claims.jsonl", packed,
					   CLAIMS_BINARY, &d)));
	cr_assert(zero(int, convert_claims(packed, text, CLAIMS_JSON, &d)));
	cr_assert(zero(int, convert_claims(text, again, CLAIMS_BINARY, &d)));
	cr_assert(zero(int, file_read(packed, 1 << 20, &a, &la, &d)));
	cr_assert(zero(int, file_read(again, 1 << 20, &b, &lb, &d)));
	cr_assert(eq(sz, la, lb));
	cr_expect(zero(int, memcmp(a, b, la)));
	free(a);
	free(b);
}

Test(harness_files, path_below_goes_by_whole_parts)
{
	cr_expect(eq(str, (char *)path_below("/dev/shm/a", "/dev"), (char *)"/shm/a"));
	cr_expect(eq(str, (char *)path_below("/dev", "/dev"), (char *)""));
	cr_expect(zero(ptr, (void *)path_below("/devices", "/dev")));
	cr_expect(zero(ptr, (void *)path_below("/de", "/dev")));
	cr_expect(zero(ptr, (void *)path_below(NULL, "/dev")));
}

/* Named as what it is, and not as a path that somebody misspelt. */
Test(harness_files, says_when_tmpdir_is_of_no_use)
{
	char path[PATH_LEN];
	struct diag d = {0};

	cr_assert(zero(int, setenv("TMPDIR", dir, 1)));
	cr_assert(zero(int, temp_path("run", path, &d)));
	cr_expect(zero(int, strncmp(path, dir, strlen(dir))));
	cr_expect(eq(str, path + strlen(dir), "/run"));
	cr_assert(zero(int, setenv("TMPDIR", "/nonexistent", 1)));
	cr_expect(eq(int, temp_path("run", path, &d), -ENOENT));
	cr_expect(ne(ptr, strstr(d.cure, "TMPDIR"), NULL), "%s", d.cure);
	unsetenv("TMPDIR");
	cr_assert(zero(int, temp_path("run", path, &d)));
	cr_expect(eq(str, path, "/tmp/run"));
}
