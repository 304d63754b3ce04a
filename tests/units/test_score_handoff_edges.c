/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time that is scored, its stretches and windows begin and end, by hand. */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_edges, .init = setup);

/* `ready` may reach beyond what is scored; a claim there is none, whatever it matches. */
Test(score_handoff_edges, a_claim_in_ready_after_scored_is_not_scored)
{
	r.truth.scored = W(0, 500);
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 230), 2, W(300, 600), W(400, 500));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 210, 2, 501);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 211, 2, 500);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_NOT_SCORED);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

Test(score_handoff_edges, a_claim_in_ready_before_scored_is_not_scored)
{
	r.truth.scored = W(200, 500);
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 230), 2, W(100, 600), W(400, 500));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 210, 2, 199);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_NOT_SCORED);
}

static void first_and_last(uint64_t first, uint64_t last)
{
	setup();
	r.truth.scored = W(first, last);
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(first, first), 2, W(last, last), W(last, last));
	hand_handoff(&r, HANDOFF_IO, 0, 3, W(first, first), 2, W(first, first), W(first, first))
		->has &= (uint8_t)~TH_SRC;
	hand_claim(&r, HANDOFF_IO, 0, 1, first, 2, last);
	hand_claim(&r, HANDOFF_IO, 7, 4, last, 4, last);
	hand_orphan_dst(&r, HANDOFF_IO, 7, 2, last);
	hand_orphan_dst(&r, HANDOFF_IO, 0, 2, first);
	hand_orphan_dst(&r, HANDOFF_IO, 0, 2, last + 1);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_ORPHAN);
	EXPECT_BOTH(r, 3, OUT_ORPHAN);
	EXPECT_BOTH(r, 4, OUT_NOT_SCORED);
}

/* Filters and tables over time have as many stretches as a power of two: the first and the last
 * nanosecond are looked up all the same. */
Test(score_handoff_edges, the_first_and_the_last_moment_are_scored)
{
	for (uint64_t span = 4; span <= 8192; span *= 2)
		for (uint64_t more = 0; more < 3; more++) {
			first_and_last(0, span - 1 + more);
			first_and_last(1000, 1000 + span - 1 + more);
		}
}

/* A window of truth may begin before and end after all that is scored. */
Test(score_handoff_edges, windows_reach_beyond_scored_on_both_sides)
{
	for (uint64_t beyond = 0; beyond < 70; beyond += 1 + beyond / 8) {
		setup();
		r.truth.scored = W(1000, 1063);
		hand_handoff(&r, HANDOFF_MSG, 7, 1, W(1000, 1010), 2,
			     W(1000 - beyond, 1063 + beyond), W(1020, 1040));
		hand_handoff(&r, HANDOFF_MSG, 7, 1, W(1040, 1045), 3,
			     W(1050 + beyond / 8, 1063 + beyond), W(1060, 1063));
		hand_orphan_dst(&r, HANDOFF_MSG, 7, 3, 1063);
		hand_orphan_dst(&r, HANDOFF_MSG, 7, 2, 1063);
		hand_orphan_dst(&r, HANDOFF_MSG, 0, 2, 1000);
		hand_score(&r);
		EXPECT_BOTH(r, 2, OUT_ORPHAN);
		EXPECT_BOTH(r, 0, OUT_ORPHAN);
		EXPECT_BOTH(r, 1, OUT_ORPHAN);
	}
}

/* What is not comparable is of no batch, though it is sent in one call. */
Test(score_handoff_edges, handoffs_without_a_key_form_no_batch)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 3, W(300, 390), W(400, 500));
	hand_handoff(&r, HANDOFF_MSG, 7, 4, W(200, 230), 4, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 220, 2, 450);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 210, 3, 450); /* ranked, it would mean the first */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* One src observation with a key: of a handoff with that key and of one without any. */
Test(score_handoff_edges, an_observation_is_shared_with_handoffs_without_a_key)
{
	for (int keyed = 0; keyed < 2; keyed++) {
		setup();
		for (int i = 0; i < 2; i++)
			hand_handoff(&r, HANDOFF_MSG, i == keyed ? 7 : 0, 1, W(200, 230),
				     2 + (uint32_t)i, W(300, 390), W(400, 500));
		hand_claim(&r, HANDOFF_MSG, 7, 1, 220, 2, 450);
		hand_claim(&r, HANDOFF_MSG, 7, 1, 220, 3, 450);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_RIGHT);
		EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	}
}

/* A header may list spaces that nobody knows: what is of them is no key, and of none no key either.
 */
Test(score_handoff_edges, unknown_spaces_are_no_keys_though_they_are_listed)
{
	r.truth.keys |= 1u << KEY_NONE | 1u << KEY_OTHER;
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500))->key.ns =
		KEY_OTHER;
	hand_handoff(&r, HANDOFF_IO, 0, 3, W(200, 230), 4, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_IO, 9, 1, 210, 2, 450)->ns = KEY_OTHER;
	hand_claim(&r, HANDOFF_IO, 9, 3, 210, 4, 450)->ns = KEY_NONE;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* Handoffs without an end in scored, and with one only, stand between others and take no part. */
Test(score_handoff_edges, what_lies_outside_scored_hides_nothing)
{
	r.truth.scored = W(1000, 2000);
	for (uint64_t i = 0; i < 40; i++)
		hand_handoff(&r, HANDOFF_IO, 1 + i % 3, 1, W(100 * i, 100 * i + 30), 2,
			     W(100 * i, 100 * i + 90), W(100 * i + 40, 100 * i + 90));
	for (uint64_t i = 0; i < 40; i++)
		hand_claim(&r, HANDOFF_IO, i % 2 ? 1 + i % 3 : 0, 1, 100 * i + 10, 2, 100 * i + 50);
	hand_score(&r);
	for (uint64_t i = 0; i < 40; i++)
		EXPECT_BOTH(r, i, i < 10 || i >= 20 ? OUT_NOT_SCORED : OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->truth, 10);
}

/* Of one moment, by the thread and by the key of another thread. */
Test(score_handoff_edges, one_time_on_many_threads)
{
	for (uint32_t i = 0; i < 4; i++)
		hand_handoff(&r, HANDOFF_WORK, 7, 1 + i, W(200, 200), 1 + i, W(200, 200),
			     W(200, 200));
	for (uint32_t i = 0; i < 4; i++)
		hand_claim(&r, HANDOFF_WORK, 7, 1 + i, 200, 4 - i, 200);
	hand_score(&r);
	for (int i = 0; i < 4; i++)
		EXPECT(r, LEVEL_CONTEXT, i, OUT_FALSE_JOIN);
	cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->right, 4);
}

/* ---- ends that are not scored ---- */

/* A dst that is received when scored is over is in nobody's D, whatever its windows hold. */
Test(score_handoff_edges, a_dst_beyond_scored_is_found_by_no_key_and_no_thread)
{
	for (uint64_t key = 0; key < 2; key++) {
		setup();
		hand_handoff(&r, HANDOFF_MSG, 7 * key, 1, W(200, 210), 2, W(9000, 10001),
			     W(9000, 10001));
		hand_handoff(&r, HANDOFF_MSG, 8 * key, 3, W(200, 210), 2, W(300, 310), W(300, 310));
		hand_claim(&r, HANDOFF_MSG, 7 * key, 1, 205, 2, 9990);
		hand_claim(&r, HANDOFF_MSG, 7 * key, 4, 205, 2, 9991);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_HALF);
		EXPECT_BOTH(r, 1, OUT_SPURIOUS);
	}
}

/* A src that began before scored is in nobody's S, on other threads neither. */
Test(score_handoff_edges, a_src_before_scored_is_found_by_no_key)
{
	r.truth.scored.t0 = 250;
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(240, 260), 2, W(300, 400), W(300, 500));
	hand_claim(&r, HANDOFF_IO, 7, 3, 350, 2, 390);
	hand_claim(&r, HANDOFF_IO, 7, 1, 255, 2, 391);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_HALF);
}

/* What one dst says of its src is not for others to find. */
Test(score_handoff_edges, a_handoff_without_src_is_in_nobodys_s)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300, 310), W(300, 310))->has &=
		(uint16_t)~TH_SRC;
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 305);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 305, 2, 306);
	for (uint64_t i = 0; i < 6; i++)
		hand_handoff(&r, HANDOFF_MSG, 8 + i, 3, W(i < 2 ? 400 : 1000, 1010), 2,
			     W(1020, 1030), W(1020, 1030));
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_HALF);
}

/* What stands behind the last thread of truth is none of it. */
Test(score_handoff_edges, an_end_on_the_thread_behind_the_last_is_on_no_thread)
{
	r.truth.threads_cnt = 3;
	hand_handoff(&r, HANDOFF_WORK, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_WORK, 7, 1, 210, r.threads[3], 350);
	hand_claim(&r, HANDOFF_WORK, 7, 1, 220, r.threads[3], 360)->has |= HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, 0, OUT_NOT_SCORED);
	EXPECT(r, LEVEL_CONTEXT, 1, OUT_NOT_SCORED);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_HALF);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_RIGHT);
}

/* What is received across the end of `scored` has no dst there, whoever else asks for its key or
 * its thread meanwhile. */
Test(score_handoff_edges, an_end_that_is_dropped_is_not_met)
{
	for (uint64_t key = 0; key < 8; key += 7)
		for (uint64_t over = 0; over < 2; over++) {
			setup();
			hand_handoff(&r, HANDOFF_MSG, key, 1, W(200, 210), 2, W(9000, 9900),
				     W(9000, 10000 + over));
			hand_claim(&r, HANDOFF_MSG, key, 1, 205, 2, 9500);
			hand_claim(&r, HANDOFF_MSG, key, 3, 204, 2, 206);
			hand_score(&r);
			EXPECT_BOTH(r, 0, over ? OUT_HALF : OUT_RIGHT);
			EXPECT_BOTH(r, 1, OUT_SPURIOUS);
		}
}

/* A missing conf is 1: no more than that, so that the earlier src decides, and no less. */
Test(score_handoff_edges, a_claim_without_conf_is_as_sure_as_can_be)
{
	for (int sure = 0; sure < 2; sure++) {
		setup();
		hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(220, 230), W(220, 240));
		hand_claim(&r, HANDOFF_MSG, 7, 1, 203, 2, 225);
		hand_conf(hand_claim(&r, HANDOFF_MSG, 7, 1, 201, 2, 225), sure ? 1 : 0.999);
		hand_score(&r);
		EXPECT_BOTH(r, 0, sure ? OUT_DUPLICATE : OUT_RIGHT);
		EXPECT_BOTH(r, 1, sure ? OUT_RIGHT : OUT_DUPLICATE);
	}
}

/* ---- where stretches meet ---- */

/* Two that begin at one moment, which is the first of all or the second. */
Test(score_handoff_edges, claims_of_the_first_moments)
{
	for (uint64_t t = 0; t < 2; t++) {
		setup();
		for (uint32_t i = 0; i < 2; i++) {
			hand_handoff(&r, HANDOFF_MSG, 7 + i, 1, W(0, 10), 2, W(0, 10), W(0, 10));
			hand_claim(&r, HANDOFF_MSG, 7 + i, 1, t, 2, t);
		}
		hand_handoff(&r, HANDOFF_MSG, 9, 1, W(100, 110), 2, W(100, 110), W(100, 110));
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_RIGHT);
		EXPECT_BOTH(r, 1, OUT_RIGHT);
	}
}

/* The last nanosecond of a stretch is its own, the first of the next is not. */
Test(score_handoff_edges, claims_at_the_last_and_the_first_moment_of_a_stretch)
{
	for (uint64_t i = 0; i < 3; i++)
		hand_handoff(&r, HANDOFF_MSG, 7 + i, 1, W(100 * i + 100, 100 * i + 110), 2,
			     W(100 * i + 120, 100 * i + 300), W(100 * i + 120, 100 * i + 300));
	hand_claim(&r, HANDOFF_MSG, 7, 1, 101, 2, 150);
	hand_claim(&r, HANDOFF_MSG, 0, 3, 200, 4, 200);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 102, 2, 199);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 103, 2, 200);
	hand_claim(&r, HANDOFF_MSG, 8, 1, 201, 2, 299);
	hand_claim(&r, HANDOFF_MSG, 7, 3, 50, 4, 60); /* before all of them */
	hand_orphan_dst(&r, HANDOFF_MSG, 7, 2, 300);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_SPURIOUS);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
	EXPECT_BOTH(r, 3, OUT_DUPLICATE);
	EXPECT_BOTH(r, 4, OUT_RIGHT);
	EXPECT_BOTH(r, 5, OUT_SPURIOUS);
	EXPECT_BOTH(r, 6, OUT_ORPHAN);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->spurious, 2u);
}

/* ---- an end on the edge of two batches ---- */

/* Two of each scope, sent or received in one window. Who names no scope places its end in both, and
 * each batch ranks it: the first is the first of either. */
static void batch_of(uint64_t scope, bool takes, struct window w, uint64_t far)
{
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t at = far + 100 * i;
		struct truth_handoff *h =
			takes ? hand_handoff(&r, HANDOFF_WAKE, 7, 2, W(at, at + 50), 1, w, w)
			      : hand_handoff(&r, HANDOFF_WAKE, 7, 1, w, 2, W(at, at + 50),
					     W(at, at + 50));

		h->key.has_scope = scope;
		h->key.scope = scope;
	}
}

static void claim_of(bool takes, uint64_t near, uint64_t far)
{
	if (takes)
		hand_claim(&r, HANDOFF_WAKE, 7, 2, far, 1, near);
	else
		hand_claim(&r, HANDOFF_WAKE, 7, 1, near, 2, far);
}

/* Each has the first of one batch or the second of the other, and never the other way round. */
Test(score_handoff_edges, an_end_in_batches_of_two_scopes_is_ranked_in_each)
{
	for (unsigned way = 0; way < 4; way++) {
		bool takes = way & 1, swapped = way & 2;
		struct window w = takes ? W(3000, 3100) : W(100, 200);

		setup();
		batch_of(1, takes, w, 1000);
		batch_of(2, takes, w, 2000);
		claim_of(takes, w.t0 + (swapped ? 60 : 50), 2010);
		claim_of(takes, w.t0 + (swapped ? 50 : 60), 1110);
		hand_score(&r);
		EXPECT_BOTH(r, 0, swapped ? OUT_FALSE_JOIN : OUT_RIGHT);
		EXPECT_BOTH(r, 1, swapped ? OUT_FALSE_JOIN : OUT_RIGHT);
	}
}

/* At 230 the one batch ends and the next begins: the time is the second of that and the first of
 * this. */
Test(score_handoff_edges, an_end_where_two_batches_touch_is_ranked_in_each)
{
	for (unsigned later = 0; later < 2; later++) {
		setup();
		batch_of(0, false, W(200, 230), 1000);
		batch_of(0, false, W(230, 260), 2000);
		claim_of(false, 210, 1010);
		claim_of(false, 230, later ? 2010 : 1110);
		claim_of(false, 250, 2110);
		hand_score(&r);
		for (int i = 0; i < 3; i++)
			EXPECT_BOTH(r, i, OUT_RIGHT);
		r.v[1].handoff.dst_t = later ? 2110 : 1010; /* the one that it does not mean */
		hand_score(&r);
		EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	}
}
