/* SPDX-License-Identifier: BSD-2-Clause */
/* The scorer of handoffs against a naive one, on random dense runs. */
#include <criterion/criterion.h>

#include "scoring/handoff.h"
#include "tests/naive/dense_run.h"
#include "tests/naive/long_run.h"
#include "tests/naive/naive_handoff.h"
#include "tests/naive/score_ways.h"

struct answer {
	struct handoff_score score;
	uint8_t outcome[LEVEL_CNT][NAIVE_MAX], spoken[LEVEL_CNT][NAIVE_MAX];
	uint32_t credited[LEVEL_CNT][NAIVE_MAX];
	struct handoff_verdicts v;
};

static void answer_init(struct answer *a)
{
	memset(a, 0, sizeof(*a));
	for (int l = 0; l < LEVEL_CNT; l++) {
		a->v.outcome[l] = a->outcome[l];
		a->v.credited[l] = a->credited[l];
		a->v.spoken[l] = a->spoken[l];
	}
}

/* Without verdicts it is the same, whatever way it is gone about. Now and then by several, and on
 * disk, for that takes long. */
static void compare_blind(const struct answer *fast, const struct truth *t, const struct claims *c,
			  uint64_t seed, const struct score_shape *shape)
{
	const struct score_options o = {.threads = seed % 8 ? 1 : 3,
					.memory = seed % 256 ? 0 : WAYS_NO_ROOM};

	score_blind(t, c, &o, shape, &fast->score);
}

static void compare(const struct answer *fast, const struct answer *slow, const struct truth *t,
		    const struct claims *c, uint64_t seed)
{
	for (int l = 0; l < LEVEL_CNT; l++) {
		for (size_t i = 0; i < c->cnt; i++)
			cr_assert(fast->outcome[l][i] == slow->outcome[l][i] &&
					  fast->credited[l][i] == slow->credited[l][i],
				  "seed %lu level %d claim %zu: outcome %u credits %u, naive %u %u",
				  seed, l, i, fast->outcome[l][i], fast->credited[l][i],
				  slow->outcome[l][i], slow->credited[l][i]);
		for (size_t h = 0; h < t->handoffs_cnt; h++)
			cr_assert_eq(fast->spoken[l][h], slow->spoken[l][h],
				     "seed %lu level %d handoff %zu: spoken %x, naive %x", seed, l,
				     h, fast->spoken[l][h], slow->spoken[l][h]);
	}
	cr_assert_eq(memcmp(&fast->score, &slow->score, sizeof(fast->score)), 0,
		     "seed %lu: counts differ", seed);
}

Test(score_handoff_naive, agrees_on_dense_random_runs)
{
	uint64_t met[OUT_OF_SCOPE + 1] = {0}, cheats = 0, ready = 0;
	static const uint32_t epochs[] = {1, HX_SCAN, 4, 8192};
	static const uint32_t stretches[] = {1, 2, 3, 5, UINT32_MAX};
	size_t runs = dense_runs(DENSE_RUNS);
	struct score_options options = {0};
	struct score_shape shape;

	for (uint64_t seed = 1; seed <= runs; seed++) {
		static struct dense d;
		static struct answer fast, slow;

		dense_run(&d, seed);
		answer_init(&fast);
		answer_init(&slow);
		options.threads = 1 + (unsigned)seed / 4 % 3;
		shape.epoch = epochs[seed % 4];
		shape.stretch = stretches[seed % 5];
		cr_assert_eq(score_handoffs_shaped(&d.truth, &d.claims, &options, &shape,
						   &fast.score, &fast.v),
			     0);
		naive_score(&d.truth, &d.claims, &slow.score, &slow.v);
		compare(&fast, &slow, &d.truth, &d.claims, seed);
		shape.epoch = epochs[seed / 4 % 4];
		shape.stretch = stretches[seed / 5 % 5];
		if (seed % 2)
			compare_blind(&fast, &d.truth, &d.claims, seed / 2, &shape);
		for (size_t i = 0; i < d.claims.cnt; i++)
			met[fast.outcome[LEVEL_IDENTITY][i]]++;
		cheats += fast.score.cheating;
		ready += fast.score.level[LEVEL_CONTEXT].all.by_ready;
	}
	for (int o = 0; o <= OUT_OF_SCOPE; o++)
		cr_assert_gt(met[o], runs / 100, "outcome %d hardly happens", o);
	cr_assert_gt(cheats, runs / 1000);
	cr_assert_gt(ready, runs / 100);
}

Test(score_handoff_naive, agrees_on_long_random_runs)
{
	static const uint32_t epochs[] = {1, HX_SCAN, 2, 8, 0};
	static const uint32_t stretches[] = {1, 2, 5, 16, 40, 100, 0};
	struct score_shape shape;
	uint64_t met[OUT_OF_SCOPE + 1] = {0};
	size_t runs = dense_runs(400);

	for (uint64_t seed = 1; seed <= runs; seed++) {
		static struct long_run d;
		static struct answer fast, slow;

		long_run(&d, seed, 1 + seed % LONG_MAX);
		answer_init(&slow);
		naive_score(&d.truth, &d.claims, &slow.score, &slow.v);
		for (unsigned i = 0; i < 5; i++) {
			struct score_options options = {.threads = 1 + (i + (unsigned)seed) % 4};

			answer_init(&fast);
			shape.epoch = epochs[i];
			shape.stretch = stretches[(i + seed) % 7];
			cr_assert_eq(score_handoffs_shaped(&d.truth, &d.claims, &options, &shape,
							   &fast.score, &fast.v),
				     0);
			compare(&fast, &slow, &d.truth, &d.claims, seed);
			if ((seed + i) % 2)
				compare_blind(&fast, &d.truth, &d.claims, seed * 5 + i, &shape);
		}
		for (size_t i = 0; i < d.claims.cnt; i++)
			met[slow.outcome[LEVEL_IDENTITY][i]]++;
	}
	for (int o = 0; o <= OUT_OF_SCOPE; o++)
		cr_assert_geq(met[o], 1 + runs / 20, "outcome %d hardly happens", o);
}
