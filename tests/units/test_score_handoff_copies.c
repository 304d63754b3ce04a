/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shifted copies of the claims, to the nanosecond: copy k is 1 ms + floor(k · 9 ms / 199) later,
 * and hits what the naive scorer says, which shifts all claims 200 times.
 */
#include "tests/naive/dense_run.h"
#include "tests/naive/hand_run.h"

static struct hand r;

enum { HIT = 50000000 }; /* a claim hits the first decoy here: one hit unshifted */

static void setup(void)
{
	hand_init(&r);
	r.truth.scored = W(0, UINT64_C(1000000000));
}

TestSuite(score_handoff_copies, .init = setup);

static void decoy(uint64_t v, uint32_t tid, uint64_t t0, uint64_t t1)
{
	r.decoys[r.truth.decoys_cnt++] =
		(struct truth_decoy){.key = {.v = v, .ns = v ? KEY_USER_DATA : KEY_NONE},
				     .t = W(t0, t1),
				     .tid = tid,
				     .type = HANDOFF_MSG};
}

/* One claim, which hits one decoy, and another decoy so much later: does a copy hit that? */
static bool copy_hits(uint64_t from, uint64_t to)
{
	setup();
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + from, HIT + to);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	hand_score(&r);
	return !r.score.cheating;
}

Test(score_handoff_copies, the_first_and_the_last_are_1_and_10_ms_later)
{
	cr_expect(copy_hits(1000000, 1000000));
	cr_expect_not(copy_hits(999999, 999999));
	cr_expect_not(copy_hits(1000001, 1000001));
	cr_expect(copy_hits(10000000, 10000000));
	cr_expect_not(copy_hits(9999999, 9999999));
	cr_expect_not(copy_hits(10000001, 10000001));
}

Test(score_handoff_copies, every_copy_is_found_and_nothing_beside_it)
{
	for (uint64_t k = 1; k < 199; k++) {
		uint64_t shift = 1000000 + 9000000 * k / 199;

		cr_assert(copy_hits(shift, shift), "copy %lu", k);
		cr_assert_not(copy_hits(shift - 1, shift - 1), "before copy %lu", k);
		cr_assert_not(copy_hits(shift + 1, shift + 1), "after copy %lu", k);
	}
}

Test(score_handoff_copies, a_window_is_hit_by_the_copies_at_its_bounds)
{
	cr_expect(copy_hits(500000, 1000000));
	cr_expect_not(copy_hits(500000, 999999));
	cr_expect(copy_hits(10000000, 20000000));
	cr_expect_not(copy_hits(10000001, 20000000));
	cr_expect(copy_hits(1, 100000000), "from before the first to after the last");
	cr_expect_not(copy_hits(1000001, 1045225), "between the first and the second");
	cr_expect(copy_hits(1000001, 1045226), "the second is 45,226 ns later");
	/* copy 176 would be there 1/199 ns later */
	cr_expect_not(copy_hits(8959799, 8959799));
	cr_expect(copy_hits(8959798, 8959798));
}

Test(score_handoff_copies, a_window_to_the_end_of_time_is_hit)
{
	r.truth.scored = W(0, UINT64_MAX);
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 5000000, UINT64_MAX);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	hand_score(&r);
	cr_expect_not(r.score.cheating);
}

/* Two seconds are more than are entered piece by piece; the first decoy, one nanosecond long, is in
 * no piece of its claim's. */
Test(score_handoff_copies, a_window_of_seconds_is_hit)
{
	enum { PIECE = 4 << 24 };

	r.truth.scored = W(0, UINT64_C(10000000000));
	decoy(0, 1, PIECE, PIECE);
	decoy(0, 1, PIECE + 5000000, PIECE + UINT64_C(2000000000));
	hand_claim(&r, HANDOFF_MSG, 0, 1, PIECE, 2, 1);
	hand_score(&r);
	cr_expect_not(r.score.cheating);
}

Test(score_handoff_copies, one_that_would_pass_the_end_of_time_is_none)
{
	r.truth.scored = W(0, UINT64_MAX);
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 5000000, HIT + 6000000);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, UINT64_MAX - 2000000);
	hand_score(&r);
	cr_expect(r.score.cheating);
}

/* Each copy has one end in a decoy, the other behind all that is scored. */
Test(score_handoff_copies, one_with_an_end_beyond_scored_is_none)
{
	for (unsigned inside = 0; inside < 2; inside++) {
		setup();
		r.truth.scored = W(0, 100000000 + inside * 1000000);
		decoy(0, 1, HIT, HIT);
		decoy(0, 1, HIT + 1000000, HIT + 11000000);
		hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 100000000);
		hand_score(&r);
		cr_expect(r.score.cheating == !inside);
	}
}

/* A copy whose dst lies in the one `ready` window of its thread means that handoff. */
Test(score_handoff_copies, one_that_matches_by_being_alone_is_no_hit)
{
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 1000000, HIT + 1000000);
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(100, 200), 2, W(900000, 1100000),
		     W(2000000, 2100000));
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	hand_score(&r);
	cr_expect(r.score.cheating);
}

Test(score_handoff_copies, both_ends_in_decoys_are_one_hit)
{
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 10, HIT + 10);
	decoy(0, 1, HIT + 1000000, HIT + 1000000);
	decoy(0, 2, 1000005, 1000005);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 5);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT + 10, 2, 700000000);
	hand_score(&r);
	cr_expect(r.score.cheating, "two hits against one");
}

Test(score_handoff_copies, ends_of_one_claim_reach_decoys_in_different_copies)
{
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 10000000, HIT + 10000000);
	decoy(0, 2, 1000005, 1000005);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 5);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 3, 5);
	hand_score(&r);
	cr_expect_not(r.score.cheating, "the last copy has both claims' hits");
	r.decoys[1].tid = 2;
	hand_score(&r);
	cr_expect(r.score.cheating, "only the first copy has a hit, and one");
}

Test(score_handoff_copies, another_key_thread_type_or_an_unlisted_end_reaches_nothing)
{
	decoy(9, 1, HIT, HIT);
	decoy(8, 1, HIT + 1000000, HIT + 1000000);
	decoy(9, 2, HIT + 1000000, HIT + 1000000);
	decoy(9, 1, HIT + 2000000, HIT + 2045226);
	r.decoys[3].type = HANDOFF_WAKE;
	hand_claim(&r, HANDOFF_MSG, 9, 1, HIT, 3, 5);
	hand_score(&r);
	cr_expect(r.score.cheating);
	/* to the thread that nobody lists, which context does not score */
	decoy(9, 1, HIT + 1000000, HIT + 1000000);
	r.decoys[4].tid = 1;
	hand_score(&r);
	cr_expect_not(r.score.cheating);
	hand_claim(&r, HANDOFF_MSG, 9, 1, HIT, 3, 6);
	hand_claim(&r, HANDOFF_MSG, 9, 1, HIT, 77, 6)->has |= HAS_DST_KERNEL;
	hand_score(&r);
	cr_expect_not(r.score.cheating, "the third is neither a hit nor a copy's");
}

/* Both ends must lie on threads of truth, or context does not score the copy either. */
Test(score_handoff_copies, a_copy_with_an_end_on_a_strange_thread_is_none)
{
	for (int side = 0; side < 2; side++) {
		struct claim *c;

		setup();
		decoy(0, 1, HIT, HIT);
		decoy(0, 1, HIT + 1000005, HIT + 1000005);
		hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
		c = side ? hand_claim(&r, HANDOFF_MSG, 0, 1, HIT + 5, 77, 1)
			 : hand_claim(&r, HANDOFF_MSG, 0, 77, 1, 1, HIT + 5);
		hand_score(&r);
		cr_expect(r.score.cheating);
		*(side ? &c->handoff.dst_tid : &c->handoff.src_tid) = 3;
		hand_score(&r);
		cr_expect_not(r.score.cheating);
	}
}

/* Its copies reach one decoy with the first and another with the last of 200: those between, none.
 */
Test(score_handoff_copies, copies_between_two_decoys_hit_neither)
{
	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 1, HIT + 1);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT + 1, 2, 1);
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t t = 100000000 + i * 100000000;

		decoy(0, 1, t + 1000000 + 45226 * i, t + 1000000 + 45226 * i);
		decoy(0, 1, t + 10000000 - 45227 * (1 - i), t + 10000000 - 45227 * (1 - i));
		hand_claim(&r, HANDOFF_MSG, 0, 1, t, 3, 1);
	}
	hand_score(&r);
	cr_expect(r.score.cheating, "no copy has two hits");
}

/* Claims end where their count says; a sanitizer sees whoever reads on. */
Test(score_handoff_copies, no_claim_is_read_but_those_that_are_there)
{
	struct claim *exact = malloc(sizeof(*exact));

	decoy(0, 1, HIT, HIT);
	decoy(0, 1, HIT + 1000000, HIT + 1000000); /* its copy matches, so it is judged */
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(HIT, HIT), 2, W(1000001, 1000001),
		     W(1000001, 1000001));
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	*exact = r.v[0];
	r.claims.v = exact;
	hand_score(&r);
	cr_expect(r.score.cheating);
	free(exact);
}

/* A copy that would match is no hit, whichever end matches and wherever that stands in truth. */
Test(score_handoff_copies, a_copy_that_matches_is_no_hit)
{
	for (int side = 0; side < 2; side++) {
		setup();
		decoy(0, 1, HIT, HIT);
		decoy(0, 1, HIT + 1000005, HIT + 1000005);
		if (side)
			hand_handoff(&r, HANDOFF_MSG, 0, 3, W(900000, 900010), 2,
				     W(1000900, 1000990), W(1001000, 1001100));
		else
			hand_handoff(&r, HANDOFF_MSG, 0, 2, W(1001000, 1001100), 3,
				     W(2000900, 2000990), W(2001000, 2001100));
		hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
		if (side)
			hand_claim(&r, HANDOFF_MSG, 0, 1, HIT + 5, 2, 1050);
		else
			hand_claim(&r, HANDOFF_MSG, 0, 2, 1050, 1, HIT + 5);
		hand_score(&r);
		cr_expect(r.score.cheating);
		r.handoffs[0].type = HANDOFF_WAKE; /* matches nothing */
		hand_score(&r);
		cr_expect_not(r.score.cheating);
	}
}

/* Its copy hits a decoy with one end, to the nanosecond, unless the other matches, to the
 * nanosecond: each copy is judged where it lies. */
Test(score_handoff_copies, every_copy_is_judged_where_it_lies)
{
	for (uint64_t k = 0; k < 200; k += k == 0 ? 1 : 33) {
		uint64_t shift = 1000000 + 9000000 * k / 199;

		for (int beside = 0; beside < 2; beside++) {
			uint64_t sent = 1050 + shift + (uint64_t)beside;

			setup();
			decoy(0, 1, HIT, HIT);
			decoy(0, 1, HIT + 5 + shift, HIT + 5 + shift);
			hand_handoff(&r, HANDOFF_MSG, 0, 2, W(sent, sent), 3, W(sent, sent),
				     W(sent, sent));
			hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
			hand_claim(&r, HANDOFF_MSG, 0, 2, 1050, 1, HIT + 5);
			hand_score(&r);
			cr_expect_eq(r.score.cheating, !beside, "copy %lu", k);
		}
	}
}

/* The first and the last copy of the claim lie in decoys, but match there; so does one between them
 * until its handoff is of another type. */
Test(score_handoff_copies, all_copies_that_may_hit_are_judged)
{
	const uint64_t at[] = {HIT + 1000000, HIT + 10000000, HIT + 1000000 + 9000000 * 100 / 199};

	decoy(0, 1, HIT, HIT);
	for (int i = 0; i < 3; i++) {
		decoy(0, 1, at[i], at[i]);
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(at[i], at[i]), 3, W(at[i], at[i]),
			     W(at[i], at[i]));
	}
	hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 2, 1);
	hand_score(&r);
	cr_expect(r.score.cheating);
	for (int i = 0; i < 3; i++) {
		r.handoffs[i].type = HANDOFF_WAKE;
		hand_score(&r);
		cr_expect_not(r.score.cheating, "%d matches nothing", i);
		r.handoffs[i].type = HANDOFF_MSG;
	}
}

/* Three hits. Of copy 100 three claims have an end in a decoy, but the last two match; what comes
 * before them has two copies in decoys, though not that one. */
Test(score_handoff_copies, hits_of_a_copy_are_its_own_and_each_is_one)
{
	enum { T = 200000000, U = 300000000, BY = 5522613 };

	decoy(0, 1, HIT, HIT);
	decoy(0, 1, T + 1000000, T + 1000000);
	decoy(0, 1, T + 10000000, T + 10000000);
	decoy(0, 1, U + BY, U + BY);
	for (uint64_t i = 0; i < 2; i++)
		hand_claim(&r, HANDOFF_MSG, 0, 1, T, 4, 1 + i);
	for (uint64_t i = 0; i < 3; i++) {
		hand_claim(&r, HANDOFF_MSG, 0, 1, U, 2, U + i);
		hand_claim(&r, HANDOFF_MSG, 0, 1, HIT, 4, 3 + i);
	}
	hand_handoff(&r, HANDOFF_MSG, 0, 3, W(U, U), 2, W(U + BY + 1, U + BY + 2),
		     W(U + BY + 1, U + BY + 2));
	hand_score(&r);
	cr_expect(r.score.cheating, "copy 100 has one hit");
	r.handoffs[0].dst_ready.t0 = r.handoffs[0].dst_t.t0 = U + BY + 2;
	hand_score(&r);
	cr_expect(r.score.cheating, "copy 100 has two hits");
	r.truth.handoffs_cnt = 0;
	hand_score(&r);
	cr_expect_not(r.score.cheating, "copy 100 has three hits");
}

/* ---- at random ---- */

enum { GRAIN = 100000 };

static uint64_t grains(struct dense *d, unsigned below)
{
	return dense_below(d, below) * (uint64_t)GRAIN;
}

/* Begins `from` grains after the first moment, or up to `spread` later. */
static struct window some_window(struct dense *d, unsigned from, unsigned spread, unsigned longest)
{
	uint64_t t = from * (uint64_t)GRAIN + grains(d, spread);

	return W(t, t + grains(d, longest));
}

/* Claims of the first 3 ms, decoys there and later, and handoffs that copies mean by a dst. */
static void deal(struct dense *d)
{
	unsigned decoys = 2 + dense_below(d, 10), claims = 4 + dense_below(d, 24);
	unsigned handoffs = dense_below(d, 40), longest = 1 + dense_below(d, 40);

	setup();
	for (unsigned i = 0; i < decoys; i++) {
		struct window w = some_window(d, i % 2 * 30, i % 2 ? 110 : 30, longest);

		decoy(dense_below(d, 3), 1 + dense_below(d, 2), w.t0, w.t1);
	}
	for (unsigned i = 0; i < claims; i++) {
		uint64_t v = dense_below(d, 3), t = grains(d, 30);
		uint32_t tid = 1 + dense_below(d, 2);

		if (dense_below(d, 16))
			hand_claim(&r, HANDOFF_MSG, v, tid, t, 3 + dense_below(d, 2),
				   t + grains(d, 2));
		else
			hand_orphan_src(&r, HANDOFF_MSG, v, tid, t);
	}
	for (unsigned i = 0; i < handoffs; i++) {
		struct window w = some_window(d, 10, 130, 100);

		hand_handoff(&r, HANDOFF_MSG, dense_below(d, 3), 3, W(w.t0, w.t0),
			     3 + dense_below(d, 2), w, w);
	}
}

/* Of some runs no copy can have as many hits as the claims; of others only a look at truth can tell
 * that none has; of others one has. All copies are judged one by one by the naive scorer. */
Test(score_handoff_copies, random_runs_are_judged_as_if_all_copies_were)
{
	unsigned unjudged = 0, cleared = 0, chance = 0, runs = (unsigned)dense_runs(120);

	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct dense d = {.rng = seed};
		uint64_t hits;
		bool cheating;

		deal(&d);
		hand_score(&r);
		hits = hand_all(&r, LEVEL_CONTEXT)->decoy_hits;
		cheating = r.score.cheating;
		r.truth.handoffs_cnt = 0;
		hand_score(&r);
		if (!hits || hits != hand_all(&r, LEVEL_CONTEXT)->decoy_hits)
			continue;
		unjudged += cheating && r.score.cheating;
		cleared += cheating && !r.score.cheating;
		chance += !cheating;
	}
	cr_expect_geq(unjudged, runs / 40, "%u", unjudged);
	cr_expect_geq(cleared, runs / 40, "%u", cleared);
	cr_expect_geq(chance, runs / 40, "%u", chance);
}

/* ---- many claims, by several workers ---- */

enum { CROWD = 40000, APART = 20000000 };

static struct claim crowd[CROWD];

static bool crowd_cheats(void)
{
	static const struct score_options one = {.threads = 1}, three = {.threads = 3};
	struct claims c = {.v = crowd, .cnt = CROWD};
	struct handoff_score s[2];

	cr_assert_eq(score_handoffs_with(&r.truth, &c, &one, &s[0], NULL), 0);
	cr_assert_eq(score_handoffs_with(&r.truth, &c, &three, &s[1], NULL), 0);
	cr_assert_eq(memcmp(&s[0], &s[1], sizeof(s[0])), 0);
	return s[1].cheating;
}

/* Claims far apart; the first and the last have a copy in a decoy, which make two hits of one copy.
 */
Test(score_handoff_copies, hits_of_all_workers_are_one_sum)
{
	r.truth.scored = W(0, (uint64_t)CROWD * APART);
	for (uint64_t i = 0; i < CROWD; i++)
		crowd[i] = (struct claim){.kind = CLAIM_HANDOFF,
					  .type = HANDOFF_MSG,
					  .has = HAS_SRC | HAS_DST,
					  .handoff = {.src_tid = 1,
						      .dst_tid = 2,
						      .src_t = i * APART,
						      .dst_t = i * APART}};
	for (uint64_t i = 0; i < CROWD; i += CROWD - 1) {
		decoy(0, 1, i * APART, i * APART);
		decoy(0, 1, i * APART + 1000000, i * APART + 1000000);
	}
	r.truth.scored.t1 += 10000000;
	cr_expect_not(crowd_cheats(), "two hits, and two of the first copy");
	r.decoys[3].t = W(r.decoys[3].t.t0 + 1, r.decoys[3].t.t0 + 1);
	cr_expect(crowd_cheats(), "no copy has two");
}
