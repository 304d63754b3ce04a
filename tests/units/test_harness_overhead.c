/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of an overhead cell: written, read again, and refused where they are none. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/overhead_file.h"
#include "harness/overhead_print.h"
#include "lib/files.h"

static char path[64];

static void begin(void)
{
	strcpy(path, "/tmp/assay-overhead-XXXXXX");
	close(mkstemp(path));
}

static void end(void)
{
	unlink(path);
}

TestSuite(harness_overhead, .init = begin, .fini = end);

struct found {
	const char *metric, *scope;
	struct overhead_figure f;
	unsigned cnt;
};

static int find(const struct overhead_figure *f, void *arg)
{
	struct found *x = arg;

	if (strcmp(f->metric, x->metric) || strcmp(f->scope, x->scope))
		return 0;
	x->f = *f;
	x->cnt++;
	return 0;
}

static struct overhead_run runs[] = {
	{.pair = 0, .ops = 100, .user = 1e-3},
	{.pair = 1, .ops = 100, .user = 1e-3},
	{.arm = ARM_WATCHED, .pair = 0, .ops = 100, .user = 1.1e-3, .watch = 1e-4},
	{.arm = ARM_WATCHED, .pair = 1, .ops = 100, .user = 1.3e-3, .watch = 1e-4},
};

static void write_two_pairs(void)
{
	struct overhead o = {.runs = runs,
			     .cnt = 4,
			     .counted = true,
			     .counted_ops = 100,
			     .seen = OVERHEAD_SEEN_NOTHING};
	struct diag d;

	o.hits[CLASS_NOP] = (struct overhead_hits){1, 300, 6000, 7, 600};
	cr_assert_eq(overhead_file_write(&o, path, &d), 0, "%s", d.reason);
}

Test(harness_overhead, reads_what_it_wrote)
{
	struct found share = {"overhead.cpu_share", "all", {0}, 0};
	struct found lost = {"overhead.lost", "all", {0}, 0};
	struct diag d;

	write_two_pairs();
	cr_assert_eq(overhead_file_read(path, find, &share, &d), 0, "%s", d.reason);
	cr_expect_eq(share.cnt, 1);
	cr_expect(share.f.has && share.f.has_interval && share.f.n == 2);
	cr_expect(fabs(share.f.value - 0.3) < 1e-8, "%g", share.f.value);
	cr_expect(share.f.lo < 0.3 && share.f.hi > 0.3);
	cr_assert_eq(overhead_file_read(path, find, &lost, &d), 0);
	cr_expect(lost.cnt == 1 && !lost.f.has && !lost.f.n, "nobody looked");
}

static int seven(const struct overhead_figure *f, void *arg)
{
	(void)f;
	(void)arg;
	return 7;
}

Test(harness_overhead, stops_when_told)
{
	struct diag d;

	write_two_pairs();
	cr_expect_eq(overhead_file_read(path, seven, NULL, &d), 7);
}

Test(harness_overhead, refuses_what_is_no_figure)
{
	static const char *const bad[] = {
		"{\"metric\":\"a\",\"scope\":\"all\",\"value\":1}\n",
		"{\"metric\":\"a\",\"scope\":\"all\",\"value\":null,\"n\":3}\n",
		"{\"metric\":1,\"scope\":\"all\",\"value\":1,\"n\":3}\n",
		"{\"metric\":\"a\",\"value\":1,\"n\":3}\n",
		"{\"metric\":\"a\",\"scope\":\"all\",\"val",
		"nonsense\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct diag d = {0};

		cr_assert_eq(file_write(path, bad[i], strlen(bad[i]), &d), 0);
		cr_expect_eq(overhead_file_read(path, seven, NULL, &d), -EINVAL, "%s", bad[i]);
		cr_expect(d.line == 1 && d.cure[0] && strstr(d.file, path), "%s", bad[i]);
	}
}

Test(harness_overhead, prints_what_was_counted_and_what_could_have_been_seen)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct diag d;

	write_two_pairs();
	cr_assert_eq(overhead_print(path, out, &d), 0, "%s", d.reason);
	fclose(out);
	cr_expect(strstr(text, "CPU, of the unwatched                   30  ["), "%s", text);
	/* 3 hits an operation of 600 + 20 ns, and a profiler of 1 µs */
	cr_expect(
		strstr(text, "uprobe-nop              3     0.07        620        600       1.86"),
		"%s", text);
	cr_expect(strstr(text, "2.86, 28.6 % of the unwatched"), "%s", text);
	free(text);
}
