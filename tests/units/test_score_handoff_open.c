/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of keys in flight against one that forgets nothing. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "scoring/handoff.h"
#include "scoring/handoff_open.h"

enum { TYPES = 2, VALUES = 3000, PUTS = 40000 };

/* What is known of a key: how far its last cluster reaches, its first member, its number. */
struct known {
	uint64_t end;
	uint32_t first, cluster;
	bool used;
};

struct plain {
	struct known key[TYPES][VALUES];
	uint32_t cluster[2 * PUTS], member[2 * PUTS];
	uint32_t clusters;
	size_t cnt;
};

static void note(struct plain *p, uint32_t cluster, uint32_t member)
{
	p->cluster[p->cnt] = cluster;
	p->member[p->cnt++] = member;
}

static void put_plainly(struct plain *p, uint8_t type, uint64_t v, const struct window *life,
			uint32_t h)
{
	struct known *k = &p->key[type][v];

	if (!k->used || k->end < life->t0) {
		*k = (struct known){
			.end = life->t1, .first = h, .cluster = UINT32_MAX, .used = true};
		return;
	}
	if (k->cluster == UINT32_MAX) {
		k->cluster = p->clusters++;
		note(p, k->cluster, k->first);
	}
	note(p, k->cluster, h);
	k->end = life->t1 > k->end ? life->t1 : k->end;
}

/* Lives up to `longest` long, a new one every tick or two, of `values` keys of each type. */
static void compare(unsigned seed, unsigned values, unsigned longest, uint32_t most_buckets)
{
	static struct plain p;
	struct opens o = {};
	uint64_t t = 0;

	memset(&p, 0, sizeof(p));
	cr_assert_eq(opens_begin(&o), 0);
	for (uint32_t h = 0; h < PUTS; h++) {
		uint8_t type = (uint8_t)(rand_r(&seed) % TYPES);
		uint64_t v = (unsigned)rand_r(&seed) % values;
		struct window life = {t, t + (unsigned)rand_r(&seed) % longest};

		put_plainly(&p, type, v, &life, h);
		cr_assert_eq(opens_put(&o, type, v, key_tag(type, v), &life, h), 0);
		t += (unsigned)rand_r(&seed) % 3;
	}
	cr_assert_eq(o.cluster.cnt, p.cnt);
	cr_assert_eq(o.member.cnt, p.cnt);
	cr_assert_eq(o.clusters, p.clusters);
	for (size_t i = 0; i < p.cnt; i++) {
		cr_assert_eq(o.cluster.v[i], p.cluster[i], "place %zu", i);
		cr_assert_eq(o.member.v[i], p.member[i], "place %zu", i);
	}
	cr_assert_leq(o.mask + 1, most_buckets);
	opens_free(&o);
}

Test(score_handoff_open, clusters_as_one_that_forgets_nothing)
{
	compare(1, VALUES, 4, 128);
	compare(2, VALUES, 300, 512);
	compare(3, VALUES, 4000, 4096);
	compare(4, 40, 60, 128);
}

enum { KEYS = 600 };

static void put_keys(struct opens *o, uint64_t first, uint64_t from, uint64_t to)
{
	for (uint64_t v = first; v < first + KEYS; v++)
		cr_assert_eq(
			opens_put(o, 1, v, key_tag(1, v), &(struct window){from, to}, (uint32_t)v),
			0);
}

/* A life that ends where others begin is kept among them: it still meets one of its key. */
Test(score_handoff_open, keeps_what_ends_at_the_moment)
{
	struct opens o = {};

	cr_assert_eq(opens_begin(&o), 0);
	put_keys(&o, 0, 0, 10);
	put_keys(&o, KEYS, 10, 20);
	put_keys(&o, 0, 10, 20);
	cr_expect_eq(o.clusters, (uint32_t)KEYS);
	opens_free(&o);
}

/* Nothing of the stretch before is left in any bucket. */
Test(score_handoff_open, begins_empty)
{
	struct opens o = {};

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(opens_begin(&o), 0);
		put_keys(&o, 0, 0, 10);
		cr_expect_eq(o.clusters, 0u);
	}
	opens_free(&o);
}
