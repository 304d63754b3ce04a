/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost: what was charged to each operation against what it truly cost. */
#include "scoring/attribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/ops.h"

struct ratio nearest_rank(const long double *sorted, size_t n, unsigned percent)
{
	if (!n)
		return (struct ratio){};
	return ratio_known((double)sorted[(n * percent + 99) / 100 - 1]);
}

static bool any_wall(const struct truth *t)
{
	long double lo, hi;

	for (size_t i = 0; i < t->ops_cnt; i++)
		if (op_wall(t, &t->ops[i], &lo, &hi))
			return true;
	return false;
}

static uint32_t kind_of(const struct claim *x)
{
	return x->kind == CLAIM_COST ? x->cost.kind_str : x->profile.kind_str;
}

int cost_kinds(const struct truth *t, const struct claims *c, uint8_t claim_kind,
	       struct wordlist *ret)
{
	bool *in_truth = array_new(strtab_count(t->strings), sizeof(*in_truth));
	bool *in_claims = array_new(strtab_count(c->strings), sizeof(*in_claims));
	struct wordlist_use use = {
		.truth = in_truth,
		.claims = in_claims,
		.extra = any_wall(t) ? "wall" : NULL,
	};
	int err = -ENOMEM;

	if (in_truth && in_claims) {
		for (size_t i = 0; i < t->costs_cnt; i++)
			if (claim_kind == CLAIM_PROFILE || t->costs[i].of == COST_OF_OP)
				in_truth[t->costs[i].kind_str] = true;
		for (size_t i = 0; i < c->cnt; i++)
			if (c->v[i].kind == claim_kind)
				in_claims[kind_of(&c->v[i])] = true;
		err = wordlist_make(t, c, &use, ret);
	}
	free(in_truth);
	free(in_claims);
	return err;
}

/* One amount of one kind for one operation; SCOPE_NONE: charged to nobody. */
struct entry {
	uint32_t kind, op;
	bool claimed;
	long double v;
};

static int entry_cmp(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->kind != b->kind)
		return CMP3(a->kind, b->kind);
	if (a->op != b->op)
		return CMP3(a->op, b->op);
	if (a->claimed != b->claimed)
		return CMP3(a->claimed, b->claimed);
	return CMP3(a->v, b->v);
}

struct costs {
	const struct truth *t;
	struct wordlist kinds;
	uint32_t wall; /* position of "wall" in kinds */
	struct entry *v;
	size_t cnt;
	long double *relative; /* errors of one kind */
};

static void add(struct costs *s, uint32_t kind, uint32_t op, bool claimed, long double v)
{
	s->v[s->cnt++] = (struct entry){.kind = kind, .op = op, .claimed = claimed, .v = v};
}

static int add_truth(struct costs *s)
{
	const struct truth *t = s->t;
	struct op_index ops;
	int err = op_index_make(t, &ops);

	if (err)
		return err;
	for (size_t i = 0; i < t->costs_cnt; i++) {
		const struct truth_cost *x = &t->costs[i];
		uint32_t op = x->of == COST_OF_OP ? op_index_find(&ops, x->op) : SCOPE_NONE;
		uint32_t kind = s->kinds.of_truth[x->kind_str];

		if (op != SCOPE_NONE && kind != s->wall && op_scored(t, &t->ops[op]))
			add(s, kind, op, false, x->v);
	}
	op_index_free(&ops);
	return 0;
}

/* Every ended operation takes part in `wall`, claimed or not. */
static void add_walls(struct costs *s)
{
	long double lo, hi;

	for (size_t i = 0; i < s->t->ops_cnt; i++)
		if (op_wall(s->t, &s->t->ops[i], &lo, &hi))
			/* mutant: equivalent because close_op derives the amount */
			add(s, s->wall, (uint32_t)i, false, 0);
}

static void add_claim(struct costs *s, const struct claim *x, uint32_t op)
{
	uint32_t kind = s->kinds.of_claims[x->cost.kind_str];
	long double v = (long double)x->cost.v / (x->has & HAS_IP ? x->cost.ip : 1);
	long double lo, hi;

	if (x->has & HAS_SRC && !time_scored(s->t, x->cost.root_t))
		return;
	if (op != SCOPE_NONE && (kind == s->wall ? !op_wall(s->t, &s->t->ops[op], &lo, &hi)
						 : !op_scored(s->t, &s->t->ops[op])))
		return;
	add(s, kind, op, true, v);
}

static int add_claims(struct costs *s, const struct claims *c)
{
	uint32_t *roots = array_new(c->cnt, sizeof(*roots));
	int err = roots ? cost_roots(s->t, c, roots) : -ENOMEM;

	for (size_t i = 0; !err && i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_COST)
			add_claim(s, &c->v[i], roots[i]);
	free(roots);
	return err;
}

struct sums {
	long double true_sum, claimed, abs_error, unattributed;
	size_t ops;
};

static void close_op(struct costs *s, const struct entry *e, long double truth, long double claimed,
		     struct sums *sum)
{
	long double lo = truth, hi = truth, error;

	sum->claimed += claimed;
	if (e->op == SCOPE_NONE) {
		sum->unattributed += claimed;
		return;
	}
	if (e->kind == s->wall)
		op_wall(s->t, &s->t->ops[e->op], &lo, &hi);
	truth = (lo + hi) / 2;
	error = fmaxl(0, fmaxl(lo - claimed, claimed - hi));
	sum->true_sum += truth;
	sum->abs_error += error;
	if (truth > 0)
		s->relative[sum->ops++] = error / truth;
}

static int number_cmp(const void *pa, const void *pb)
{
	const long double *a = pa, *b = pb;

	return CMP3(*a, *b);
}

static void finish_kind(struct costs *s, const struct sums *sum, uint32_t kind,
			struct cost_score *ret)
{
	qsort(s->relative, sum->ops, sizeof(*s->relative), number_cmp);
	*ret = (struct cost_score){
		.kind = s->kinds.v[kind],
		.true_sum = sum->true_sum,
		.claimed = sum->claimed,
		.abs_error = sum->abs_error,
		.unattributed = sum->unattributed,
		.error = ratio_of((double)sum->abs_error, (double)sum->true_sum),
		.median = nearest_rank(s->relative, sum->ops, 50),
		.p99 = nearest_rank(s->relative, sum->ops, 99),
		.unattributed_share = ratio_of((double)sum->unattributed, (double)sum->claimed),
		.ops = sum->ops,
	};
}

/* All entries of one kind, sorted by operation. */
static void score_kind(struct costs *s, const struct entry *e, size_t cnt, uint32_t kind,
		       struct cost_score *ret)
{
	long double amount[2] = {0, 0};
	struct sums sum = {};

	for (size_t i = 0; i < cnt; i++) {
		amount[e[i].claimed] += e[i].v;
		if (i + 1 < cnt && e[i + 1].op == e[i].op)
			continue;
		close_op(s, &e[i], amount[0], amount[1], &sum);
		amount[0] = amount[1] = 0;
	}
	finish_kind(s, &sum, kind, ret);
}

static void score_kinds(struct costs *s, struct cost_score *ret)
{
	size_t begin = 0;

	qsort(s->v, s->cnt, sizeof(*s->v), entry_cmp);
	for (uint32_t kind = 0; kind < s->kinds.cnt; kind++) {
		size_t end = begin;

		while (end < s->cnt && s->v[end].kind == kind)
			end++;
		score_kind(s, &s->v[begin], end - begin, kind, &ret[kind]);
		begin = end;
	}
}

int score_costs(const struct truth *t, const struct claims *c, struct attribution_score *ret)
{
	struct costs s = {.t = t};
	struct cost_score *cost = NULL;
	size_t room = t->costs_cnt + t->ops_cnt + claims_count(c, CLAIM_COST);
	int err = cost_kinds(t, c, CLAIM_COST, &s.kinds);

	if (err)
		return err;
	s.wall = wordlist_find(&s.kinds, "wall");
	s.v = array_new(room, sizeof(*s.v));
	s.relative = array_new(t->ops_cnt, sizeof(*s.relative));
	cost = array_new(s.kinds.cnt, sizeof(*cost));
	err = s.v && s.relative && cost ? add_truth(&s) : -ENOMEM;
	if (!err)
		add_walls(&s);
	if (!err)
		err = add_claims(&s, c);
	if (!err) {
		score_kinds(&s, cost);
		ret->cost = cost;
		ret->cost_cnt = s.kinds.cnt;
		cost = NULL;
	}
	free(cost);
	free(s.v);
	free(s.relative);
	wordlist_free(&s.kinds);
	return err;
}

int score_attribution(const struct truth *t, const struct claims *c, struct attribution_score *ret)
{
	struct attribution_score s = {};
	int err = score_costs(t, c, &s);

	if (!err)
		err = score_profiles(t, c, &s);
	if (!err)
		err = score_effects(t, c, &s);
	if (err)
		attribution_score_free(&s);
	else
		*ret = s;
	return err;
}

void attribution_score_free(struct attribution_score *s)
{
	free(s->cost);
	free(s->profile);
}
