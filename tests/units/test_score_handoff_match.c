/* SPDX-License-Identifier: BSD-2-Clause */
/* The matching and its tie rule: by hand, against all matchings of small graphs, and large. */
#include <stdlib.h>

#include "scoring/match.h"
#include "tests/naive/dense_run.h"
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_match, .init = setup);

/* cnt handoffs with src windows [200, 300] of thread 1 and receptions one after the other on 2. */
static void fan(size_t cnt, uint16_t marks)
{
	for (size_t i = 0; i < cnt; i++)
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2,
			     W(1000 + 100 * i, 1050 + 100 * i), W(1000 + 100 * i, 1090 + 100 * i))
			->marks = marks;
}

Test(score_handoff_match, a_greedy_matcher_would_fail)
{
	/* Claim 0 may have either handoff, claim 1 only the first. */
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(400, 450), W(400, 600));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(500, 550), W(500, 600));
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 590), 0.9);
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 220, 2, 480), 0.1);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	cr_expect_eq(r.credited[0][0], 1);
	cr_expect_eq(r.credited[0][1], 0);
}

Test(score_handoff_match, the_greatest_conf_is_credited_and_missing_means_one)
{
	fan(1, 0);
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1010), 0.99);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 220, 2, 1010);
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 205, 2, 1010), 0.5);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
}

/* A missing conf is 1 and no more: one that says 1 and comes earlier is preferred. */
Test(score_handoff_match, a_missing_conf_is_as_good_as_one)
{
	fan(1, 0);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 220, 2, 1010);
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1010), 1);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* On its own thread the time is of one handoff, by the key of another as well: one of the two may
 * be credited to the observation, whichever stands first in truth. */
Test(score_handoff_match, one_observation_of_two_threads_credits_one)
{
	for (int run = 0; run < 4; run++) {
		int swapped = run % 2;
		uint64_t sent = run < 2 ? 300 : 600; /* within, and on the border */

		setup();
		for (int i = 0; i < 2; i++) {
			if (i == swapped)
				hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 3, W(210, 600),
					     W(500, 700));
			else
				hand_handoff(&r, HANDOFF_IO, 7, 2, W(sent, sent + 30), 4,
					     W(sent + 10, 900), W(800, 950));
		}
		hand_claim(&r, HANDOFF_IO, 7, 2, sent, 4, 850);
		hand_claim(&r, HANDOFF_IO, 7, 2, sent, 3, 550);
		hand_score(&r);
		EXPECT(r, LEVEL_CONTEXT, 0, OUT_RIGHT);
		cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->right, 1);
		cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->duplicate, 1);
	}
}

/* A false join stands under the marks of all that it might have meant: by its thread, by its key
 * on another thread, whether the one of its thread has a key or not. */
Test(score_handoff_match, marks_of_a_false_join_are_those_of_both_sets)
{
	for (int keyed = 0; keyed < 2; keyed++) {
		const struct handoff_level *l = &r.score.level[LEVEL_IDENTITY];

		setup();
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 3, W(210, 600), W(500, 700))
			->marks = 1u << MARK_PUNTED;
		hand_handoff(&r, HANDOFF_IO, keyed ? 7 : 0, 2, W(300, 330), 4, W(310, 900),
			     W(800, 950))
			->marks = 1u << MARK_LATE;
		hand_handoff(&r, HANDOFF_IO, 0, 3, W(1000, 1010), 4, W(1020, 1030), W(1040, 1050))
			->marks = 1u << MARK_CROSS;
		hand_claim(&r, HANDOFF_IO, 7, 2, 310, 4, 1045);
		hand_score(&r);
		EXPECT(r, LEVEL_IDENTITY, 0, OUT_FALSE_JOIN);
		cr_expect_eq(l->mark[MARK_PUNTED].false_join, 1);
		cr_expect_eq(l->mark[MARK_LATE].false_join, 1);
		cr_expect_eq(l->mark[MARK_CROSS].false_join, 1);
	}
}

Test(score_handoff_match, equal_confs_go_by_the_lowest_ends)
{
	fan(1, 0);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 220, 2, 1010);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1020);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1015);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_match, the_earliest_handoffs_of_truth_are_credited)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(400, 450), W(400, 600));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(400, 450), W(400, 600));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(400, 450), W(400, 600));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 220, 2, 500);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 500);
	hand_score(&r);
	cr_expect_eq(r.credited[0][0], 1);
	cr_expect_eq(r.credited[0][1], 0);
}

Test(score_handoff_match, one_src_observation_credits_at_most_one_handoff)
{
	fan(3, 0);
	for (uint64_t i = 0; i < 3; i++)
		hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1020 + 100 * i);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 211, 2, 1120); /* another observation */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
	EXPECT_BOTH(r, 3, OUT_RIGHT);
}

Test(score_handoff_match, multishot_coalesced_and_fanout_lift_the_limit)
{
	static const uint16_t marks[] = {1u << MARK_MULTISHOT, 1u << MARK_COALESCED,
					 1u << MARK_FANOUT};

	for (int m = 0; m < 3; m++) {
		hand_init(&r);
		fan(3, marks[m]);
		r.handoffs[1].marks = marks[(m + 1) % 3];
		for (uint64_t i = 0; i < 3; i++)
			hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1020 + 100 * i);
		hand_score(&r);
		for (int i = 0; i < 3; i++)
			EXPECT_BOTH(r, i, OUT_RIGHT);
	}
}

Test(score_handoff_match, one_handoff_without_the_mark_restores_the_limit)
{
	fan(3, 1u << MARK_FANOUT);
	r.handoffs[2].marks = 1u << MARK_STOLEN;
	for (uint64_t i = 0; i < 3; i++)
		hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1020 + 100 * i);
	hand_score(&r);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->right, 1);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->duplicate, 2);
}

Test(score_handoff_match, a_withheld_key_is_another_observation)
{
	for (uint64_t i = 0; i < 2; i++)
		hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 300), 2,
			     W(1000 + 100 * i, 1050 + 100 * i), W(1000 + 100 * i, 1090 + 100 * i));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 210, 2, 1020);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1120);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	r.v[1].has |= HAS_KEY;
	r.v[1].ns = KEY_USER_DATA;
	r.v[1].handoff.key_v = 7;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
}

Test(score_handoff_match, more_pairs_go_before_a_greater_conf)
{
	fan(2, 0);
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1020), 0.9); /* observation A, h1 */
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 1120), 0.1); /* observation A, h2 */
	hand_conf(hand_claim(&r, HANDOFF_MSG, 0, 1, 211, 2, 1020), 0.5); /* observation B, h1 */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

/* ---- against all matchings ---- */

enum { SMALL = 7 };

struct small {
	struct match_claim claim[SMALL];
	uint32_t to[SMALL * SMALL];
	uint32_t want[SMALL], best[SMALL];
	struct match_problem p;
	bool found;
};

static int by_conf(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* Lower is better: size, confs, handoffs, claims, pairs. */
static int judge_pair(const struct small *s, const uint32_t *a, const uint32_t *b)
{
	double conf[2][SMALL];
	uint32_t used[2] = {0, 0}, have[2] = {0, 0};
	const uint32_t *m[2] = {a, b};
	size_t n[2] = {0, 0};

	for (int k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < s->p.claims_cnt; i++)
			if (m[k][i] != MATCH_NONE) {
				conf[k][n[k]++] = s->claim[i].conf;
				used[k] |= UINT32_C(1) << (31 - m[k][i]);
				have[k] |= UINT32_C(1) << (31 - i);
			}
		qsort(conf[k], n[k], sizeof(double), by_conf);
	}
	if (n[0] != n[1])
		return n[0] > n[1] ? -1 : 1;
	for (size_t i = 0; i < n[0]; i++)
		if (conf[0][i] != conf[1][i])
			return conf[0][i] > conf[1][i] ? -1 : 1;
	if (used[0] != used[1])
		return used[0] > used[1] ? -1 : 1;
	if (have[0] != have[1])
		return have[0] > have[1] ? -1 : 1;
	for (uint32_t i = 0; i < s->p.claims_cnt; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void try_all(struct small *s, uint32_t i)
{
	const struct match_claim *c = &s->claim[i];

	if (i == s->p.claims_cnt) {
		if (!s->found || judge_pair(s, s->want, s->best) < 0)
			memcpy(s->best, s->want, sizeof(s->best));
		s->found = true;
		return;
	}
	s->want[i] = MATCH_NONE;
	try_all(s, i + 1);
	for (size_t e = c->edge; e < c->edge + c->edge_cnt; e++) {
		bool taken = false;

		for (uint32_t k = 0; k < i; k++)
			taken = taken ||
				(s->want[k] != MATCH_NONE &&
				 (s->want[k] == s->to[e] || s->claim[k].group == c->group));
		if (taken)
			continue;
		s->want[i] = s->to[e];
		try_all(s, i + 1);
		s->want[i] = MATCH_NONE;
	}
}

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static void small_random(struct small *s)
{
	uint32_t handoffs = 1 + below(6), groups = 1 + below(SMALL), density = 20 + below(60);
	uint32_t confs = 1 + below(4);
	size_t edges = 0;

	*s = (struct small){0};
	s->p = (struct match_problem){
		.claims = s->claim, .groups_cnt = SMALL, .handoffs_cnt = handoffs, .to = s->to};
	while (s->p.claims_cnt < SMALL) {
		struct match_claim *c = &s->claim[s->p.claims_cnt++];

		*c = (struct match_claim){
			.conf = below(confs) / 4.0, .group = below(groups), .edge = edges};
		for (uint32_t h = 0; h < handoffs; h++)
			if (below(100) < density)
				s->to[edges++] = h;
		if (edges == c->edge)
			s->to[edges++] = below(handoffs);
		c->edge_cnt = (uint32_t)(edges - c->edge);
	}
}

Test(score_handoff_match, agrees_with_all_matchings_of_small_graphs)
{
	state = 42;
	for (int i = 0; i < 4000; i++) {
		struct small s;
		uint32_t got[SMALL];

		small_random(&s);
		cr_assert_eq(match_solve(&s.p, got), 0);
		try_all(&s, 0);
		cr_assert_eq(judge_pair(&s, got, s.best), 0, "graph %d", i);
	}
}

/* ---- large ---- */

/* Claim i may have handoffs i … i + 3; two claims a src observation; five confs. One component. */
Test(score_handoff_match, a_large_component_is_settled)
{
	enum { SPREAD = 4 };
	const size_t n = 2 * dense_runs(300);
	struct match_claim *c = calloc(n, sizeof(*c));
	uint32_t *to = calloc(n * SPREAD, sizeof(*to)), *got = calloc(n, sizeof(*got));
	struct match_problem p = {.claims = c,
				  .claims_cnt = n,
				  .groups_cnt = n / 2,
				  .handoffs_cnt = n + SPREAD,
				  .to = to};
	size_t pairs = 0;

	for (uint32_t i = 0; i < n; i++) {
		c[i] = (struct match_claim){.conf = i % 5 / 5.0,
					    .group = i / 2,
					    .edge_cnt = SPREAD,
					    .edge = (size_t)i * SPREAD};
		for (uint32_t k = 0; k < SPREAD; k++)
			to[i * SPREAD + k] = i + k;
	}
	cr_assert_eq(match_solve(&p, got), 0);
	for (uint32_t i = 0; i < n; i++)
		pairs += got[i] != MATCH_NONE;
	cr_expect_eq(pairs, n / 2);
	for (uint32_t i = 0; i + 1 < n; i += 2) /* the greater conf of each observation */
		cr_expect_eq(got[i] != MATCH_NONE, c[i].conf >= c[i + 1].conf, "claim %u", i);
	free(c);
	free(to);
	free(got);
}

Test(score_handoff_match, a_flood_on_one_handoff_is_settled)
{
	enum { N = 200000 };
	struct match_claim *c = calloc(N, sizeof(*c));
	uint32_t *to = calloc(N, sizeof(*to)), *got = calloc(N, sizeof(*got));
	struct match_problem p = {
		.claims = c, .claims_cnt = N, .groups_cnt = N, .handoffs_cnt = 1, .to = to};

	for (uint32_t i = 0; i < N; i++)
		c[i] = (struct match_claim){
			.conf = i == 777 ? 1 : 0.5, .group = i, .edge_cnt = 1, .edge = i};
	cr_assert_eq(match_solve(&p, got), 0);
	cr_expect_eq(got[777], 0);
	cr_expect_eq(got[0], MATCH_NONE);
	free(c);
	free(to);
	free(got);
}
