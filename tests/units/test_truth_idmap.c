/* SPDX-License-Identifier: BSD-2-Clause */
/* The two small containers under truth: ids to numbers, and texts that are counted. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/idmap.h"
#include "groundtruth/lineset.h"
#include "groundtruth/repeats.h"

Test(truth_idmap, keeps_every_id_while_it_grows)
{
	struct idmap m = {0};
	uint32_t n;

	cr_assert(!idmap_get(&m, 0, &n), "an empty map holds nothing, not even 0");
	for (uint64_t i = 0; i < 100000; i++)
		cr_assert(idmap_put(&m, i << 40, (uint32_t)i, &n) == 0 && n == i);
	for (uint64_t i = 0; i < 100000; i++) {
		cr_assert(idmap_get(&m, i << 40, &n) && n == i);
		cr_assert(!idmap_get(&m, (i << 40) + 1, &n));
	}
	cr_assert(m.cnt == 100000);
	idmap_free(&m);
}

Test(truth_idmap, gives_the_first_number_when_an_id_is_put_again)
{
	struct idmap m = {0};
	uint32_t n;

	cr_assert(idmap_put(&m, UINT64_MAX, 5, &n) == 0 && n == 5);
	cr_assert(idmap_put(&m, UINT64_MAX, 6, &n) == 1 && n == 5);
	idmap_free(&m);
}

Test(truth_idmap, does_not_grow_where_room_was_reserved)
{
	struct idmap m = {0};
	uint32_t n;
	size_t cap;

	cr_assert(idmap_reserve(&m, 1000) == 0);
	cap = m.cap;
	for (uint64_t i = 0; i < 1000; i++)
		idmap_put(&m, i, 0, &n);
	cr_assert(m.cap == cap);
	idmap_free(&m);
}

static void join(const char *text, size_t cnt, void *arg)
{
	char one[64];

	snprintf(one, sizeof(one), "%zu%s ", cnt, text);
	strcat(arg, one);
}

Test(truth_lineset, sorts_and_counts_and_can_be_filled_again)
{
	struct lineset s = {0};
	char seen[256] = "";

	lineset_each(&s, join, seen);
	cr_assert(!strcmp(seen, ""));
	for (int round = 0; round < 2; round++) {
		lineset_clear(&s);
		seen[0] = 0;
		for (int i = 50; i > 0; i--) {
			lineset_add(&s, "%c", 'a' + i % 3);
			lineset_add(&s, "%s", i % 3 ? "!" : "");
			lineset_next(&s);
		}
		lineset_each(&s, join, seen);
		cr_assert(!strcmp(seen, "16a 17b! 17c! "), "%s", seen);
	}
	cr_assert(s.err == 0);
	lineset_free(&s);
}

/* So many that buckets are cut into buckets. */
Test(truth_repeats, finds_each_id_that_stands_more_than_once)
{
	enum { CNT = 5000000 };
	uint64_t *ids = malloc(CNT * sizeof(*ids));
	struct idmap m = {0};
	uint32_t n;

	for (uint64_t i = 0; i < CNT; i++)
		ids[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	ids[CNT - 1] = ids[0];
	ids[7] = ids[150000];
	ids[8] = ids[150000];
	cr_assert(repeats_find(ids, CNT, &m) == 0);
	cr_expect(m.cnt == 2);
	cr_expect(idmap_get(&m, 0, &n));
	cr_expect(idmap_get(&m, 150000 * UINT64_C(0x9e3779b97f4a7c15), &n));
	idmap_free(&m);
	free(ids);
}

Test(truth_repeats, finds_none_where_each_stands_once)
{
	struct idmap m = {0};
	uint64_t ids[] = {0, UINT64_MAX, 1};

	cr_assert(repeats_find(ids, 3, &m) == 0 && m.cnt == 0);
	cr_assert(repeats_find(ids, 0, &m) == 0 && m.cnt == 0);
}
