/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost (contracts §5.3), every clause by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "scoring/attribution.h"
#include "tests/units/score_world.h"

#define NEAR(x, y)                                                                                 \
	cr_assert_lt(fabsl((long double)(x) - (y)), 1e-12, "%.17g is not %.17g", (double)(x),      \
		     (double)(y))

static struct claim *charged(struct world *w, const char *kind, uint32_t tid, uint64_t t,
			     uint64_t v)
{
	return add_claim(w, (struct claim){.kind = CLAIM_COST,
					   .has = HAS_SRC,
					   .cost = {.root_t = t,
						    .root_tid = tid,
						    .v = v,
						    .kind_str = claimed(w, kind)}});
}

static void at_probability(struct claim *x, double ip)
{
	x->has |= HAS_IP;
	x->cost.ip = ip;
}

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

static struct cost_score cost(struct world *w, const char *kind)
{
	struct attribution_score s = attribution(w);
	struct cost_score found = {0};

	for (size_t i = 0; i < s.cost_cnt; i++)
		if (!strcmp(s.cost[i].kind, kind))
			found = s.cost[i];
	attribution_score_free(&s);
	return found;
}

/* Of one nothing is claimed: it is the first word of truth. Of the other nothing is true. */
Test(score_cost, has_a_line_for_a_kind_that_one_side_names)
{
	struct world *w = world_new();
	struct cost_score x;

	add_cost(w, 1, "disk", 0, 40);
	operate(w, 1);
	charged(w, "cpu", 102, 105, 60);
	x = cost(w, "disk");
	cr_assert(x.kind && !strcmp(x.kind, "disk"));
	NEAR(x.true_sum, 40);
	NEAR(x.abs_error, 40);
	NEAR(x.error.v, 1);
	cr_assert_not(x.unattributed_share.has);
	x = cost(w, "cpu");
	NEAR(x.claimed, 60);
	NEAR(x.abs_error, 60);
	cr_assert_not(x.error.has);
	world_free(w);
}

Test(score_cost, weighs_by_inclusion_probability)
{
	struct world *w = world_new();
	struct cost_score x;

	operate(w, 1);
	operate(w, 2);
	add_cost(w, 1, "cpu", 0, 250);
	add_cost(w, 2, "cpu", 0, 150);
	at_probability(charged(w, "cpu", 102, 105, 60), 0.5);
	charged(w, "cpu", 102, 110, 100);
	at_probability(charged(w, "cpu", 103, 200, 10), 0.25);
	x = cost(w, "cpu");
	NEAR(x.true_sum, 400);
	NEAR(x.claimed, 260);
	NEAR(x.abs_error, 140); /* |220 − 250| + |40 − 150| */
	NEAR(x.error.v, 7.0 / 20);
	cr_assert_eq(x.ops, 2);
	NEAR(x.median.v, 30.0 / 250);
	NEAR(x.p99.v, 110.0 / 150);
	NEAR(x.unattributed, 0);
	world_free(w);
}

Test(score_cost, counts_what_was_charged_to_nobody)
{
	struct world *w = world_new();
	struct cost_score x;

	operate(w, 1);
	add_cost(w, 1, "cpu", 0, 100);
	charged(w, "cpu", 102, 105, 60);
	charged(w, "cpu", 0, 0, 30)->has = 0; /* no root */
	charged(w, "cpu", 102, 111, 10);      /* a root that meets no operation */
	x = cost(w, "cpu");
	NEAR(x.claimed, 100);
	NEAR(x.unattributed, 40);
	NEAR(x.unattributed_share.v, 0.4);
	NEAR(x.abs_error, 40);
	world_free(w);
}

Test(score_cost, knows_a_root_by_thread_and_window_to_the_nanosecond)
{
	static const struct {
		uint32_t tid;
		uint64_t t;
		double unattributed;
	} rows[] = {{102, 99, 5}, {102, 100, 0}, {102, 110, 0}, {102, 111, 5}, {103, 105, 5}};

	for (size_t i = 0; i < 5; i++) {
		struct world *w = world_new();

		operate(w, 1);
		add_cost(w, 1, "cpu", 0, 5);
		charged(w, "cpu", rows[i].tid, rows[i].t, 5);
		NEAR(cost(w, "cpu").unattributed, rows[i].unattributed);
		NEAR(cost(w, "cpu").abs_error, rows[i].unattributed);
		world_free(w);
	}
}

Test(score_cost, takes_the_first_such_operation_in_truth)
{
	struct world *w = world_new();

	/* Both begin on 102 and hold 105; the later in time stands first in truth. */
	add_op(w,
	       (struct truth_op){.id = 1, .begin = {104, 106}, .end = {300, 301}, .begin_tid = 102},
	       "get");
	add_op(w,
	       (struct truth_op){.id = 2, .begin = {100, 110}, .end = {300, 301}, .begin_tid = 102},
	       "get");
	add_cost(w, 1, "cpu", 0, 5);
	add_cost(w, 2, "cpu", 0, 7);
	charged(w, "cpu", 102, 105, 5);
	NEAR(cost(w, "cpu").abs_error, 7);
	/* the first has ended: the second is all there is */
	w->claims[0].cost.root_t = 107;
	NEAR(cost(w, "cpu").abs_error, 5 + 2);
	world_free(w);
}

/* The long begin window of thread 102 holds the time of the root on 103. */
Test(score_cost, forgets_the_operations_of_another_thread)
{
	struct world *w = world_new();

	add_op(w,
	       (struct truth_op){.id = 1, .begin = {100, 500}, .end = {600, 601}, .begin_tid = 102},
	       "get");
	add_cost(w, 1, "cpu", 0, 5);
	charged(w, "cpu", 102, 105, 5);
	charged(w, "cpu", 103, 200, 7);
	NEAR(cost(w, "cpu").unattributed, 7);
	NEAR(cost(w, "cpu").abs_error, 0);
	world_free(w);
}

Test(score_cost, asks_only_operations_in_scored)
{
	struct world *w = world_new();

	w->t.scored = (struct window){200, 400};
	operate(w, 1); /* begins and ends before */
	operate(w, 2);
	operate(w, 3);
	operate(w, 4); /* begins at the last moment, ends after */
	for (uint64_t op = 1; op <= 4; op++)
		add_cost(w, op, "cpu", 0, 10);
	NEAR(cost(w, "cpu").true_sum, 20);
	add_op(w,
	       (struct truth_op){.id = 9, .begin = {199, 210}, .end = {250, 260}, .begin_tid = 109},
	       "get");
	add_cost(w, 9, "cpu", 0, 10); /* begins a nanosecond too early, whenever it ends */
	NEAR(cost(w, "cpu").true_sum, 20);
	charged(w, "cpu", 105, 400, 4); /* its operation is not scored: nor is the claim */
	charged(w, "cpu", 102, 105, 4); /* its root is not */
	NEAR(cost(w, "cpu").claimed, 0);
	charged(w, "cpu", 103, 200, 4);
	NEAR(cost(w, "cpu").claimed, 4);
	NEAR(cost(w, "cpu").abs_error, 16);
	world_free(w);
}

Test(score_cost, sums_the_records_of_one_operation_and_charges_absent_ones_as_0)
{
	struct world *w = world_new();
	struct cost_score x;

	operate(w, 1);
	operate(w, 2);
	add_cost(w, 1, "cpu", 101, 10);
	add_cost(w, 1, "cpu", 102, 20);
	charged(w, "cpu", 103, 205, 6); /* operation 2 truly cost nothing */
	x = cost(w, "cpu");
	NEAR(x.true_sum, 30);
	NEAR(x.abs_error, 36);
	NEAR(x.error.v, 36.0 / 30);
	cr_assert_eq(x.ops, 1); /* relative errors are over operations with true > 0 */
	NEAR(x.median.v, 1);
	world_free(w);
}

Test(score_cost, keeps_kinds_apart_and_sorts_them)
{
	struct world *w = world_new();
	struct attribution_score s;

	operate(w, 1);
	add_cost(w, 1, "wait:io", 0, 10);
	charged(w, "hold:pool.frame", 102, 105, 3);
	charged(w, "cpu", 102, 105, 4);
	s = attribution(w);
	cr_assert_eq(s.cost_cnt, 4);
	cr_assert_str_eq(s.cost[0].kind, "cpu");
	cr_assert_str_eq(s.cost[1].kind, "hold:pool.frame");
	cr_assert_str_eq(s.cost[2].kind, "wait:io");
	cr_assert_str_eq(s.cost[3].kind, "wall");
	/* nothing true below the line: the error is no number */
	cr_assert_not(s.cost[0].error.has);
	cr_assert_not(s.cost[0].median.has);
	NEAR(s.cost[0].abs_error, 4);
	NEAR(s.cost[2].error.v, 1);
	cr_assert_not(s.cost[2].unattributed_share.has);
	attribution_score_free(&s);
	world_free(w);
}

Test(score_cost, measures_wall_time_against_its_interval)
{
	static const struct {
		uint64_t v;
		double error;
	} rows[] = {{34, 1}, {35, 0}, {42, 0}, {50, 0}, {52, 2}};

	/* begin [100,110], end [145,150]: the wall time lies in [35, 50], its middle is 42.5 */
	for (size_t i = 0; i < 5; i++) {
		struct world *w = world_new();
		struct cost_score x;

		operate(w, 1);
		add_cost(w, 1, "wall", 0, 9999); /* truth derives wall: ignored */
		charged(w, "wall", 102, 105, rows[i].v);
		x = cost(w, "wall");
		NEAR(x.true_sum, 42.5);
		NEAR(x.abs_error, rows[i].error);
		NEAR(x.median.v, rows[i].error / 42.5);
		world_free(w);
	}
}

Test(score_cost, asks_wall_time_only_of_ended_operations)
{
	struct world *w = world_new();

	operate(w, 1);
	operate(w, 2);
	w->ops[1].open = 1;
	charged(w, "wall", 102, 105, 40);
	charged(w, "wall", 103, 205, 40); /* of the open one: not scored */
	NEAR(cost(w, "wall").true_sum, 42.5);
	NEAR(cost(w, "wall").claimed, 40);
	NEAR(cost(w, "wall").abs_error, 0);
	/* an operation that nobody claims is wrong by its whole distance */
	w->c.cnt = 0;
	NEAR(cost(w, "wall").abs_error, 35);
	NEAR(cost(w, "wall").error.v, 35 / 42.5);
	world_free(w);
}

/* 200 operations, each off by another share: the 99th percentile is the 198th. */
Test(score_cost, ranks_the_relative_errors_of_many_operations)
{
	struct world *w = world_new();

	w->t.scored.t1 = 100000;
	for (uint64_t op = 1; op <= 200; op++) {
		operate(w, op);
		add_cost(w, op, "cpu", 0, 100);
		charged(w, "cpu", (uint32_t)(101 + op), 100 * op, 100 + op);
	}
	NEAR(cost(w, "cpu").median.v, 1);
	NEAR(cost(w, "cpu").p99.v, 1.98);
	world_free(w);
}

Test(score_cost, counts_an_operation_that_cost_one)
{
	struct world *w = world_new();

	operate(w, 1);
	add_cost(w, 1, "cpu", 0, 1);
	cr_assert_eq(cost(w, "cpu").ops, 1);
	NEAR(cost(w, "cpu").median.v, 1);
	world_free(w);
}

Test(score_cost, clamps_no_wall_time)
{
	struct world *w = world_new();

	add_op(w,
	       (struct truth_op){.id = 1, .begin = {100, 120}, .end = {110, 130}, .begin_tid = 102},
	       "get");
	charged(w, "wall", 102, 105, 0);
	NEAR(cost(w, "wall").true_sum, 10); /* the middle of [-10, 30] */
	NEAR(cost(w, "wall").abs_error, 0);
	w->claims[0].cost.v = 38;
	NEAR(cost(w, "wall").abs_error, 8);
	NEAR(cost(w, "wall").error.v, 8 / 10.0);
	/* [-30, 12]: the middle is negative, so there is nothing to be relative to */
	w->ops[0].begin = (struct window){100, 130};
	w->ops[0].end = (struct window){100, 112};
	w->claims[0].cost.v = 20;
	NEAR(cost(w, "wall").true_sum, -9);
	NEAR(cost(w, "wall").abs_error, 8);
	cr_assert_eq(cost(w, "wall").ops, 0);
	cr_assert_not(cost(w, "wall").error.has);
	world_free(w);
}

Test(score_cost, ranks_quantiles_by_the_nearest)
{
	long double v[200];

	for (size_t i = 0; i < 200; i++)
		v[i] = (long double)i + 1;
	cr_assert_not(nearest_rank(v, 0, 50).has);
	cr_assert_eq(nearest_rank(v, 0, 50).v, 0);
	NEAR(nearest_rank(v, 99, 99).v, 99); /* 98.01 rounds up */
	NEAR(nearest_rank(v, 1, 50).v, 1);
	NEAR(nearest_rank(v, 1, 99).v, 1);
	NEAR(nearest_rank(v, 2, 50).v, 1);
	NEAR(nearest_rank(v, 3, 50).v, 2);
	NEAR(nearest_rank(v, 4, 50).v, 2);
	NEAR(nearest_rank(v, 100, 99).v, 99);
	NEAR(nearest_rank(v, 101, 99).v, 100);
	NEAR(nearest_rank(v, 200, 99).v, 198);
}

Test(score_cost, keeps_values_beyond_2_53)
{
	struct world *w = world_new();

	operate(w, 1);
	add_cost(w, 1, "io_bytes", 0, (UINT64_C(1) << 53) + 1);
	charged(w, "io_bytes", 102, 105, UINT64_C(1) << 53);
	NEAR(cost(w, "io_bytes").abs_error, 1);
	world_free(w);
}

Test(score_cost, depends_on_no_order_of_claims)
{
	struct world *w = world_new();
	struct cost_score first;

	for (uint64_t op = 1; op <= 20; op++) {
		operate(w, op);
		add_cost(w, op, "cpu", 0, 1000 + op);
		for (unsigned i = 1; i < 10; i++)
			at_probability(charged(w, "cpu", (uint32_t)(101 + op), 100 * op, 17 * i),
				       1.0 / (double)(i + 2));
	}
	first = cost(w, "cpu");
	for (unsigned seed = 1; seed < 40; seed++) {
		struct cost_score x;

		world_shuffle(w, seed);
		x = cost(w, "cpu");
		cr_assert_eq(x.claimed, first.claimed);
		cr_assert_eq(x.abs_error, first.abs_error);
		cr_assert_eq(x.median.v, first.median.v);
	}
	world_free(w);
}

/* One huge amount and many small ones that it swallows if it comes first. */
Test(score_cost, sums_in_an_order_of_its_own)
{
	struct world *w = world_new();
	struct cost_score first;

	operate(w, 1);
	charged(w, "cpu", 102, 105, UINT64_C(9000000000000000000));
	for (unsigned i = 0; i < 4000; i++)
		at_probability(charged(w, "cpu", i % 2 ? 102 : 103, 105, 1), 0.7);
	first = cost(w, "cpu");
	world_shuffle(w, 1);
	cr_assert_eq(cost(w, "cpu").claimed, first.claimed);
	cr_assert_eq(cost(w, "cpu").abs_error, first.abs_error);
	cr_assert_eq(cost(w, "cpu").unattributed, first.unattributed);
	world_free(w);
}

Test(score_cost, has_no_wall_line_where_no_operation_ended)
{
	struct world *w = world_new();
	struct attribution_score s;

	operate(w, 1);
	w->ops[0].open = 1;
	charged(w, "cpu", 102, 105, 1);
	s = attribution(w);
	cr_assert_eq(s.cost_cnt, 1);
	cr_assert_str_eq(s.cost[0].kind, "cpu");
	attribution_score_free(&s);
	world_free(w);
}
