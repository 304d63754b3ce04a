/* SPDX-License-Identifier: BSD-2-Clause */
/* What is learned from a list of queued work items, and what is not believed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "harness/calibration.h"

enum { FLUSH = 0x1000, OTHER = 0x2000, MOST = 1024 };

struct list {
	struct calibration_hit v[MOST];
	size_t cnt;
};

static void add(struct list *l, uint64_t work, uint64_t function, unsigned times)
{
	while (times--)
		l->v[l->cnt++] = (struct calibration_hit){work, function};
}

static int learn(const struct list *l, uint64_t *ret, size_t *cnt)
{
	struct diag d = {0};

	return calibration_runs(l->v, l->cnt, ret, cnt, &d);
}

Test(harness_calibration, learns_one_address_a_run)
{
	static struct list l;
	uint64_t v[CALIBRATION_MOST];
	size_t cnt = 0;

	add(&l, 0xa0, FLUSH, CALIBRATION_SHOWN);
	add(&l, 0xb0, FLUSH, CALIBRATION_SHOWN);
	cr_assert(zero(int, learn(&l, v, &cnt)));
	cr_assert(eq(sz, cnt, 2));
	cr_expect(eq(u64, v[0], 0xa0));
	cr_expect(eq(u64, v[1], 0xb0));
}

Test(harness_calibration, skips_work_of_another_function)
{
	static struct list l;
	uint64_t v[CALIBRATION_MOST];
	size_t cnt = 0;

	add(&l, 0xc0, OTHER, 1);
	add(&l, 0xa0, FLUSH, 11);
	add(&l, 0xc0, OTHER, 3);
	add(&l, 0xa0, FLUSH, CALIBRATION_SHOWN - 11);
	cr_assert(zero(int, learn(&l, v, &cnt)));
	cr_assert(eq(sz, cnt, 1));
	cr_expect(eq(u64, v[0], 0xa0));
}

Test(harness_calibration, learns_nothing_from_what_is_not_exact)
{
	static struct list none, more, less, again, mixed;
	struct list *lists[] = {&none, &more, &less, &again, &mixed};
	uint64_t v[CALIBRATION_MOST] = {7};
	size_t cnt = 99;

	add(&more, 0xa0, FLUSH, CALIBRATION_SHOWN + 1);
	add(&less, 0xa0, FLUSH, CALIBRATION_SHOWN - 1);
	add(&less, 0xb0, FLUSH, CALIBRATION_SHOWN);
	add(&again, 0xa0, FLUSH, CALIBRATION_SHOWN);
	add(&again, 0xb0, FLUSH, CALIBRATION_SHOWN);
	add(&again, 0xa0, FLUSH, CALIBRATION_SHOWN);
	add(&mixed, 0xa0, FLUSH, 10);
	add(&mixed, 0xb0, FLUSH, CALIBRATION_SHOWN);
	add(&mixed, 0xa0, FLUSH, CALIBRATION_SHOWN - 10);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		cr_expect(eq(int, learn(lists[i], v, &cnt), -EINVAL), "list %u", i);
	cr_expect(eq(sz, cnt, 99));
	cr_expect(eq(u64, v[0], 7));
}
