/* SPDX-License-Identifier: BSD-2-Clause */
/* Effects and the matching behind them (contracts §5.3), every clause by hand. */
#include <criterion/criterion.h>

#include "scoring/attribution.h"
#include "scoring/matching.h"
#include "tests/units/score_world.h"

static struct attribution_score attribution(struct world *w)
{
	struct sealed x = seal(w);
	struct attribution_score s;

	cr_assert_eq(score_attribution(&x.t, &x.c, &s), 0);
	unseal(&x);
	return s;
}

static struct claim *blamed(struct world *w, uint32_t cause_tid, uint64_t cause_t, uint64_t t)
{
	return add_claim(w, (struct claim){.kind = CLAIM_EFFECT,
					   .type = EFFECT_BLOCK_IO,
					   .has = HAS_SRC,
					   .effect = {.cause_t = cause_t,
						      .cause_tid = cause_tid,
						      .tid = 102,
						      .t = t}});
}

static struct effect_score effects(struct world *w)
{
	struct attribution_score s = attribution(w);
	struct effect_score x = s.effect;

	attribution_score_free(&s);
	return x;
}

/* Handoff 0xa1 from (101, [200,230]) causes block I/O on 102 in [400,900]. */
static struct world *effect_world(void)
{
	struct world *w = world_new();

	add_handoff(w,
		    (struct truth_handoff){
			    .id = 0xa1, .src_tid = 101, .src_t = {200, 230}, .dst_t = {300, 350}});
	add_effect(w, (struct truth_effect){.cause = 0xa1, .tid = 102, .t = {400, 900}});
	return w;
}

Test(score_effect, matches_cause_and_effect_to_the_nanosecond)
{
	static const struct {
		uint32_t tid;
		uint64_t cause_t, t;
		uint64_t matched;
	} rows[] = {
		{101, 200, 400, 1}, {101, 230, 900, 1}, {101, 199, 450, 0}, {101, 231, 450, 0},
		{101, 215, 399, 0}, {101, 215, 901, 0}, {103, 215, 450, 0},
	};

	for (size_t i = 0; i < 7; i++) {
		struct world *w = effect_world();

		blamed(w, rows[i].tid, rows[i].cause_t, rows[i].t);
		cr_assert_eq(effects(w).truth, 1);
		cr_assert_eq(effects(w).claims, 1);
		cr_assert_eq(effects(w).matched, rows[i].matched, "row %zu", i);
		world_free(w);
	}
}

Test(score_effect, asks_for_equal_kind_and_thread)
{
	struct world *w = effect_world();

	blamed(w, 101, 215, 450)->type = EFFECT_PAGE_FAULT;
	blamed(w, 101, 215, 450)->effect.tid = 103;
	cr_assert_eq(effects(w).matched, 0);
	world_free(w);
}

Test(score_effect, takes_any_scored_event_of_a_life_for_its_cause)
{
	struct world *w = effect_world();

	w->effects[0].cause = 0xb1;
	cr_assert_eq(effects(w).truth, 1, "a cause that nobody knows is counted");
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 101, .t = {100, 300}});
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 101, .t = {150, 160}});
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 103, .t = {150, 160}});
	add_event(w, (struct truth_event){.life = 0xb2, .tid = 104, .t = {150, 160}});
	blamed(w, 101, 100, 450);
	cr_assert_eq(effects(w).matched, 1);
	w->claims[0].effect.cause_t = 300; /* in the long window though the short one began later */
	cr_assert_eq(effects(w).matched, 1);
	w->claims[0].effect.cause_t = 301;
	cr_assert_eq(effects(w).matched, 0);
	w->claims[0].effect.cause_tid = 103;
	w->claims[0].effect.cause_t = 160;
	cr_assert_eq(effects(w).matched, 1);
	w->claims[0].effect.cause_t = 161;
	cr_assert_eq(effects(w).matched, 0);
	w->claims[0].effect.cause_tid = 104; /* another life's */
	w->claims[0].effect.cause_t = 155;
	cr_assert_eq(effects(w).matched, 0);
	world_free(w);
}

Test(score_effect, keeps_the_windows_of_lives_apart)
{
	struct world *w = effect_world();

	w->effects[0].cause = 0xb2;
	add_effect(w, (struct truth_effect){.cause = 0xb1, .tid = 103, .t = {400, 900}});
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 104, .t = {100, 500}});
	add_event(w, (struct truth_event){.life = 0xb2, .tid = 104, .t = {150, 160}});
	blamed(w, 104, 300, 450);
	cr_assert_eq(effects(w).matched, 0);
	w->claims[0].effect.cause_t = 155;
	cr_assert_eq(effects(w).matched, 1);
	world_free(w);
}

Test(score_effect, pairs_one_to_one_and_counts_several_causes_apart)
{
	struct world *w = effect_world();

	add_handoff(w,
		    (struct truth_handoff){
			    .id = 0xa2, .src_tid = 103, .src_t = {210, 240}, .dst_t = {300, 350}});
	add_effect(w, (struct truth_effect){.cause = 0xa2, .tid = 102, .t = {400, 900}});
	blamed(w, 101, 215, 450);
	blamed(w, 101, 216, 450); /* says it again */
	cr_assert_eq(effects(w).truth, 2);
	cr_assert_eq(effects(w).matched, 1);
	blamed(w, 103, 215, 450);
	cr_assert_eq(effects(w).matched, 2);
	cr_assert_eq(effects(w).claims, 3);
	world_free(w);
}

/* Claim 1 may take either effect, claim 2 only the first: a greedy choice would fail. */
Test(score_effect, finds_the_maximum)
{
	struct world *w = effect_world();

	add_effect(w, (struct truth_effect){.cause = 0xa1, .tid = 102, .t = {440, 460}});
	blamed(w, 101, 215, 450);
	blamed(w, 101, 215, 800);
	cr_assert_eq(effects(w).matched, 2);
	world_free(w);
}

/* More edges than are first made room for: 12 claims, each of which may take any of 12 effects. */
Test(score_effect, finds_room_for_many_edges)
{
	struct world *w = effect_world();

	for (unsigned i = 1; i < 12; i++)
		add_effect(w,
			   (struct truth_effect){.cause = 0xa1, .tid = 102, .t = {400, 900 + i}});
	for (unsigned i = 0; i < 12; i++)
		blamed(w, 101, 215, 500 + i);
	cr_assert_eq(effects(w).matched, 12);
	world_free(w);
}

Test(score_effect, keeps_to_what_is_scored)
{
	struct world *w = effect_world();

	blamed(w, 101, 215, 450);
	w->t.scored = (struct window){0, 899};
	cr_assert_eq(effects(w).truth, 0);
	cr_assert_eq(effects(w).claims, 1);
	w->t.scored = (struct window){201, 10000}; /* the near end is not scored */
	cr_assert_eq(effects(w).truth, 0);
	w->t.scored = (struct window){216, 10000};
	cr_assert_eq(effects(w).claims, 0);
	w->t.scored = (struct window){0, 449};
	cr_assert_eq(effects(w).claims, 0);
	w->t.scored = (struct window){0, 10000};
	world_free(w);
}

Test(score_effect, counts_what_has_a_cause_without_a_context)
{
	struct world *w = effect_world();

	blamed(w, 101, 215, 450);
	w->handoffs[0].has = TH_DST; /* a lost src */
	cr_assert_eq(effects(w).truth, 1);
	cr_assert_eq(effects(w).matched, 0);
	w->handoffs[0].id = 0xa2; /* truth knows no 0xa1 */
	cr_assert_eq(effects(w).truth, 1);
	cr_assert_eq(effects(w).matched, 0);
	world_free(w);
}

Test(score_effect, counts_no_life_that_lies_outside_of_scored)
{
	struct world *w = effect_world();

	w->effects[0].cause = 0xb1;
	w->t.scored = (struct window){150, 10000};
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 101, .t = {100, 300}});
	cr_assert_eq(effects(w).truth, 0);
	add_event(w, (struct truth_event){.life = 0xb2, .tid = 101, .t = {200, 300}});
	cr_assert_eq(effects(w).truth, 0, "an event of another life is none of it");
	add_event(w, (struct truth_event){.life = 0xb1, .tid = 101, .t = {150, 160}});
	cr_assert_eq(effects(w).truth, 1, "an event of it is scored");
	world_free(w);
}

static bool grow(const struct bipartite *g, size_t u, bool *seen, size_t *taker)
{
	for (size_t e = g->first[u]; e < g->first[u + 1]; e++) {
		uint32_t v = g->to[e];

		if (seen[v])
			continue;
		seen[v] = true;
		if (taker[v] == SIZE_MAX || grow(g, taker[v], seen, taker)) {
			taker[v] = u;
			return true;
		}
	}
	return false;
}

/* Kuhn's augmenting paths: slow, and too simple to be wrong. */
static int64_t kuhn(const struct bipartite *g)
{
	size_t taker[32];
	int64_t size = 0;

	for (size_t v = 0; v < 32; v++)
		taker[v] = SIZE_MAX;
	for (size_t u = 0; u < g->left_cnt; u++) {
		bool seen[32] = {false};

		size += grow(g, u, seen, taker);
	}
	return size;
}

/* May the claim mean the effect? By the text of contracts §5.3, record by record. */
static bool means(const struct world *w, const struct claim *c, const struct truth_effect *e)
{
	for (size_t i = 0; i < w->t.handoffs_cnt; i++) {
		const struct truth_handoff *h = &w->handoffs[i];

		if (h->id == e->cause && h->src_tid == c->effect.cause_tid &&
		    h->src_t.t0 <= c->effect.cause_t && c->effect.cause_t <= h->src_t.t1)
			return e->kind == c->type && e->tid == c->effect.tid &&
			       e->t.t0 <= c->effect.t && c->effect.t <= e->t.t1;
	}
	return false;
}

static uint64_t kuhn_effects(const struct world *w)
{
	size_t first[WORLD_MAX / 64] = {0}, to_cnt = 0;
	uint32_t to[WORLD_MAX];
	struct bipartite g = {
		.left_cnt = w->c.cnt, .right_cnt = w->t.effects_cnt, .first = first, .to = to};

	for (size_t i = 0; i < w->c.cnt; i++) {
		for (uint32_t e = 0; e < w->t.effects_cnt; e++)
			if (means(w, &w->claims[i], &w->effects[e]))
				to[to_cnt++] = e;
		first[i + 1] = to_cnt;
	}
	return (uint64_t)kuhn(&g);
}

/* Two kinds on two threads, from three handoffs, in any order. */
Test(score_effect, keeps_kinds_and_threads_apart_in_any_order)
{
	unsigned seed = 5;
	uint64_t matched = 0;

	for (int run = 0; run < 200; run++) {
		struct world *w = world_new();
		struct effect_score x;

		for (unsigned i = 0; i < 3; i++)
			add_handoff(w, (struct truth_handoff){.id = 0xa1 + i,
							      .src_tid = 101,
							      .src_t = {10 * i, 10 * i + 15},
							      .dst_t = {300, 350}});
		for (unsigned i = 0; i < 25; i++) {
			uint64_t t = 400 + (unsigned)rand_r(&seed) % 40;

			add_effect(w, (struct truth_effect){
					      .cause = 0xa1 + (unsigned)rand_r(&seed) % 3,
					      .kind = (uint8_t)(rand_r(&seed) % 2),
					      .tid = 102 + (unsigned)rand_r(&seed) % 2,
					      .t = {t, t + (unsigned)rand_r(&seed) % 20}});
			blamed(w, 101, (unsigned)rand_r(&seed) % 40,
			       400 + (unsigned)rand_r(&seed) % 60);
			w->claims[i].type = (uint8_t)(rand_r(&seed) % 2);
			w->claims[i].effect.tid = 102 + (unsigned)rand_r(&seed) % 2;
		}
		x = effects(w);
		cr_assert_eq(x.matched, kuhn_effects(w), "run %d", run);
		matched += x.matched;
		world_free(w);
	}
	cr_assert_gt(matched, 1000);
}

Test(matching, agrees_with_augmenting_paths_on_random_graphs)
{
	unsigned seed = 7;

	for (int run = 0; run < 3000; run++) {
		size_t first[26] = {0}, cnt = 0;
		uint32_t to[25 * 25];
		size_t left = 1 + (size_t)rand_r(&seed) % 25,
		       right = 1 + (size_t)rand_r(&seed) % 25;
		int density = 1 + rand_r(&seed) % 12;

		for (size_t u = 0; u < left; u++) {
			for (size_t v = 0; v < right; v++)
				if (rand_r(&seed) % density == 0)
					to[cnt++] = (uint32_t)v;
			first[u + 1] = cnt;
		}
		struct bipartite g = {
			.left_cnt = left, .right_cnt = right, .first = first, .to = to};

		cr_assert_eq(matching_size(&g), kuhn(&g), "run %d", run);
	}
}

Test(matching, is_empty_for_an_empty_graph)
{
	size_t first[1] = {0};
	struct bipartite g = {.first = first};

	cr_assert_eq(matching_size(&g), 0);
}
