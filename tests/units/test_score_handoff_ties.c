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
	for (uint64_t i = 0; i < 4; i++)
		hand_handoff(&r, HANDOFF_MSG, 9 + i, 1, W(i ? 4000 : 250, 4010), 4, W(4020, 4030),
			     W(4020, 4030));
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

/* Each src means one handoff alone, and looks plain; rank says that its dst means another. */
Test(score_handoff_ties, rank_applies_where_the_sends_lie_apart)
{
	two_takes(7, W(300, 390), W(300, 400), 310);
	r.handoffs[1].src_t = W(240, 250);
	r.v[1].handoff.src_t = 245;
	r.v[0].handoff.dst_t = 320; /* swapped */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
}

/* ---- one observation, several handoffs ---- */

enum { MANY = 1u << MARK_MULTISHOT };

/* Handoffs of one call, received by thread 2 one after the other; marks: of each. */
static void fan(const uint16_t *marks, uint32_t cnt)
{
	setup();
	for (uint32_t i = 0; i < cnt; i++)
		hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300 + 100 * i, 310 + 100 * i),
			     W(300 + 100 * i, 310 + 100 * i))
			->marks = marks[i];
}

/* A claim of the one observation, of the fan's handoff i. */
static struct claim *fanned(uint32_t i)
{
	return hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 305 + 100 * i);
}

/* What lifts the limit is asked of the handoffs that are meant, not of others of the key. */
Test(score_handoff_ties, a_handoff_that_nobody_means_limits_nobody)
{
	static const uint16_t marks[] = {MANY, MANY, 0};

	fan(marks, 3);
	fanned(0);
	fanned(1);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	fanned(2);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
}

/* Who loses leaves his handoff to nobody. */
Test(score_handoff_ties, the_handoff_of_a_loser_is_not_credited)
{
	static const uint16_t marks[] = {0, 0, 0};

	fan(marks, 3);
	for (uint32_t i = 0; i < 3; i++)
		hand_conf(fanned(i), 0.1 + 0.4 * i);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->credited, 1u);
}

/* Of two that cannot be told apart each claim has one, whether they come in numbers or not. */
Test(score_handoff_ties, claims_of_two_alike_have_one_each)
{
	for (int marked = 0; marked < 2; marked++) {
		setup();
		for (int i = 0; i < 2; i++) {
			hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300, 310),
				     W(300, 310))
				->marks = marked ? MANY : 0;
			r.handoffs[i].has &= (uint16_t) ~(TH_SEQ | TH_TAKE);
		}
		hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 305);
		hand_claim(&r, HANDOFF_MSG, 7, 1, 206, 2, 306);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_RIGHT);
		EXPECT_BOTH(r, 1, OUT_RIGHT);
		cr_expect_eq(r.credited[0][0], 0);
		cr_expect_eq(r.credited[0][1], 1);
	}
}

/* ---- heard of across stretches ---- */

/* Of another key, by a call of thread 4. */
static void filler(uint64_t key, uint64_t t)
{
	hand_handoff(&r, HANDOFF_MSG, key, 4, W(t, t + 5), 4, W(t + 6, t + 8), W(t + 6, t + 8));
}

/* A false join speaks of what its src matches: here of one without dst, whose call reaches into the
 * stretch of the claim. */
Test(score_handoff_ties, a_false_join_is_heard_where_its_src_reaches)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 260), 2, W(0, 0), W(0, 0))->has &=
		(uint16_t)~TH_DST;
	filler(91, 210);
	filler(92, 220);
	filler(93, 250);
	hand_handoff(&r, HANDOFF_MSG, 7, 2, W(262, 268), 3, W(270, 280), W(270, 280));
	filler(94, 4000);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 255, 3, 275);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	cr_expect(r.spoken[LEVEL_CONTEXT][0] & SPOKEN_JOINED);
}

/* The observation may mean one without a key as well, received much later: it credits one. */
Test(score_handoff_ties, one_without_a_key_shares_the_observation_from_afar)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300, 310), W(300, 310));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 3, W(5000, 5010), W(5000, 5010));
	for (uint64_t i = 0; i < 4; i++)
		filler(91 + i, i ? 4000 : 220);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 305);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 3, 5005);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
}

/* Nor where the one's key has another scope than the claim of the other says. */
Test(score_handoff_ties, one_of_another_scope_shares_the_observation_from_afar)
{
	scoped(hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300, 310), W(300, 310)), 1);
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 3, W(5000, 5010), W(5000, 5010));
	for (uint64_t i = 0; i < 4; i++)
		filler(91 + i, i ? 4000 : 220);
	filler(7, 4500);
	claim_scoped(hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 305), 1);
	claim_scoped(hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 3, 5005), 2);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
}

/* Keys that others use, elsewhere, of claims that mean one without a key. */
Test(score_handoff_ties, many_keys_in_doubt)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 2, W(300, 310), W(300, 310));
	for (uint64_t i = 0; i < 40; i++) {
		filler(20 + i, 1000 + 100 * i);
		hand_conf(hand_claim(&r, HANDOFF_MSG, 20 + i, 1, 205, 2, 305), 1 - 0.01 * i);
	}
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	for (int i = 1; i < 40; i++)
		EXPECT_BOTH(r, i, OUT_DUPLICATE);
}

/* One that waits to know whether its key is used hits no decoy where it matches something. */
Test(score_handoff_ties, an_unused_key_beside_a_handoff_without_one_hits_no_decoy)
{
	for (int far = 0; far < 2; far++) {
		setup();
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 2, W(300, 310), W(300, 310));
		r.decoys[r.truth.decoys_cnt++] =
			(struct truth_decoy){.t = W(390, 410), .tid = 3, .type = HANDOFF_MSG};
		if (far)
			hand_claim(&r, HANDOFF_MSG, 99, 3, 400, 2, 305);
		else
			hand_claim(&r, HANDOFF_MSG, 99, 1, 205, 3, 400);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_OF_SCOPE);
		cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->decoy_hits, 0u);
	}
}

/* A time beside the windows is no time of the batch either: two are two. */
Test(score_handoff_ties, a_time_beside_the_windows_of_a_batch_does_not_count)
{
	two_takes(7, W(300, 390), W(250, 450), 310);
	r.v[0].handoff.dst_t = 320; /* swapped */
	hand_conf(hand_claim(&r, HANDOFF_WAKE, 7, 2, 220, 4, 260), 0.5);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}

/* Many groups of several types: each claim of a group may have the other's end. */
Test(score_handoff_ties, every_group_of_every_type_is_found)
{
	static const uint8_t types[] = {HANDOFF_WAKE, HANDOFF_MSG, HANDOFF_QUEUE};

	for (uint64_t i = 0; i < 24; i++) {
		uint64_t t = 200 + 100 * i;
		struct truth_handoff *h = hand_handoff(&r, types[i / 2 % 3], 0, 1, W(t, t + 10), 2,
						       W(t + 20, t + 30), W(t + 20, t + 30));

		h->has |= TH_AMB;
		h->amb = 5 * (i / 6);
		t = 200 + 100 * (i ^ 1);
		hand_claim(&r, h->type, 0, 1, 200 + 100 * i + 5, 2, t + 25);
	}
	hand_score(&r);
	for (int i = 0; i < 24; i++)
		EXPECT_BOTH(r, i, OUT_RIGHT);
}

/* ---- what hangs together with something far away ---- */

static void keyless(uint32_t dst_tid, struct window src, struct window dst)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, src, dst_tid, dst, dst);
}

/* Six handoffs, of which the third alone reaches to the others: the first two hang on it, through
 * one claim and another, in whatever order these stand. */
static void chain(int order)
{
	static const uint64_t src[] = {202, 207, 217}, dst[] = {320, 375, 430};

	setup();
	keyless(2, W(200, 210), W(300, 400));
	keyless(2, W(205, 220), W(350, 450));
	keyless(2, W(215, 230), W(420, 9000));
	for (uint64_t i = 0; i < 3; i++)
		keyless(3, W(5000 + 100 * i, 5010 + 100 * i), W(5020 + 100 * i, 5030 + 100 * i));
	for (int i = 0; i < 3; i++) {
		int k = order ? 2 - i : i;

		hand_claim(&r, HANDOFF_MSG, 0, 1, src[k], 2, dst[k]);
	}
	hand_score(&r);
}

Test(score_handoff_ties, claims_hang_together_over_several_steps)
{
	for (int order = 0; order < 2; order++) {
		chain(order);
		for (int i = 0; i < 3; i++) {
			EXPECT_BOTH(r, i, OUT_RIGHT);
			cr_expect_eq(r.credited[0][i], (uint32_t)(order ? 2 - i : i));
		}
	}
}

/* In the `ready` window of one that was sent long before, and of one that nobody means: of neither.
 */
Test(score_handoff_ties, a_dst_in_two_ready_windows_is_in_none)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 2, W(220, 5000), W(4990, 5000));
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(4500, 4510), 2, W(4520, 4700), W(4690, 4700));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 205, 2, 4600);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 206, 2, 4750);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_HALF);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* Three claims, of which the second may have either handoff: the first has the one, and the other
 * goes to the second, not to the third, although that one is left to the rest. */
static void expect_two_of_three(void)
{
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
}

/* Left because its key is in doubt. */
Test(score_handoff_ties, who_competes_with_one_in_doubt_is_left_as_well)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 205), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(203, 220), 2, W(350, 450), W(350, 450));
	for (uint64_t i = 0; i < 5; i++)
		filler(91 + i, i ? 4000 + i : 240);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 202, 2, 320);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 204, 2, 375);
	hand_claim(&r, HANDOFF_MSG, 93, 1, 210, 2, 430);
	expect_two_of_three();
}

/* Left because its handoff is tied to one that is received much later. */
Test(score_handoff_ties, who_competes_with_one_that_is_tied_is_left_as_well)
{
	hand_handoff(&r, HANDOFF_MSG, 8, 1, W(200, 204), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(201, 210), 2, W(350, 450), W(350, 450));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(206, 230), 3, W(5000, 5010), W(5000, 5010));
	for (uint64_t i = 0; i < 3; i++)
		filler(91 + i, 4000 + i);
	hand_claim(&r, HANDOFF_MSG, 8, 1, 200, 2, 320);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 202, 2, 375);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 430);
	expect_two_of_three();
}

/* Left because its handoff is of a batch with one that is handled much later. */
Test(score_handoff_ties, who_competes_with_one_of_a_batch_is_left_as_well)
{
	hand_handoff(&r, HANDOFF_MSG, 8, 1, W(200, 204), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(201, 210), 2, W(350, 450), W(350, 450));
	hand_handoff(&r, HANDOFF_MSG, 7, 3, W(215, 220), 2, W(440, 460), W(440, 5100));
	for (uint64_t i = 0; i < 3; i++)
		filler(91 + i, 4000 + i);
	hand_claim(&r, HANDOFF_MSG, 8, 1, 200, 2, 320);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 202, 2, 375);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 430);
	expect_two_of_three();
}

static void group(size_t first, size_t cnt)
{
	for (size_t i = first; i < first + cnt; i++) {
		r.handoffs[i].has |= TH_AMB;
		r.handoffs[i].amb = 5;
	}
}

/* Left because its handoff is of an amb group with one that is handled much later. */
Test(score_handoff_ties, who_competes_with_one_of_a_group_is_left_as_well)
{
	hand_handoff(&r, HANDOFF_MSG, 8, 1, W(200, 204), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(201, 210), 2, W(350, 450), W(350, 450));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(220, 230), 3, W(5000, 5010), W(5000, 5010));
	group(1, 2);
	for (uint64_t i = 0; i < 3; i++)
		filler(91 + i, 4000 + i);
	hand_claim(&r, HANDOFF_MSG, 8, 1, 200, 2, 320);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 202, 2, 375);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 430);
	expect_two_of_three();
}

/* An end in one of a group speaks of them all, and of each once, whoever else does: though one is
 * received much later, or is meant by a claim that waits to know whether its key is used. */
Test(score_handoff_ties, orphans_speak_of_their_group_from_afar)
{
	for (int doubt = 0; doubt < 2; doubt++) {
		uint64_t t = doubt ? 400 : 5000;

		setup();
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 2, W(300, 310), W(300, 310));
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(220, 230), 2, W(t, t + 10), W(t, t + 10));
		group(0, 2);
		for (uint64_t i = 0; i < 4; i++)
			filler(91 + i, i ? 4000 : 240);
		hand_orphan_dst(&r, HANDOFF_MSG, 0, 2, 305);
		hand_orphan_dst(&r, HANDOFF_MSG, doubt ? 93 : 0, 2, t + 5);
		hand_score(&r);
		EXPECT_BOTH(r, 0, OUT_ORPHAN);
		EXPECT_BOTH(r, 1, OUT_ORPHAN);
		cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan_only, 2u);
	}
}

/* Three that hang together as a batch alone, since their calls lie apart. Two are swapped, and that
 * only the third time shows, which comes much later. */
Test(score_handoff_ties, a_batch_is_ranked_with_the_one_that_is_handled_much_later)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 210), 2, W(300, 400), W(300, 400));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(215, 220), 2, W(350, 450), W(350, 450));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(225, 230), 2, W(440, 5000), W(440, 5000));
	for (uint64_t i = 0; i < 3; i++)
		filler(91 + i, 4000 + i);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 205, 2, 390);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 217, 2, 360);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 227, 2, 4500);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
	r.claims.cnt = 2; /* two times of three: no rank */
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	EXPECT_BOTH(r, 1, OUT_RIGHT);
}

/* Both speak of the one that their src matches, whose call goes on in the next stretch: it is
 * counted once. */
Test(score_handoff_ties, a_false_join_and_a_half_are_heard_of_one)
{
	hand_handoff(&r, HANDOFF_MSG, 7, 3, W(50, 60), 2, W(300, 310), W(300, 310));
	hand_handoff(&r, HANDOFF_MSG, 7, 1, W(200, 5000), 2, W(0, 0), W(0, 0))->has &=
		(uint16_t)~TH_DST;
	for (uint64_t i = 0; i < 4; i++)
		filler(91 + i, i ? 4000 : 240);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 250, 2, 305);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 251, 2, 4500);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 1, OUT_HALF);
	cr_expect_eq(r.score.one_ended_joined, 1u);
}
