/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both levels settle alike what they have alike, and each by itself what hangs together with
 * something that one has alone, over however many claims.
 */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_levels, .init = setup);

/* Handoffs that come in numbers, so that one observation is no tie between them; each of a scope of
 * its own, so that nothing is ranked. They are received one after the other, each when half of the
 * one before is still to come. */
static void row_of(unsigned cnt)
{
	for (uint64_t i = 0; i < cnt; i++) {
		struct window w = W(300 + 100 * i, 450 + 100 * i);
		struct truth_handoff *h = hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, w, w);

		h->marks = 1u << MARK_MULTISHOT;
		h->key.has_scope = true;
		h->key.scope = 1 + i;
	}
}

enum { ALONE, WITH_BEFORE, WITH_NEXT };

/* Means handoff i alone, or that and a neighbour. */
static struct claim *means(uint64_t i, int with, double conf)
{
	static const uint64_t later[] = {375, 325, 425};
	struct claim *c =
		hand_claim(&r, HANDOFF_IO, 7, 1, 205 + r.claims.cnt, 2, later[with] + 100 * i);

	hand_conf(c, conf);
	return c;
}

/* Claim 0 means the first handoff alone, each of the next the one before and its own; claim cnt is
 * an end in the kernel, and takes the last at identity alone. So there each has the one before, and
 * nothing is left for claim 0, which is all claims away from what the levels differ by. They stand
 * in either order, and may begin at the last handoff. */
static void chain(unsigned cnt, bool backwards, bool mirrored)
{
	uint32_t lone = backwards ? cnt : 0;

	setup();
	row_of(cnt);
	for (unsigned k = 0; k <= cnt; k++) {
		unsigned i = backwards ? cnt - k : k, last = i == cnt, h = i - last;
		struct claim *c = means(mirrored ? cnt - 1 - h : h,
					last || !i ? ALONE
					: mirrored ? WITH_NEXT
						   : WITH_BEFORE,
					last ? 0.9
					: i  ? 0.8
					     : 0.5);

		c->has |= last ? HAS_DST_KERNEL : 0;
		c->handoff.dst_tid = last ? 99 : 2;
	}
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, lone, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, lone, OUT_DUPLICATE);
	cr_expect(hand_all(&r, LEVEL_CONTEXT)->right == cnt);
	cr_expect(hand_all(&r, LEVEL_IDENTITY)->right == cnt);
	cr_expect(hand_all(&r, LEVEL_IDENTITY)->duplicate == 1);
}

Test(score_handoff_levels, what_one_has_alone_is_felt_along_a_chain_of_claims)
{
	for (unsigned cnt = 2; cnt <= 6; cnt++)
		for (unsigned way = 0; way < 4; way++)
			chain(cnt, way & 1, way & 2);
}

/* One observation, of which one claim means the first handoff and one the second. One of these is
 * wanted from the kernel as well, at identity alone: that the observation is one still holds of the
 * other, in context too. */
static void one_observation(bool keyed, unsigned order, unsigned wanted)
{
	setup();
	for (unsigned i = 0; i < 2; i++) {
		struct window w = W(300 + 200 * i, 400 + 200 * i);
		struct truth_handoff *h =
			hand_handoff(&r, HANDOFF_IO, keyed ? 7 : 7 + i, 1, W(200, 230), 2, w, w);

		h->key.has_scope = true;
		h->key.scope = 1 + i;
	}
	hand_claim(&r, HANDOFF_IO, keyed ? 7 : 0, 1, 205, 2, order ? 550 : 350);
	hand_claim(&r, HANDOFF_IO, keyed ? 7 : 0, 1, 205, 2, order ? 350 : 550);
	hand_claim(&r, HANDOFF_IO, keyed ? 7 : 7 + wanted, 1, 207, 99, 365 + 200 * wanted);
	r.v[2].has |= HAS_DST_KERNEL | HAS_SCOPE;
	r.v[2].handoff.key_scope = 1 + wanted;
	hand_score(&r);
	EXPECT(r, LEVEL_CONTEXT, order, OUT_RIGHT);
	EXPECT(r, LEVEL_CONTEXT, !order, OUT_DUPLICATE);
	EXPECT(r, LEVEL_IDENTITY, order ^ !wanted, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, order ^ wanted, OUT_DUPLICATE);
	EXPECT(r, LEVEL_IDENTITY, 2, OUT_RIGHT);
}

Test(score_handoff_levels, an_observation_is_one_at_each)
{
	for (unsigned way = 0; way < 8; way++)
		one_observation(way & 1, way >> 1 & 1, way >> 2 & 1);
}

/* An end in the kernel comes first, and has the handoff at identity alone; in context the next has
 * it, and the third of equal worth nowhere. */
Test(score_handoff_levels, a_handoff_may_have_another_owner_at_each)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 400), W(300, 400));
	hand_conf(hand_claim(&r, HANDOFF_IO, 7, 1, 205, 99, 350), 0.9);
	r.v[0].has |= HAS_DST_KERNEL;
	hand_conf(hand_claim(&r, HANDOFF_IO, 7, 1, 206, 2, 350), 0.8);
	hand_conf(hand_claim(&r, HANDOFF_IO, 7, 1, 207, 2, 350), 0.7);
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_RIGHT);
	EXPECT(r, LEVEL_CONTEXT, 1, OUT_RIGHT);
	EXPECT(r, LEVEL_IDENTITY, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_DUPLICATE);
	hand_conf(&r.v[0], 0.1);
	hand_conf(&r.v[2], 0.95);
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_DUPLICATE);
	EXPECT_BOTH(r, 1, OUT_DUPLICATE);
	EXPECT_BOTH(r, 2, OUT_RIGHT);
}
