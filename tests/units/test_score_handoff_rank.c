/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank batches and amb groups, by hand. */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_rank, .init = setup);

/* Three sends in one call: same src window, key and thread; receivers 2, 3, 4. */
static void three_sends(void)
{
	for (uint32_t i = 0; i < 3; i++)
		hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2 + i, W(300, 390), W(400, 500));
}

/* Three receptions of one call on thread 4, taken 1 2 3; senders 1, 2, 3. */
static void three_takes(void)
{
	for (uint32_t i = 0; i < 3; i++)
		hand_handoff(&r, HANDOFF_WAKE, 7, 1 + i, W(200, 230), 4, W(300, 390), W(600, 700));
}

Test(score_handoff_rank, the_ith_src_time_means_the_ith_send)
{
	three_sends();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450); /* swapped with the one before */
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_rank, seq_orders_a_batch_whatever_the_order_of_truth)
{
	three_sends();
	r.handoffs[0].seq = 30;
	r.handoffs[2].seq = 1;
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 4, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 2, 450);
	hand_score(&r);
	for (int i = 0; i < 3; i++)
		EXPECT_BOTH(r, i, OUT_RIGHT);
}

Test(score_handoff_rank, the_ith_dst_time_in_ready_means_the_ith_take)
{
	three_takes();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 4, 320);
	hand_claim(&r, HANDOFF_WAKE, 7, 2, 215, 4, 340);
	hand_claim(&r, HANDOFF_WAKE, 7, 3, 215, 4, 330);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_FALSE_JOIN);
}

Test(score_handoff_rank, without_as_many_distinct_times_there_is_no_rank)
{
	three_sends();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

Test(score_handoff_rank, equal_times_count_once_and_too_many_times_are_no_rank)
{
	three_sends();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 451); /* no new time */
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 221, 4, 450); /* a fourth */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

Test(score_handoff_rank, orphans_place_their_end_too)
{
	three_sends();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_orphan_src(&r, HANDOFF_WAKE, 7, 1, 220);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_ORPHAN);
	cr_expect(r.spoken[0][2] & SPOKEN_ORPHAN);
	cr_expect_not(r.spoken[0][0] & SPOKEN_ORPHAN);
}

Test(score_handoff_rank, claims_without_the_key_are_neither_counted_nor_ranked)
{
	three_sends();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 0, 1, 220, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 205, 4, 900); /* now three times are given */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN); /* third time, third send */
	EXPECT_BOTH(r, 1, OUT_RIGHT);	   /* second time, second send */
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_rank, windows_that_only_touch_are_no_batch)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(230, 260), 3, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 230, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 231, 3, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT); /* ranked, 230 would mean the first alone */
	r.handoffs[1].src_t.t0 = 229;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
}

Test(score_handoff_rank, a_chain_reaches_windows_that_do_not_meet)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(220, 260), 3, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(250, 290), 4, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 225, 3, 450); /* first of three: means the first */
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 240, 3, 451);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 255, 3, 452); /* third: means the third */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_FALSE_JOIN);
}

Test(score_handoff_rank, a_time_that_its_handoff_does_not_hold_is_not_ranked)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(220, 260), 3, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 240, 3, 450); /* first time, but h1 ends at 230 */
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 3, 451);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
}

Test(score_handoff_rank, a_batch_is_of_one_scope_thread_and_type)
{
	three_sends();
	for (int i = 0; i < 3; i++) {
		r.handoffs[i].key.has_scope = 1;
		r.handoffs[i].key.scope = i == 1 ? 2 : 1;
	}
	for (uint64_t i = 0; i < 3; i++) {
		struct claim *c = hand_claim(&r, HANDOFF_WAKE, 7, 1, 210 + i, 2 + (i + 2) % 3, 450);

		c->has |= HAS_SCOPE;
		c->handoff.key_scope = (i + 2) % 3 == 1 ? 2 : 1;
	}
	/* scope 1: times 210 (to thread 4, h3) and 211 (to 2, h1): swapped. scope 2: alone. */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_rank, each_level_ranks_its_own_claims)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 3, W(510, 590), W(600, 700));
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 3, 650);
	c = hand_claim(&r, HANDOFF_IO, 7, 1, 220, 99, 350);
	c->has |= HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, 0, OUT_RIGHT); /* one time, two handoffs */
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_FALSE_JOIN);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_FALSE_JOIN);
}

Test(score_handoff_rank, handoffs_without_seq_are_not_ranked)
{
	three_sends();
	r.handoffs[2].has &= (uint8_t)~TH_SEQ;
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

Test(score_handoff_rank, among_an_amb_group_rank_does_not_apply)
{
	three_sends();
	for (int i = 0; i < 2; i++) {
		r.handoffs[i].has |= TH_AMB;
		r.handoffs[i].amb = 5;
	}
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 215, 2, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 4, 450);
	hand_score(&r);
	for (int i = 0; i < 3; i++)
		EXPECT_BOTH(r, i, OUT_RIGHT);
	r.v[0].handoff.dst_tid = 4; /* the group and the third swapped */
	r.v[2].handoff.dst_tid = 2;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_FALSE_JOIN);
}

static void two_wakers(void)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 300), 2, W(350, 400), W(390, 500))->amb = 9;
	hand_handoff(&r, HANDOFF_WAKE, 7, 3, W(210, 310), 4, W(350, 400), W(390, 500))->amb = 9;
	r.handoffs[0].has |= TH_AMB;
	r.handoffs[1].has |= TH_AMB;
}

Test(score_handoff_rank, one_of_an_amb_group_in_d_brings_all)
{
	two_wakers();
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 4, 450);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 2, 450); /* h1 is credited only once */
	hand_claim(&r, HANDOFF_WAKE, 7, 3, 250, 2, 360);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE); /* the lower receiver goes first */
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->by_ready, 1);
}

Test(score_handoff_rank, by_ready_looks_at_the_whole_amb_group)
{
	two_wakers();
	r.handoffs[1].dst_t = W(480, 500);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 4, 380); /* ready of h2 alone, dst.t of none */
	hand_claim(&r, HANDOFF_WAKE, 7, 3, 250, 2, 450); /* right about h2, in dst.t of h1 */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->by_ready, 1);
}

Test(score_handoff_rank, by_ready_looks_at_the_group_of_a_claim_that_names_its_own_handoff)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(800, 900))->amb = 9;
	hand_handoff(&r, HANDOFF_WAKE, 8, 3, W(240, 260), 2, W(300, 390), W(300, 400))->amb = 9;
	r.handoffs[0].has |= TH_AMB;
	r.handoffs[1].has |= TH_AMB;
	r.handoffs[1].key = r.handoffs[0].key;
	r.handoffs[1].src_t = W(2000, 2100);
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 2, 350);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->by_ready, 0);
}

Test(score_handoff_rank, amb_groups_are_of_one_type)
{
	two_wakers();
	r.handoffs[1].type = HANDOFF_QUEUE;
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
}

Test(score_handoff_rank, a_handoff_with_one_end_is_never_credited)
{
	two_wakers();
	r.truth.scored = W(0, 500);
	r.handoffs[0].dst_t.t1 = 600; /* its dst is dropped; the group still names it */
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 250, 4, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->truth, 1);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->credited, 0);
}

/* One without a reception is a member all the same: two times, two sends. */
Test(score_handoff_rank, a_handoff_with_one_end_is_of_the_batch)
{
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(210, 240), 3, W(300, 390), W(400, 500))->has &=
		(uint8_t)~TH_DST;
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 225, 2, 450);
	hand_orphan_src(&r, HANDOFF_WAKE, 7, 1, 215);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	r.handoffs[1].src_t = W(230, 240); /* only touches: no batch */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

/* Three sends and takes of one thread, then two sends of another key on it: a batch of two. */
Test(score_handoff_rank, batches_of_one_key_know_nothing_of_another)
{
	for (uint64_t key = 7; key <= 8; key++) {
		setup();
		for (uint32_t i = 0; i < 3; i++)
			hand_handoff(&r, HANDOFF_WAKE, key, 1, W(200, 230), 1, W(300, 390),
				     W(400, 500));
		for (uint32_t i = 0; i < 2; i++)
			hand_handoff(&r, HANDOFF_WAKE, 15 - key, 1, W(1000, 1100), 2 + i,
				     W(1200, 1300), W(1400, 1500));
		hand_claim(&r, HANDOFF_WAKE, 15 - key, 1, 1020, 2, 1450);
		hand_claim(&r, HANDOFF_WAKE, 15 - key, 1, 1010, 3, 1450);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
		EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	}
}

/* One time, from a claim that context does not score and from one that it does: it counts there. */
Test(score_handoff_rank, equal_times_count_at_every_level_of_theirs)
{
	for (int order = 0; order < 2; order++) {
		setup();
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 3, W(510, 590), W(600, 700));
		for (int i = 0; i < 2; i++) {
			if (i == order)
				hand_claim(&r, HANDOFF_IO, 7, 1, 210, 99, 350)->has |=
					HAS_DST_KERNEL;
			else
				hand_claim(&r, HANDOFF_IO, 7, 1, 210, 3, 650);
		}
		hand_claim(&r, HANDOFF_IO, 7, 1, 220, 2, 450);
		hand_score(&r);
		EXPECT(r, LEVEL_CONTEXT, 1 - order, OUT_FALSE_JOIN);
		EXPECT(r, LEVEL_CONTEXT, 2, OUT_FALSE_JOIN);
	}
}

/* A group may be called 0, which those in none are not of. */
Test(score_handoff_rank, an_amb_group_may_be_called_0)
{
	for (int i = 0; i < 2; i++) {
		setup();
		hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
		hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 3, W(300, 390), W(400, 500));
		r.handoffs[i].has |= TH_AMB;
		hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 3, 450);
		hand_claim(&r, HANDOFF_WAKE, 7, 1, 220, 2, 450);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
		EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	}
}

/* by_ready asks the groups of S ∩ D, and one in no group is of none. */
Test(score_handoff_rank, by_ready_asks_no_group_where_there_is_none)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(600, 700));
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(800, 830), 2, W(310, 320), W(330, 390))->has |= TH_AMB;
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 350);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->by_ready, 1);
}

/* Of group 9, far apart; `longer` is what the last is handled later. */
static void far_apart(uint64_t longer)
{
	setup();
	for (uint64_t i = 0; i < 40; i++)
		hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(100 * i, 100 * i + 30), 2,
			     W(100 * i, 100 * i + 80), W(100 * i + 40, 100 * i + 80));
	for (uint64_t i = 3; i < 40; i += 25) {
		r.handoffs[i].has |= TH_AMB;
		r.handoffs[i].amb = 9;
	}
	r.handoffs[28].dst_t.t1 += longer;
	hand_orphan_dst(&r, HANDOFF_WAKE, 7, 2, 350);
}

static void expect_both_heard_of(void)
{
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_ORPHAN);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan_only, 2);
}

/* Whoever scores a stretch meets one of them alone, and nothing there says so; or the last is in
 * flight for so long that this one is left to the rest. */
Test(score_handoff_rank, an_amb_group_may_lie_far_apart)
{
	for (uint64_t longer = 0; longer < 600; longer += 500) {
		far_apart(longer);
		expect_both_heard_of();
	}
}

/* One of another group, or of one of that name among another type, stands before it. */
Test(score_handoff_rank, an_amb_group_that_lies_far_apart_is_no_other)
{
	for (int type = 0; type < 2; type++) {
		far_apart(0);
		r.handoffs[4].has |= TH_AMB;
		r.handoffs[4].amb = type ? 9 : 8;
		r.handoffs[4].type = type ? HANDOFF_IO : HANDOFF_WAKE;
		expect_both_heard_of();
	}
}

/* As many as a list has room for at first: whoever reads on reads what is not there. */
Test(score_handoff_rank, an_amb_group_may_be_the_last_of_64)
{
	for (uint64_t i = 0; i < 64; i++) {
		struct truth_handoff *h =
			hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(100 * i, 100 * i + 30), 2,
				     W(100 * i, 100 * i + 80), W(100 * i + 40, 100 * i + 80));

		h->has |= TH_AMB;
		h->amb = 1 + i / 2;
	}
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 6210, 2, 6350);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

static void two_of_one_observation(uint16_t first, uint16_t second)
{
	setup();
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 210), 2, W(220, 230), W(220, 240))->marks = first;
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 210), 3, W(220, 230), W(220, 240))->marks =
		second;
	hand_claim(&r, HANDOFF_IO, 7, 1, 205, 2, 225);
	hand_claim(&r, HANDOFF_IO, 7, 1, 205, 3, 225);
	hand_score(&r);
}

/* Multishot, coalesced and fanout come in numbers, each by itself or one beside another; nothing
 * else does. */
Test(score_handoff_rank, three_marks_free_an_observation_and_no_other_does)
{
	const uint16_t free = 1u << MARK_MULTISHOT | 1u << MARK_COALESCED | 1u << MARK_FANOUT;

	for (unsigned m = 0; m < MARK_CNT; m++) {
		bool frees = free >> m & 1;

		two_of_one_observation((uint16_t)(1u << m), (uint16_t)(1u << m));
		EXPECT_BOTH(r, 0, OUT_RIGHT);
		EXPECT_BOTH(r, 1, frees ? OUT_RIGHT : OUT_DUPLICATE);
		two_of_one_observation(1u << MARK_FANOUT, (uint16_t)(1u << m));
		EXPECT_BOTH(r, 1, frees ? OUT_RIGHT : OUT_DUPLICATE);
	}
}

/* Two sent in one call, whose claims are swapped. At identity level a time more, or the only second
 * one, is of a claim with an end in the kernel: rank is of each level by itself. */
Test(score_handoff_rank, a_level_is_ranked_by_its_own_times)
{
	for (int two = 0; two < 2; two++) {
		setup();
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 310), W(300, 400));
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 3, W(500, 510), W(500, 600));
		hand_claim(&r, HANDOFF_IO, 7, 1, 205, 3, 550);
		hand_claim(&r, HANDOFF_IO, 7, 1, 225, 99, 305)->has |= HAS_DST_KERNEL;
		if (two)
			hand_claim(&r, HANDOFF_IO, 7, 1, 215, 2, 350);
		hand_score(&r);
		EXPECT(r, LEVEL_CONTEXT, 0, two ? OUT_FALSE_JOIN : OUT_RIGHT);
		EXPECT(r, LEVEL_IDENTITY, 0, two ? OUT_RIGHT : OUT_FALSE_JOIN);
		if (two)
			EXPECT(r, LEVEL_CONTEXT, 2, OUT_FALSE_JOIN);
	}
}
