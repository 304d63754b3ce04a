/* SPDX-License-Identifier: BSD-2-Clause */
/* Near end, far end, keys, levels and scored bounds of handoffs, by hand. */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_ends, .init = setup);

Test(score_handoff_ends, windows_are_closed_on_both_sides)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 300), W(400, 500));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 199, 2, 400);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 200, 2, 400);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 230, 2, 500);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 231, 2, 500);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 230, 2, 501);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 230, 2, 399);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
	EXPECT_BOTH(r, 3, OUT_HALF);
	EXPECT_BOTH(r, 4, OUT_HALF);
	EXPECT_BOTH(r, 5, OUT_HALF);
}

Test(score_handoff_ends, types_and_threads_must_be_equal)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_QUEUE, 0, 1, 210, 2, 450);
	hand_claim(&r, HANDOFF_MSG, 0, 3, 210, 2, 450);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 3, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
	EXPECT_BOTH(r, 1, OUT_HALF);
	EXPECT_BOTH(r, 2, OUT_HALF);
}

Test(score_handoff_ends, keys_are_compared_where_both_give_a_comparable_one)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_IO, 8, 1, W(1200, 1230), 2, W(1300, 1390), W(1400, 1500));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(2200, 2230), 2, W(2300, 2390), W(2400, 2500));
	hand_claim(&r, HANDOFF_IO, 8, 1, 210, 2, 450);	  /* another's key */
	hand_claim(&r, HANDOFF_IO, 0, 1, 1210, 2, 1450);  /* none given */
	hand_claim(&r, HANDOFF_MSG, 7, 1, 2210, 2, 2450); /* truth gives none */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_ends, spaces_outside_the_header_are_read_as_absent)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500))->key.ns =
		KEY_FD;
	c = hand_claim(&r, HANDOFF_IO, 99, 1, 210, 2, 450); /* nobody's value, but no key at all */
	c->ns = KEY_FD;
	c = hand_claim(&r, HANDOFF_IO, 99, 1, 211, 2, 450);
	c->ns = KEY_OTHER;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
}

Test(score_handoff_ends, comparable_keys_of_different_spaces_are_unequal)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_WAKE, 7, 3, W(200, 230), 4, W(300, 390), W(400, 500))->key.ns =
		KEY_UADDR;
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 450)->ns = KEY_UADDR;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
}

Test(score_handoff_ends, scope_is_compared_where_both_give_it)
{
	struct truth_handoff *h =
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	struct claim *c;

	h->key.has_scope = 1;
	h->key.scope = 1;
	hand_handoff(&r, HANDOFF_IO, 8, 1, W(1200, 1230), 2, W(1300, 1390), W(1400, 1500));
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 450);
	c = hand_claim(&r, HANDOFF_IO, 7, 1, 211, 2, 450);
	c->has |= HAS_SCOPE;
	c->handoff.key_scope = 2; /* a ring that nobody has: out of scope */
	c = hand_claim(&r, HANDOFF_IO, 8, 1, 1210, 2, 1450);
	c->has |= HAS_SCOPE;
	c->handoff.key_scope = 2;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_OF_SCOPE);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

Test(score_handoff_ends, keys_are_compared_in_64_bits)
{
	hand_handoff(&r, HANDOFF_MSG, UINT64_C(1) << 53, 1, W(200, 230), 2, W(300, 390),
		     W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, (UINT64_C(1) << 53) + 1, 1, W(200, 230), 3, W(300, 390),
		     W(400, 500));
	hand_claim(&r, HANDOFF_MSG, UINT64_C(1) << 53, 1, 210, 3, 450);
	hand_claim(&r, HANDOFF_MSG, (UINT64_C(1) << 53) + 1, 1, 210, 3, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

Test(score_handoff_ends, ready_counts_with_a_key)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, 8, 3, W(200, 230), 2, W(300, 390), W(500, 600));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 210, 2, 300);
	hand_claim(&r, HANDOFF_MSG, 8, 3, 210, 2, 390);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->by_ready, 2);
}

Test(score_handoff_ends, ready_without_a_key_counts_only_where_one_window_holds_the_time)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 230), 2, W(300, 390), W(800, 900));
	hand_handoff(&r, HANDOFF_MSG, 8, 3, W(200, 230), 2, W(350, 450), W(900, 1000));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 349);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 350);
	hand_claim(&r, HANDOFF_MSG, 0, 3, 210, 2, 390);
	hand_claim(&r, HANDOFF_MSG, 0, 3, 210, 2, 391);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_HALF);
	EXPECT_BOTH(r, 2, OUT_HALF);
	EXPECT_BOTH(r, 3, OUT_RIGHT);
}

Test(score_handoff_ends, a_key_that_truth_does_not_give_widens_nothing)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(800, 900));
	hand_handoff(&r, HANDOFF_MSG, 8, 3, W(200, 230), 2, W(300, 390), W(900, 1000));
	hand_claim(&r, HANDOFF_MSG, 8, 1, 210, 2, 350); /* two ready windows hold it */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
}

Test(score_handoff_ends, ready_windows_of_other_types_and_threads_do_not_count)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(800, 900));
	hand_handoff(&r, HANDOFF_QUEUE, 0, 1, W(200, 230), 2, W(300, 390), W(800, 900));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(600, 630), 3, W(300, 390), W(800, 900));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 350);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

Test(score_handoff_ends, other_threads_match_by_key_at_identity_level)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 3, 300);
	hand_claim(&r, HANDOFF_IO, 7, 1, 211, 3, 299);
	c = hand_claim(&r, HANDOFF_IO, 7, 1, 212, 99, 500);
	c->has |= HAS_DST_KERNEL;
	hand_claim(&r, HANDOFF_IO, 7, 1, 213, 99, 500); /* does not say kernel */
	hand_claim(&r, HANDOFF_IO, 0, 1, 214, 3, 300);	/* gives no key */
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, 0, OUT_HALF);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_HALF);
	EXPECT(r, LEVEL_CONTEXT, 2, OUT_NOT_SCORED);
	EXPECT(r, LEVEL_IDENTITY, 2, OUT_DUPLICATE);
	EXPECT(r, LEVEL_CONTEXT, 3, OUT_NOT_SCORED);
	EXPECT(r, LEVEL_IDENTITY, 3, OUT_HALF);
	EXPECT_BOTH(r, 4, OUT_HALF);
}

Test(score_handoff_ends, a_src_elsewhere_may_lie_until_the_end_of_ready)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_TIMER, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	for (uint64_t t = 199; t <= 391; t += 1)
		if (t < 202 || t > 389) {
			c = hand_claim(&r, HANDOFF_TIMER, 7, 0, t, 2, 450);
			c->has |= HAS_SRC_KERNEL;
		}
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_HALF);	     /* 199 */
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_RIGHT);     /* 200 */
	EXPECT(r, LEVEL_IDENTITY, 3, OUT_DUPLICATE); /* 390 */
	EXPECT(r, LEVEL_IDENTITY, 4, OUT_HALF);	     /* 391 */
}

Test(score_handoff_ends, on_its_own_thread_the_first_rules_decide_at_both_levels)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_IO, 7, 1, 240, 2, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
}

Test(score_handoff_ends, kernel_is_ignored_on_a_listed_thread)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	c = hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 450);
	c->has |= HAS_SRC_KERNEL | HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
}

Test(score_handoff_ends, other_types_have_no_identity_level)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_WAKE, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	c = hand_claim(&r, HANDOFF_WAKE, 7, 1, 210, 0, 450);
	c->has |= HAS_DST_KERNEL;
	hand_claim(&r, HANDOFF_WAKE, 7, 1, 211, 3, 450);
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, 0, OUT_NOT_SCORED);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_HALF);
}

Test(score_handoff_ends, each_level_has_its_own_matching)
{
	struct claim *c;

	hand_handoff(&r, HANDOFF_WORK, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_conf(hand_claim(&r, HANDOFF_WORK, 7, 1, 210, 2, 450), 0.5);
	c = hand_claim(&r, HANDOFF_WORK, 7, 1, 220, 99, 350);
	c->has |= HAS_DST_KERNEL;
	hand_conf(c, 0.9);
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, 0, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_DUPLICATE);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_RIGHT);
}

Test(score_handoff_ends, only_what_lies_in_scored_is_scored)
{
	r.truth.scored = W(200, 500);
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(100, 900), W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(199, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(300, 330), 4, W(300, 390), W(400, 501));
	hand_handoff(&r, HANDOFF_MSG, 0, 4, W(100, 130), 4, W(300, 390), W(450, 600));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 450);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 199, 2, 450);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 501);
	hand_orphan_dst(&r, HANDOFF_MSG, 0, 2, 450);
	hand_orphan_src(&r, HANDOFF_MSG, 0, 3, 310);
	hand_orphan_src(&r, HANDOFF_MSG, 0, 3, 210); /* that src was dropped */
	hand_orphan_dst(&r, HANDOFF_MSG, 0, 4, 460); /* those dsts were dropped */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_NOT_SCORED);
	EXPECT_BOTH(r, 2, OUT_NOT_SCORED);
	EXPECT_BOTH(r, 3, OUT_ORPHAN);
	EXPECT_BOTH(r, 4, OUT_ORPHAN);
	EXPECT_BOTH(r, 5, OUT_SPURIOUS);
	EXPECT_BOTH(r, 6, OUT_SPURIOUS);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->truth, 1);
	cr_expect_eq(r.score.one_ended_truth, 2);
	cr_expect_eq(r.score.one_ended_named, 2);
}

Test(score_handoff_ends, an_unknown_end_outside_scored_is_no_reason_to_drop)
{
	r.truth.scored = W(200, 500);
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_orphan_src(&r, HANDOFF_MSG, 0, 1, 200); /* its absent dst.t is 0 */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_ORPHAN);
}

Test(score_handoff_ends, nothing_at_all_gives_nothing)
{
	hand_score(&r);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->claims, 0);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->truth, 0);
	cr_expect_not(r.score.cheating);
}

/* The tags of threads have 16 bits; on a thread only its own handoffs are received. */
Test(score_handoff_ends, threads_of_one_tag_are_told_apart)
{
	uint32_t like = 5;

	while (thread_tag(HANDOFF_MSG, like) != thread_tag(HANDOFF_MSG, 2))
		like++;
	r.threads[3] = like;
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), like, W(300, 390), W(300, 390));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 210, 2, 350);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 220, like, 360);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* Right at identity through dst.t or through `ready`, whoever's thread it is. */
Test(score_handoff_ends, by_ready_at_identity_is_no_matter_of_the_thread)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_IO, 8, 1, W(600, 630), 2, W(700, 790), W(800, 900));
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 77, 450)->has |= HAS_DST_KERNEL;
	hand_claim(&r, HANDOFF_IO, 8, 1, 610, 77, 750)->has |= HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->by_ready, 1u);
}

/* The second may mean one that another thread sent, at identity level alone: there each of two
 * claims has its own, and in context both want the first. */
Test(score_handoff_ends, what_another_thread_sent_is_to_be_had_at_identity_alone)
{
	for (uint64_t i = 0; i < 2; i++) {
		struct truth_handoff *h = hand_handoff(&r, HANDOFF_IO, 7, i ? 3 : 1, W(200, 230), 2,
						       W(300 + 10 * i, 400), W(300 + 10 * i, 400));

		h->key.has_scope = true;
		h->key.scope = 1 + i;
	}
	hand_claim(&r, HANDOFF_IO, 7, 1, 215, 2, 360)->has |= HAS_SCOPE;
	r.v[0].handoff.key_scope = 1;
	hand_conf(hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 350), 0.5);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_RIGHT);
	EXPECT(r, LEVEL_CONTEXT, 1, OUT_DUPLICATE);
}

/* A time that identity alone counts is the third there, so that nothing is ranked; in context two
 * are two, and both claims are swapped. */
Test(score_handoff_ends, a_batch_may_be_ranked_at_one_level_alone)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(240, 260), 2, W(350, 450), W(350, 450));
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 390);
	hand_claim(&r, HANDOFF_IO, 7, 1, 250, 2, 360);
	hand_conf(hand_claim(&r, HANDOFF_IO, 7, 77, 245, 2, 370), 0.5);
	r.v[2].has |= HAS_SRC_KERNEL;
	hand_score(&r);
	for (int i = 0; i < 2; i++) {
		EXPECT(r, LEVEL_CONTEXT, i, OUT_FALSE_JOIN);
		EXPECT(r, LEVEL_IDENTITY, i, OUT_RIGHT);
	}
	EXPECT(r, LEVEL_IDENTITY, 2, OUT_DUPLICATE);
}

static void sure(uint64_t v, uint64_t src_t, uint32_t dst_tid, uint64_t dst_t, double conf)
{
	struct claim *c = hand_claim(&r, HANDOFF_IO, v, 1, src_t, dst_tid, dst_t);

	hand_conf(c, conf);
	if (dst_tid == 99)
		c->has |= HAS_DST_KERNEL;
}

/* Without a key one may mean either of two. At identity level an end in the kernel takes the one
 * from it, so that the other is taken from who means that alone, and who has no part in what the
 * levels differ by. Whichever of the two is the first in truth, or is claimed first. */
Test(score_handoff_ends, who_has_it_at_one_level_alone_is_felt_from_afar)
{
	for (unsigned order = 0; order < 4; order++) {
		unsigned either = order & 1;
		uint64_t a = order & 2 ? 8 : 7, b = 15 - a;

		setup();
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(240, 250), W(300, 400));
		hand_handoff(&r, HANDOFF_IO, 8, 1, W(200, 230), 2, W(260, 270), W(300, 400));
		for (unsigned i = 0; i < 2; i++)
			if (i == either)
				sure(0, 205, 2, 350, 0.8);
			else
				sure(a, 206, 2, 390, 0.7);
		sure(b, 207, 99, 305, 0.9);
		hand_score(&r);
		EXPECT(r, LEVEL_IDENTITY, 2, OUT_RIGHT);
		EXPECT_BOTH(r, either, OUT_RIGHT);
		EXPECT(r, LEVEL_CONTEXT, !either, OUT_RIGHT);
		EXPECT(r, LEVEL_IDENTITY, !either, OUT_DUPLICATE);
	}
}
