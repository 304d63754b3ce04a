/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides from afar: observations that mean several handoffs, times beside a batch. */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_ties, .init = setup);

static void scoped(struct truth_handoff *h, uint64_t scope)
{
	h->key.has_scope = true;
	h->key.scope = scope;
}

static void claim_scoped(struct claim *c, uint64_t scope)
{
	c->has |= HAS_SCOPE;
	c->handoff.key_scope = scope;
}

/* An observation is a value, whatever its scope. One claim of it means the first handoff alone and
 * lies near it, the other the second, which is received long after: they compete all the same. */
static void two_scopes(uint16_t first_marks, uint16_t second_marks)
{
	setup();
	scoped(hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(220, 230), W(220, 240)), 1);
	scoped(hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 3, W(220, 5010), W(5000, 5010)), 2);
	hand_handoff(&r, HANDOFF_MSG, 9, 1, W(4000, 4010), 4, W(4020, 4030), W(4020, 4030));
	r.handoffs[0].marks = first_marks;
	r.handoffs[1].marks = second_marks;
	claim_scoped(hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 225), 1);
	claim_scoped(hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 3, 5005), 2);
	hand_score(&r);
}

Test(score_handoff_ties, claims_of_one_observation_compete_from_afar)
{
	const uint16_t many = 1u << MARK_MULTISHOT;

	two_scopes(0, 0);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	two_scopes(0, many);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	two_scopes(many, 0);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	two_scopes(many, many);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* Two receptions of one call on thread 4, by senders 1 and 2, both claimed there in order. */
static void two_takes(uint64_t key, struct window ready, struct window dst, uint64_t first)
{
	for (uint32_t i = 0; i < 2; i++) {
		hand_handoff(&r, HANDOFF_WAKE, key, 1 + i, W(200, 230), 4, ready, dst);
		hand_claim(&r, HANDOFF_WAKE, key, 1 + i, 215, 4, first + 5 * i);
	}
}

/* Rank speaks of times in the windows of a batch. One before them all, or behind, lies in the dst
 * of both: which of them is meant is for the src to say. */
Test(score_handoff_ties, a_time_beside_the_windows_of_a_batch_is_not_ranked)
{
	two_takes(7, W(300, 390), W(250, 450), 310);
	two_takes(8, W(430, 460), W(430, 470), 440);
	hand_conf(hand_claim(&r, HANDOFF_WAKE, 7, 2, 220, 4, 260), 0.5);
	hand_conf(hand_claim(&r, HANDOFF_WAKE, 7, 2, 221, 4, 440), 0.5);
	hand_score(&r);
	for (int i = 0; i < 4; i++)
		EXPECT_BOTH(r, i, OUT_RIGHT);
	EXPECT_BOTH(r, 4, OUT_DUPLICATE);
	EXPECT_BOTH(r, 5, OUT_DUPLICATE);
}

Test(score_handoff_ties, rank_applies_between_two_groups)
{
	two_takes(7, W(300, 390), W(300, 400), 310);
	r.v[0].handoff.dst_t = 320; /* swapped */
	for (unsigned i = 0; i < 2; i++) {
		r.handoffs[i].has |= TH_AMB;
		r.handoffs[i].amb = 1 + i;
	}
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
}
