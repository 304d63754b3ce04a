/* SPDX-License-Identifier: BSD-2-Clause */
/* Six states that always add up, on disk. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/folder.h"
#include "lib/formats/claims.h"
#include "lib/files.h"

static char run[64];

static void setup(void)
{
	strcpy(run, "/tmp/assay-run-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(run), NULL));
}

static void teardown(void)
{
	folder_remove(run, NULL);
}

TestSuite(harness_status, .init = setup, .fini = teardown);

static void end_cell(const char *name, enum cell_state state, const char *reason)
{
	struct cell_status s = {.state = state,
				.seconds = 1.25,
				.broken_tries = 2,
				.redated = true,
				.undated = true};
	char path[PATH_LEN];
	struct diag d = {0};

	snprintf(s.reason, sizeof(s.reason), "%s", reason);
	cr_assert(zero(int, path_format(path, &d, "%s/cells/%s", run, name)));
	cr_assert(zero(int, dir_make(path, &d)), "%s", d.reason);
	cr_assert(zero(int, status_write(run, name, &s, &d)), "%s", d.reason);
}

static void add_cell(struct plan *p, const char *name)
{
	p->v = realloc(p->v, (p->cnt + 1) * sizeof(*p->v));
	memset(&p->v[p->cnt], 0, sizeof(*p->v));
	strcpy(p->v[p->cnt++].name, name);
}

Test(harness_status, comes_back_as_it_was_written)
{
	struct cell_status s;

	end_cell("a", CELL_TIMEOUT, "it said \"no\"\nand \\ hung");
	cr_assert(zero(int, status_read(run, "a", &s, NULL)));
	cr_expect(eq(int, s.state, CELL_TIMEOUT));
	cr_expect(eq(str, s.reason, "it said \"no\"\nand \\ hung"));
	cr_expect(ieee_ulp_eq(dbl, s.seconds, 1.25, 1));
	cr_expect(eq(uint, s.broken_tries, 2));
	cr_expect(eq(int, s.redated, 1));
	cr_expect(eq(int, s.undated, 1));
}

/* What was declared before the run, which is nothing as well as not known. */
Test(harness_status, keeps_what_was_declared)
{
	static const uint32_t declared[] = {0, 1, DECLARES_DIAGNOSIS | 1u << 3};
	struct cell_status s;
	struct diag d = {0};

	end_cell("a", CELL_OK, "");
	cr_assert(zero(int, status_read(run, "a", &s, NULL)));
	cr_expect(eq(int, s.has_declares, 0));
	for (size_t i = 0; i < sizeof(declared) / sizeof(declared[0]); i++) {
		s = (struct cell_status){.has_declares = true, .declares = declared[i]};
		cr_assert(zero(int, status_write(run, "a", &s, &d)), "%s", d.reason);
		s = (struct cell_status){0};
		cr_assert(zero(int, status_read(run, "a", &s, NULL)));
		cr_expect(eq(int, s.has_declares, 1));
		cr_expect(eq(u32, s.declares, declared[i]));
	}
}

Test(harness_status, has_not_ended_without_the_file)
{
	struct cell_status s;

	cr_expect(eq(int, status_read(run, "a", &s, NULL), -ENOENT));
}

Test(harness_status, refuses_a_damaged_file)
{
	struct cell_status s;
	char path[PATH_LEN];
	struct diag d = {0};

	end_cell("a", CELL_OK, "");
	path_format(path, NULL, "%s/cells/a/status.json", run);
	cr_assert(zero(int, truncate(path, 20)));
	cr_expect(eq(int, status_read(run, "a", &s, &d), -EINVAL));
	cr_expect(eq(str, d.file, path));
	cr_assert(zero(int, file_write(path, "{\"state\":\"fine\"}", 16, NULL)));
	cr_expect(eq(int, status_read(run, "a", &s, &d), -EINVAL));
}

Test(harness_status, adds_up_to_the_plan_in_every_state)
{
	struct plan p = {0};
	struct tally t;
	size_t sum = 0;

	for (unsigned i = 0; i < 2 * CELL_STATE_CNT + 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%u", i);
		add_cell(&p, name);
		if (i < 2 * CELL_STATE_CNT)
			end_cell(name, i % CELL_STATE_CNT, "because");
	}
	cr_assert(zero(int, tally_run(run, &p, &t, NULL)));
	for (unsigned s = 0; s < CELL_STATE_CNT; s++) {
		cr_expect(eq(sz, t.counts[s], 2));
		sum += t.counts[s];
	}
	cr_expect(eq(sz, t.open, 3));
	cr_expect(eq(sz, t.planned, sum + t.open));
	plan_free(&p);
}

struct code {
	size_t counts[CELL_STATE_CNT], open;
	int code;
};

ParameterizedTestParameters(harness_status, means_an_exit_code)
{
	/* ok, unsupported, invalid, broken, timeout, crashed */
	static struct code rows[] = {
		{{5, 0, 0, 0, 0, 0}, 0, 0}, {{5, 2, 0, 0, 0, 0}, 0, 0}, {{0, 2, 0, 0, 0, 0}, 0, 77},
		{{0, 0, 0, 0, 0, 0}, 0, 4}, {{5, 0, 1, 0, 0, 0}, 0, 1}, {{5, 0, 0, 0, 1, 0}, 0, 1},
		{{5, 0, 0, 0, 0, 1}, 0, 1}, {{5, 0, 1, 1, 0, 0}, 0, 4}, {{5, 0, 0, 1, 0, 0}, 2, 3},
	};

	return cr_make_param_array(struct code, rows, sizeof(rows) / sizeof(rows[0]));
}

ParameterizedTest(struct code *c, harness_status, means_an_exit_code)
{
	struct tally t = {.open = c->open};

	memcpy(t.counts, c->counts, sizeof(t.counts));
	cr_expect(eq(int, tally_exit_code(&t), c->code));
}

Test(harness_folder, says_that_a_disk_is_full_before_it_is)
{
	struct diag d = {0};

	cr_expect(zero(int, space_check("/tmp", 1, &d)));
	cr_expect(eq(int, space_check("/tmp", UINT64_MAX, &d), -ENOSPC));
	cr_expect(ne(ptr, strstr(d.reason, "full"), NULL));
	cr_expect(ne(chr, d.cure[0], '\0'));
}

Test(harness_folder, points_latest_at_the_newest_run, .init = setup, .fini = teardown)
{
	char first[PATH_LEN], second[PATH_LEN], latest[PATH_LEN], target[PATH_LEN] = "";
	struct diag d = {0};

	cr_assert(zero(int, run_folder_new(run, "smoke", first, &d)), "%s", d.reason);
	cr_assert(zero(int, run_folder_new(run, "smoke", second, &d)), "%s", d.reason);
	cr_expect(ne(str, first, second));
	cr_assert(zero(int, run_folder_latest(first, &d)));
	cr_assert(zero(int, run_folder_latest(second, &d)));
	path_format(latest, NULL, "%s/latest", run);
	cr_assert(gt(long, readlink(latest, target, sizeof(target) - 1), 0));
	cr_expect(eq(str, target, second + strlen(run) + 1));
}

Test(harness_folder, prunes_what_dead_harnesses_left, .init = setup, .fini = teardown)
{
	char mine[PATH_LEN], dead[PATH_LEN], *last;
	struct diag d = {0};

	cr_assert(zero(int, work_folder_new(run, mine, &d)), "%s", d.reason);
	/* The same name with a pid beyond PID_MAX_LIMIT: nobody has it. */
	strcpy(dead, mine);
	last = strrchr(dead, '-');
	*last = '\0';
	strcpy(strrchr(dead, '-'), "-9999999-1");
	cr_assert(zero(int, dir_make(dead, &d)));
	work_folder_prune(run);
	cr_expect(zero(int, access(mine, F_OK)));
	cr_expect(ne(int, access(dead, F_OK), 0));
}

Test(harness_status, names_the_log_by_its_path_where_the_cure_is_to_read_it)
{
	struct cell_status s = {.state = CELL_CRASHED};
	char cure[PATH_LEN];

	strcpy(s.cure, "the cell's log says more");
	cr_expect(eq(str, (char *)status_cure("runs/r", "wake.base", &s, cure),
		     "less runs/r/cells/wake.base/log"));
	strcpy(s.cure, "write one byte");
	cr_expect(eq(str, (char *)status_cure("runs/r", "wake.base", &s, cure), "write one byte"));
}
