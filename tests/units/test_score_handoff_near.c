/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ends may copies bring into a decoy: never a wrong no, and nearly always a right one. */
#include <criterion/criterion.h>

#include "scoring/handoff_near.h"

enum { DECOYS = 400, APART = 5000000 };

static struct truth_decoy decoys[DECOYS];
static const uint32_t threads[] = {11, 12, 13};

static struct probe probe(uint8_t ns, uint64_t v)
{
	return (struct probe){.type = HANDOFF_IO, .ns = ns, .comparable = ns != 0, .v = v};
}

/* Of a claim with one end, on either side. */
static bool may(const struct near_decoys *n, const struct probe *p, uint32_t tid, uint64_t t)
{
	struct claim src = {.kind = CLAIM_HANDOFF, .type = HANDOFF_IO, .has = HAS_SRC}, dst = src;
	bool by_src, by_dst;

	src.handoff.src_tid = dst.handoff.dst_tid = tid;
	src.handoff.src_t = dst.handoff.dst_t = t;
	by_src = near_may(n, p, &src);
	by_dst = near_may(n, p, &dst);
	cr_assert(by_src == by_dst);
	return by_src;
}

/* Two seconds; one in eight has no key. */
static struct truth world(void)
{
	for (uint64_t i = 0; i < DECOYS; i++)
		decoys[i] = (struct truth_decoy){
			.type = HANDOFF_IO,
			.tid = threads[i % 3],
			.t = {APART * (i + 4), APART * (i + 4) + 3000},
			.key = {.ns = i % 8 ? KEY_USER_DATA : KEY_NONE, .v = i % 8 ? i : 0}};
	return (struct truth){.threads = threads,
			      .threads_cnt = 3,
			      .keys = 1u << KEY_USER_DATA,
			      .scored = {0, (uint64_t)APART * (DECOYS + 8)},
			      .decoys = decoys,
			      .decoys_cnt = DECOYS};
}

Test(score_handoff_near, never_rules_out_what_a_copy_can_reach)
{
	struct truth t = world();
	struct near_decoys n;
	struct ground g;
	struct mem m;
	size_t passed = 0;

	mem_init(&m, 0);
	cr_assert(ground_init(&g, &t, &m) == 0 && near_init(&n, &g) == 0);
	for (uint64_t i = 0; i < DECOYS; i++) {
		struct probe own = probe(KEY_USER_DATA, i), none = probe(KEY_NONE, 0);
		uint32_t tid = threads[i % 3];

		for (uint64_t by = SHIFT_LEAST; by <= SHIFT_LEAST + SHIFT_SPAN; by += 250000) {
			cr_assert(may(&n, &own, tid, decoys[i].t.t0 - by));
			cr_assert(may(&n, &none, tid, decoys[i].t.t1 - by));
		}
		/* nobody's, but of a decoy without a key */
		own = probe(KEY_USER_DATA, i + 100000);
		passed += may(&n, &own, tid, decoys[i].t.t0 - SHIFT_LEAST);
	}
	cr_assert(passed < DECOYS / 2 + DECOYS / 4, "%zu", passed);
	near_free(&n);
	ground_free(&g);
	mem_free(&m);
}

Test(score_handoff_near, rules_out_the_keys_of_others)
{
	struct truth t = world();
	struct near_decoys n;
	struct ground g;
	struct mem m;
	size_t passed = 0;

	for (uint64_t i = 0; i < DECOYS; i += 8) /* all have keys */
		decoys[i].key = (struct truth_key){.ns = KEY_USER_DATA, .v = i};
	mem_init(&m, 0);
	cr_assert(ground_init(&g, &t, &m) == 0 && near_init(&n, &g) == 0);
	for (uint64_t i = 0; i < DECOYS; i++) {
		struct probe other = probe(KEY_USER_DATA, i + 100000);

		cr_assert(may(&n, &(struct probe){.type = HANDOFF_IO}, threads[i % 3],
			      decoys[i].t.t0 - SHIFT_LEAST));
		passed += may(&n, &other, threads[i % 3], decoys[i].t.t0 - SHIFT_LEAST);
	}
	cr_assert(passed < DECOYS / 8, "%zu", passed);
	near_free(&n);
	ground_free(&g);
	mem_free(&m);
}
