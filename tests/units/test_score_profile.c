/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles (contracts §5.3), every clause by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "scoring/attribution.h"
#include "tests/units/score_world.h"

#define NEAR(x, y)                                                                                 \
	cr_assert_lt(fabsl((long double)(x) - (y)), 1e-12, "%.17g is not %.17g", (double)(x),      \
		     (double)(y))

/* Operation id on thread 101 + id, from 100·id to 100·id + 50. */
static void operate(struct world *w, uint64_t id)
{
	add_op(w,
	       (struct truth_op){.id = id,
				 .begin = {100 * id, 100 * id + 10},
				 .end = {100 * id + 45, 100 * id + 50},
				 .begin_tid = (uint32_t)(101 + id)},
	       id % 2 ? "get" : "put");
}

static struct attribution_score attribution(struct world *w)
{
	struct sealed x = seal(w);
	struct attribution_score s;

	cr_assert_eq(score_attribution(&x.t, &x.c, &s), 0);
	unseal(&x);
	return s;
}

static struct claim *profiled(struct world *w, unsigned by, const char *key, const char *kind,
			      uint64_t v)
{
	return add_claim(w, (struct claim){.kind = CLAIM_PROFILE,
					   .type = (uint8_t)by,
					   .profile = {.v = v,
						       .key_str = claimed(w, key),
						       .kind_str = claimed(w, kind)}});
}

static struct ratio distance(struct world *w, unsigned by, const char *kind)
{
	struct attribution_score s = attribution(w);
	struct ratio found = {.v = -1};

	for (size_t i = 0; i < s.profile_cnt; i++)
		if (s.profile[i].by == by && !strcmp(s.profile[i].kind, kind))
			found = s.profile[i].tv_distance;
	attribution_score_free(&s);
	return found;
}

/* What the last cost is of, in place of an operation. */
static void cost_of(struct world *w, enum truth_cost_of of, const char *name)
{
	struct truth_cost *x = &w->costs[w->t.costs_cnt - 1];

	x->op = 0;
	x->of = (uint8_t)of;
	x->name_str = name ? said(w, name) : 0;
}

/* Thread 101: 300, 102: 100; get: 300, put: 100. */
static struct world *profile_world(void)
{
	struct world *w = world_new();

	operate(w, 1);
	operate(w, 2);
	add_cost(w, 1, "cpu", 101, 200);
	add_cost(w, 1, "cpu", 102, 100);
	add_cost(w, 2, "cpu", 101, 100);
	return w;
}

Test(score_profile, is_0_for_the_same_distribution_at_any_scale)
{
	struct world *w = profile_world();
	struct claim *x;

	profiled(w, BY_THREAD, "101", "cpu", 3);
	x = profiled(w, BY_THREAD, "102", "cpu", 1);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	/* 2 seen at probability ½ weigh 4 */
	x->has |= HAS_IP;
	x->profile.ip = 0.5;
	x->profile.v = 2;
	NEAR(distance(w, BY_THREAD, "cpu").v, 0.5 * (3.0 / 4 - 3.0 / 7 + (4.0 / 7 - 1.0 / 4)));
	world_free(w);
}

Test(score_profile, is_half_the_summed_difference_over_keys_of_both_sides)
{
	struct world *w = profile_world();

	profiled(w, BY_THREAD, "101", "cpu", 1);
	profiled(w, BY_THREAD, "777", "cpu", 1);
	profiled(w, BY_THREAD, "0102", "cpu", 1);	 /* spelt as no tid is */
	profiled(w, BY_THREAD, "99999999999", "cpu", 1); /* no tid either */
	NEAR(distance(w, BY_THREAD, "cpu").v, 0.5 * (0.75 - 0.25 + 0.25 + 0.75));
	world_free(w);
}

Test(score_profile, knows_the_greatest_thread_and_no_greater)
{
	struct world *w = world_new();

	operate(w, 1);
	add_cost(w, 1, "cpu", UINT32_MAX, 1);
	profiled(w, BY_THREAD, "4294967295", "cpu", 1);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	w->claims[0].profile.key_str = claimed(w, "4294967296");
	NEAR(distance(w, BY_THREAD, "cpu").v, 1);
	w->claims[0].profile.key_str = claimed(w, "");
	NEAR(distance(w, BY_THREAD, "cpu").v, 1);
	w->costs[0].tid = 90;
	w->claims[0].profile.key_str = claimed(w, "90");
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	w->claims[0].profile.key_str = claimed(w, "9:");
	NEAR(distance(w, BY_THREAD, "cpu").v, 1);
	w->claims[0].profile.key_str = claimed(w, "9/");
	NEAR(distance(w, BY_THREAD, "cpu").v, 1);
	world_free(w);
}

Test(score_profile, groups_by_the_kind_of_operation)
{
	struct world *w = profile_world();

	profiled(w, BY_OP_KIND, "get", "cpu", 300);
	profiled(w, BY_OP_KIND, "put", "cpu", 100);
	NEAR(distance(w, BY_OP_KIND, "cpu").v, 0);
	profiled(w, BY_OP_KIND, "scan", "cpu", 100); /* no such kind */
	NEAR(distance(w, BY_OP_KIND, "cpu").v, 0.2);
	world_free(w);
}

Test(score_profile, leaves_out_what_is_not_scored)
{
	struct world *w = profile_world();

	add_op(w, (struct truth_op){.id = 9, .begin = {9000, 9001}, .end = {9999, 10001}}, "scan");
	add_cost(w, 9, "cpu", 102, 1000);
	add_cost(w, 77, "cpu", 102, 1000); /* of no operation */
	add_cost(w, 1, "wall", 102, 1000); /* truth derives wall */
	profiled(w, BY_THREAD, "101", "cpu", 3);
	profiled(w, BY_THREAD, "102", "cpu", 1);
	profiled(w, BY_OP_KIND, "get", "cpu", 3);
	profiled(w, BY_OP_KIND, "put", "cpu", 1);
	profiled(w, BY_OP_KIND, "get", "wall", 1);
	profiled(w, BY_OP_KIND, "put", "wall", 1);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	NEAR(distance(w, BY_OP_KIND, "cpu").v, 0);
	NEAR(distance(w, BY_OP_KIND, "wall").v, 0);
	world_free(w);
}

Test(score_profile, takes_wall_by_kind_from_begin_and_end)
{
	struct world *w = profile_world();

	operate(w, 3);
	profiled(w, BY_OP_KIND, "get", "wall", 2); /* three equal operations: get 2, put 1 */
	profiled(w, BY_OP_KIND, "put", "wall", 1);
	NEAR(distance(w, BY_OP_KIND, "wall").v, 0);
	profiled(w, BY_THREAD, "101", "wall", 1);
	cr_assert_not(distance(w, BY_THREAD, "wall").has);
	world_free(w);
}

Test(score_profile, is_no_number_where_truth_carries_none)
{
	struct world *w = profile_world();

	profiled(w, BY_FUNCTION, "pool_get", "cpu", 1);
	profiled(w, BY_PAIR, "101>102", "cpu", 1);
	profiled(w, BY_THREAD, "101", "cpu", 0); /* nothing claimed to normalise */
	cr_assert_eq(distance(w, BY_FUNCTION, "cpu").v, 0);
	cr_assert_not(distance(w, BY_FUNCTION, "cpu").has);
	cr_assert_not(distance(w, BY_PAIR, "cpu").has);
	cr_assert_not(distance(w, BY_THREAD, "cpu").has);
	cr_assert_eq(distance(w, BY_OP_KIND, "cpu").v, -1, "nobody claimed it");
	world_free(w);
}

/* Lines of one share each: where one ends the next begins. */
Test(score_profile, keeps_lines_apart)
{
	struct world *w = world_new();
	struct attribution_score s;

	profiled(w, BY_THREAD, "101", "cpu", 1);
	profiled(w, BY_THREAD, "101", "io_bytes", 1);
	profiled(w, BY_THREAD, "102", "io_bytes", 1);
	s = attribution(w);
	cr_assert_eq(s.profile_cnt, 2);
	cr_assert_eq(s.profile[0].claims, 1);
	cr_assert_eq(s.profile[1].claims, 2);
	attribution_score_free(&s);
	world_free(w);
}

/* 2^83 swallows each 400,000 that comes after it and not the sum of those before it: how far the
 * lines of one key add up must not depend on the order of claims. Thread 101 has three quarters, as
 * in truth, and 800 small ones more. */
Test(score_profile, sums_in_an_order_of_its_own)
{
	double found[2];

	for (int last = 0; last < 2; last++) {
		struct world *w = profile_world();

		for (unsigned i = 0; i < 804; i++) {
			bool big = last ? i >= 800 : i < 4;
			struct claim *x = profiled(w, BY_THREAD, i % 4 || !big ? "101" : "102",
						   "cpu", big ? UINT64_C(1) << 63 : 400000);

			x->profile.ip = 0x1p-20;
			x->has |= big ? HAS_IP : 0;
		}
		found[last] = distance(w, BY_THREAD, "cpu").v;
		world_free(w);
	}
	cr_assert_gt(found[0], 0);
	cr_assert_eq(found[0], found[1]);
}

/* mix: 30, sort: 10, whatever operations cost. */
Test(score_profile, by_function_is_of_the_records_that_name_one)
{
	struct world *w = profile_world();

	add_cost(w, 0, "cpu", 0, 30);
	cost_of(w, COST_OF_FUNCTION, "mix");
	add_cost(w, 0, "cpu", 101, 10);
	cost_of(w, COST_OF_FUNCTION, "sort");
	profiled(w, BY_FUNCTION, "mix", "cpu", 2);
	profiled(w, BY_FUNCTION, "sort", "cpu", 1);
	profiled(w, BY_FUNCTION, "[kernel]", "cpu", 1);
	NEAR(distance(w, BY_FUNCTION, "cpu").v, 0.25);
	profiled(w, BY_THREAD, "101", "cpu", 3);
	profiled(w, BY_THREAD, "102", "cpu", 1);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	world_free(w);
}

/* A token may be 0, and a function has no operation. */
Test(score_profile, a_function_costs_no_operation)
{
	struct world *w = world_new();
	struct attribution_score s;

	operate(w, 0);
	add_cost(w, 0, "cpu", 0, 30);
	cost_of(w, COST_OF_FUNCTION, "mix");
	s = attribution(w);
	for (size_t i = 0; i < s.cost_cnt; i++)
		cr_assert(strcmp(s.cost[i].kind, "cpu") || s.cost[i].true_sum == 0);
	attribution_score_free(&s);
	world_free(w);
}

/* 101 was off for 30, 102 for 10; both belong to no operation. */
Test(score_profile, by_thread_takes_in_what_threads_cost_in_the_whole_run)
{
	struct world *w = profile_world();
	struct attribution_score s;

	add_cost(w, 0, "off-cpu", 101, 30);
	cost_of(w, COST_OF_THREAD, NULL);
	add_cost(w, 0, "off-cpu", 102, 10);
	cost_of(w, COST_OF_THREAD, NULL);
	profiled(w, BY_THREAD, "101", "off-cpu", 1);
	profiled(w, BY_THREAD, "102", "off-cpu", 1);
	profiled(w, BY_THREAD, "101", "cpu", 3);
	profiled(w, BY_THREAD, "102", "cpu", 1);
	profiled(w, BY_OP_KIND, "get", "off-cpu", 1);
	NEAR(distance(w, BY_THREAD, "off-cpu").v, 0.25);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0);
	cr_assert_not(distance(w, BY_OP_KIND, "off-cpu").has);
	s = attribution(w);
	for (size_t i = 0; i < s.cost_cnt; i++)
		cr_assert(strcmp(s.cost[i].kind, "off-cpu"), "no operation is charged with it");
	attribution_score_free(&s);
	world_free(w);
}

/* 101 by 102: 6, by an interrupt: 2, by another: 2. */
static struct world *pair_world(void)
{
	static const struct {
		const char *pair, *names;
		uint64_t v;
	} all[] = {{"102>101", "w>w", 6}, {"0>101", "0>w", 2}, {"9>101", "k>w", 2}};
	struct world *w = world_new();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		add_cost(w, 0, "blocked", 0, all[i].v);
		cost_of(w, COST_OF_PAIR, all[i].pair);
		add_cost(w, 0, "blocked", 0, all[i].v);
		cost_of(w, COST_OF_NAMES, all[i].names);
	}
	return w;
}

Test(score_profile, by_pair_is_of_threads_where_they_are_nearer)
{
	struct world *w = pair_world();

	profiled(w, BY_PAIR, "102>101", "blocked", 6);
	profiled(w, BY_PAIR, "0>101", "blocked", 2);
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5 * (0.75 - 0.6 + 0.25 - 0.2 + 0.2));
	profiled(w, BY_PAIR, "101>102", "blocked", 2); /* the other way round */
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.2);
	profiled(w, BY_THREAD, "101", "blocked", 2); /* what else is claimed says nothing of it */
	profiled(w, BY_FUNCTION, "mix", "blocked", 2);
	add_claim(w, (struct claim){.kind = CLAIM_GAP,
				    .type = BY_PAIR,
				    .profile = {.key_str = claimed(w, "w>w")}});
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.2);
	world_free(w);
}

Test(score_profile, by_pair_is_of_names_where_they_are_nearer)
{
	struct world *w = pair_world();

	profiled(w, BY_PAIR, "w>w", "blocked", 5);
	profiled(w, BY_PAIR, "swapper/0>w", "blocked", 5);
	profiled(w, BY_THREAD, "101", "blocked", 1); /* and a pair of another kind */
	profiled(w, BY_PAIR, "w>w", "a kind", 1);
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5 * (0.6 - 0.5 + 0.2 + 0.2 + 0.5));
	profiled(w, BY_PAIR, "102>101", "blocked", 2); /* no name here */
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5 * (0.6 - 5.0L / 12 + 0.2 + 0.2 + 7.0L / 12));
	world_free(w);
}

/* One key that is not spelt like the others is one key that is wrong. */
Test(score_profile, by_pair_stays_of_threads_where_one_claim_cannot_be)
{
	struct world *w = pair_world();
	struct attribution_score s;

	profiled(w, BY_PAIR, "102>101", "blocked", 6);
	profiled(w, BY_PAIR, "0>101", "blocked", 2);
	profiled(w, BY_PAIR, "9>101", "blocked", 2);
	profiled(w, BY_PAIR, "?>101", "blocked", 10);
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5);
	profiled(w, BY_PAIR, "w>w", "cpu", 1); /* another line, of which truth knows nothing */
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5);
	s = attribution(w);
	cr_assert_eq(s.profile_cnt, 2);
	NEAR(s.profile[0].even_distance.v, 0.6 - 1.0L / 3);
	cr_assert_eq(s.profile[0].claims, 4);
	cr_assert_eq(s.profile[1].claims, 1);
	cr_assert_not(s.profile[1].tv_distance.has);
	attribution_score_free(&s);
	world_free(w);
}

/* A truth may carry one of the two alone. */
Test(score_profile, by_pair_is_of_the_pairs_that_there_are)
{
	struct world *w = world_new();

	add_cost(w, 0, "blocked", 0, 3);
	cost_of(w, COST_OF_NAMES, "w>w");
	profiled(w, BY_PAIR, "102>101", "blocked", 1);
	NEAR(distance(w, BY_PAIR, "blocked").v, 1);
	profiled(w, BY_PAIR, "w>w", "blocked", 1);
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5);
	w->costs[0].of = COST_OF_PAIR;
	NEAR(distance(w, BY_PAIR, "blocked").v, 0.5);
	world_free(w);
}

/* get 300, put 100, by threads 300 and 100; 103 is nobody's. */
Test(score_profile, knows_what_an_even_split_would_be_worth)
{
	struct world *w = profile_world();
	struct attribution_score s;

	add_cost(w, 1, "cpu", 104, 0);
	profiled(w, BY_THREAD, "103", "cpu", 1);
	profiled(w, BY_THREAD, "102", "cpu", 0);
	profiled(w, BY_OP_KIND, "get", "cpu", 0);
	profiled(w, BY_FUNCTION, "mix", "cpu", 1);
	s = attribution(w);
	cr_assert_eq(s.profile_cnt, 3);
	NEAR(s.profile[0].tv_distance.v, 1);
	NEAR(s.profile[0].even_distance.v,
	     0.5 * (0.75 - 1.0L / 3 + 1.0L / 3 - 0.25 + 1.0L / 3)); /* 104 ran, and cost nothing */
	cr_assert_not(s.profile[1].even_distance.has);
	cr_assert_not(s.profile[2].tv_distance.has);
	NEAR(s.profile[2].even_distance.v, 0.25);
	attribution_score_free(&s);
	world_free(w);
}

/* Neither is nearer to what is claimed. */
Test(score_profile, by_pair_is_of_threads_where_both_are_as_near)
{
	struct world *w = world_new();
	struct attribution_score s;

	add_cost(w, 0, "blocked", 0, 3);
	cost_of(w, COST_OF_PAIR, "102>101");
	add_cost(w, 0, "blocked", 0, 1);
	cost_of(w, COST_OF_PAIR, "0>101");
	add_cost(w, 0, "blocked", 0, 4);
	cost_of(w, COST_OF_NAMES, "w>w");
	profiled(w, BY_PAIR, "?>?", "blocked", 1);
	s = attribution(w);
	cr_assert_eq(s.profile_cnt, 1);
	NEAR(s.profile[0].tv_distance.v, 1);
	NEAR(s.profile[0].even_distance.v, 0.25);
	attribution_score_free(&s);
	world_free(w);
}

/* A line ends with its last key, though the next one begins with the same. */
Test(score_profile, counts_the_last_key_of_a_line)
{
	struct world *w = world_new();

	operate(w, 1);
	add_cost(w, 1, "cpu", 101, 3);
	add_cost(w, 1, "cpu", 102, 1);
	add_cost(w, 1, "disk", 102, 1);
	profiled(w, BY_THREAD, "101", "cpu", 1);
	profiled(w, BY_THREAD, "102", "cpu", 1);
	profiled(w, BY_THREAD, "102", "disk", 1);
	NEAR(distance(w, BY_THREAD, "cpu").v, 0.5 * (0.25 + 0.25));
	NEAR(distance(w, BY_THREAD, "disk").v, 0);
	world_free(w);
}

/* 101: 2, 102: 3 in two records that nobody speaks of. Even: ½, ½ against 2/5, 3/5. */
Test(score_profile, takes_the_records_of_a_key_together_in_an_even_split)
{
	struct world *w = world_new();
	struct attribution_score s;

	operate(w, 1);
	add_cost(w, 1, "cpu", 101, 2);
	add_cost(w, 1, "cpu", 102, 1);
	add_cost(w, 1, "cpu", 102, 2);
	profiled(w, BY_THREAD, "101", "cpu", 1);
	s = attribution(w);
	NEAR(s.profile[0].even_distance.v, 0.1);
	attribution_score_free(&s);
	w->t.costs_cnt = 1;
	w->costs[0].v = 1; /* one unit is a distribution as well */
	s = attribution(w);
	cr_assert(s.profile[0].even_distance.has);
	NEAR(s.profile[0].even_distance.v, 0);
	attribution_score_free(&s);
	world_free(w);
}
