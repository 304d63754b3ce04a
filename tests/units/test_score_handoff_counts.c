/* SPDX-License-Identifier: BSD-2-Clause */
/* Outcomes and what they are counted under; scope, decoys, copies; handoffs with one end. */
#include "tests/naive/hand_run.h"

static struct hand r;

static void setup(void)
{
	hand_init(&r);
}

TestSuite(score_handoff_counts, .init = setup);

static struct truth_handoff *plain(uint64_t v, uint64_t at, uint16_t marks)
{
	struct truth_handoff *h = hand_handoff(&r, HANDOFF_MSG, v, 1, W(at, at + 30), 2,
					       W(at + 100, at + 190), W(at + 200, at + 300));

	h->marks = marks;
	return h;
}

Test(score_handoff_counts, every_outcome_once)
{
	const struct handoff_counts *k;

	plain(7, 1000, 0);
	plain(8, 2000, 0);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1250); /* right */
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1011, 2, 1250); /* duplicate */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 1010, 2, 2250); /* false join */
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1301); /* half */
	hand_claim(&r, HANDOFF_MSG, 7, 3, 1010, 3, 1301); /* spurious */
	hand_orphan_dst(&r, HANDOFF_MSG, 8, 2, 2250);	  /* orphan */
	hand_orphan_dst(&r, HANDOFF_MSG, 8, 3, 2250);	  /* spurious with one end */
	hand_claim(&r, HANDOFF_MSG, 9, 1, 1010, 2, 1250); /* out of scope */
	hand_score(&r);
	for (int l = 0; l < LEVEL_CNT; l++) {
		k = hand_all(&r, (enum score_level)l);
		cr_expect_eq(k->truth, 2);
		cr_expect_eq(k->claims, 7);
		cr_expect_eq(k->two_ended, 5);
		cr_expect_eq(k->right, 1);
		cr_expect_eq(k->duplicate, 1);
		cr_expect_eq(k->false_join, 1);
		cr_expect_eq(k->half, 1);
		cr_expect_eq(k->spurious, 2);
		cr_expect_eq(k->orphan, 1);
		cr_expect_eq(k->out_of_scope, 1);
		cr_expect_eq(k->orphan_only, 1);
		cr_expect_eq(k->claims, k->right + k->duplicate + k->false_join + k->half +
						k->spurious + k->orphan);
	}
}

Test(score_handoff_counts, a_two_ended_claim_of_it_silences_orphans)
{
	plain(7, 1000, 0);
	plain(7, 2000, 0);
	hand_orphan_dst(&r, HANDOFF_MSG, 7, 2, 1250);
	hand_orphan_src(&r, HANDOFF_MSG, 7, 1, 2010);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1250);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 2250); /* a false join does not speak */
	hand_score(&r);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan_only, 1);
	cr_expect_eq(r.spoken[0][0], SPOKEN_CREDITED | SPOKEN_TWO_ENDED | SPOKEN_ORPHAN);
	cr_expect_eq(r.spoken[0][1], SPOKEN_ORPHAN);
}

Test(score_handoff_counts, an_orphan_speaks_of_all_that_its_end_matches)
{
	plain(7, 1000, 0);
	plain(8, 1000, 0);
	hand_orphan_src(&r, HANDOFF_MSG, 0, 1, 1010);
	hand_score(&r);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan, 1);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan_only, 2);
}

Test(score_handoff_counts, scope_asks_all_types_and_all_of_truth)
{
	r.truth.scored = W(1000, 5000);
	plain(7, 1000, 0);
	plain(8, 100, 0); /* before scored */
	hand_claim(&r, HANDOFF_WAKE, 7, 3, 3000, 3, 3000);
	hand_claim(&r, HANDOFF_MSG, 8, 3, 3000, 3, 3000);
	hand_claim(&r, HANDOFF_MSG, 9, 3, 3000, 3, 3000);
	hand_orphan_src(&r, HANDOFF_MSG, 9, 1, 1010);
	hand_claim(&r, HANDOFF_MSG, 0, 3, 3000, 3, 3000);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
	EXPECT_BOTH(r, 1, OUT_SPURIOUS);
	EXPECT_BOTH(r, 2, OUT_OF_SCOPE);
	EXPECT_BOTH(r, 3, OUT_OF_SCOPE);
	EXPECT_BOTH(r, 4, OUT_SPURIOUS);
}

Test(score_handoff_counts, marks_follow_the_outcome)
{
	const struct handoff_level *l = &r.score.level[LEVEL_CONTEXT];
	const uint16_t a = 1u << MARK_PUNTED, b = 1u << MARK_INLINE, c = 1u << MARK_LATE;

	plain(7, 1000, a);
	plain(8, 2000, b);
	plain(9, 3000, c);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1250); /* right: a */
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1011, 2, 1250); /* duplicate: a */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 2010, 2, 3250); /* false join: b and c */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 3010, 2, 3999); /* half: c */
	hand_claim(&r, HANDOFF_MSG, 7, 3, 3010, 3, 3999); /* spurious: none */
	hand_orphan_dst(&r, HANDOFF_MSG, 0, 2, 2250);	  /* orphan: b */
	hand_score(&r);
	cr_expect_eq(l->marks, (uint32_t)(a | b | c));
	cr_expect_eq(l->mark[MARK_PUNTED].right, 1);
	cr_expect_eq(l->mark[MARK_PUNTED].duplicate, 1);
	cr_expect_eq(l->mark[MARK_PUNTED].claims, 2);
	cr_expect_eq(l->mark[MARK_PUNTED].truth, 1);
	cr_expect_eq(l->mark[MARK_INLINE].false_join, 1);
	cr_expect_eq(l->mark[MARK_INLINE].orphan, 1);
	cr_expect_eq(l->mark[MARK_INLINE].orphan_only, 1);
	cr_expect_eq(l->mark[MARK_LATE].false_join, 1);
	cr_expect_eq(l->mark[MARK_LATE].half, 1);
	cr_expect_eq(l->mark[MARK_LATE].claims, 2);
}

Test(score_handoff_counts, sources_and_declared_types_are_sums_of_their_claims)
{
	const struct handoff_level *l = &r.score.level[LEVEL_CONTEXT];

	r.claims.header.declares = 1u << HANDOFF_QUEUE;
	plain(7, 1000, 0);
	plain(8, 2000, 0)->type = HANDOFF_QUEUE;
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1250)->source = SOURCE_KERNEL;
	hand_claim(&r, HANDOFF_QUEUE, 8, 1, 2010, 2, 2250)->source = SOURCE_RUNTIME;
	hand_claim(&r, HANDOFF_QUEUE, 8, 3, 2010, 3, 2250);
	hand_score(&r);
	cr_expect_eq(l->declared.truth, 1);
	cr_expect_eq(l->declared.claims, 2);
	cr_expect_eq(l->declared.right, 1);
	cr_expect_eq(l->all.right, 2);
	cr_expect_eq(l->type[HANDOFF_MSG].right, 1);
	cr_expect_eq(l->source[SOURCE_KERNEL].right, 1);
	cr_expect_eq(l->source[SOURCE_KERNEL].claims, 1);
	cr_expect_eq(l->source[SOURCE_RUNTIME].claims, 1);
	cr_expect_eq(l->sources, 1u << SOURCE_KERNEL | 1u << SOURCE_RUNTIME);
	cr_expect_eq(l->types, 1u << HANDOFF_MSG | 1u << HANDOFF_QUEUE);
}

/* Each type has another number of handoffs than its neighbours, and of orphans. */
Test(score_handoff_counts, of_a_type_that_is_declared_all_counts_and_of_no_other)
{
	for (uint8_t type = 0; type < HANDOFF_TYPE_CNT; type++)
		for (unsigned i = 0; i < 1u + type % 2; i++) {
			uint64_t at = 1000 * (i + 1);

			plain(7, at, 0)->type = type;
			if (i)
				hand_orphan_src(&r, type, 7, 1, at + 10);
		}
	for (uint8_t type = 0; type < HANDOFF_TYPE_CNT; type++) {
		const struct handoff_level *l = &r.score.level[LEVEL_IDENTITY];

		r.claims.header.declares = 1u << type;
		hand_score(&r);
		cr_expect(l->declared.truth == 1u + type % 2);
		cr_expect(l->declared.visible == 1u + type % 2);
		cr_expect(l->declared.orphan_only == type % 2);
	}
}

Test(score_handoff_counts, one_ended_handoffs_are_named_and_joined)
{
	plain(7, 1000, 0)->has &= (uint8_t)~TH_DST;
	plain(8, 2000, 0)->has &= (uint8_t)~TH_SRC;
	plain(9, 3000, 0);
	hand_orphan_src(&r, HANDOFF_MSG, 7, 1, 1010);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 1010, 2, 3250); /* false join with h1 in S */
	hand_claim(&r, HANDOFF_MSG, 8, 3, 2010, 2, 2250); /* half with h2 in D */
	hand_score(&r);
	EXPECT_BOTH(r, 1, OUT_FALSE_JOIN);
	EXPECT_BOTH(r, 2, OUT_HALF);
	cr_expect_eq(r.score.one_ended_truth, 2);
	cr_expect_eq(r.score.one_ended_named, 1);
	cr_expect_eq(r.score.one_ended_joined, 2);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->truth, 1);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->orphan_only, 0);
}

static struct truth_decoy *decoy(uint64_t v, uint32_t tid, struct window t)
{
	struct truth_decoy *d = &r.decoys[r.truth.decoys_cnt++];

	*d = (struct truth_decoy){.key = {.v = v, .ns = v ? KEY_USER_DATA : KEY_NONE},
				  .t = t,
				  .tid = tid,
				  .type = HANDOFF_MSG};
	return d;
}

Test(score_handoff_counts, decoys_are_hit_by_either_end_once)
{
	const struct handoff_counts *k = &r.score.level[LEVEL_CONTEXT].all;

	plain(7, 1000, 0);
	decoy(99, 1, W(5000, 5010));
	decoy(99, 2, W(5000, 5010));
	hand_claim(&r, HANDOFF_MSG, 99, 1, 5000, 2, 5010); /* both ends: one hit */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5005, 2, 9000);  /* keyless */
	hand_claim(&r, HANDOFF_MSG, 98, 1, 5005, 2, 5005); /* another key */
	hand_claim(&r, HANDOFF_WAKE, 0, 1, 5005, 2, 5005); /* another type */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5011, 2, 4999);  /* beside */
	hand_orphan_dst(&r, HANDOFF_MSG, 0, 2, 5001);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 1010, 2, 5001); /* half: S is not empty */
	hand_score(&r);
	cr_expect_eq(k->decoy_hits, 3);
	EXPECT_BOTH(r, 0, OUT_OF_SCOPE);
	EXPECT_BOTH(r, 6, OUT_HALF);
}

Test(score_handoff_counts, event_decoys_and_decoys_outside_scored_are_no_decoys_here)
{
	r.truth.scored = W(1000, 5005);
	decoy(0, 1, W(5000, 5010));
	decoy(0, 1, W(2000, 2010))->as_event = 1;
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5002, 2, 3000);
	hand_claim(&r, HANDOFF_MSG, 0, 1, 2002, 2, 3000);
	hand_score(&r);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->decoy_hits, 0);
}

/* Times in ms here, so that shifted copies of the claims stay within scored. */
Test(score_handoff_counts, cheating_is_more_hits_than_any_shifted_copy)
{
	r.truth.scored = W(0, UINT64_C(1000000000));
	decoy(0, 1, W(5000000, 5000100));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5000050, 2, 900000000);
	hand_score(&r);
	cr_expect(r.score.cheating);
	/* the first copy, 1 ms later, hits another decoy: as many, so no cheating */
	decoy(0, 1, W(6000000, 6000100));
	hand_score(&r);
	cr_expect_not(r.score.cheating);
	/* two hits against at most one */
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5000060, 2, 900000000);
	r.decoys[1].t = W(6000055, 6000100);
	hand_score(&r);
	cr_expect(r.score.cheating);
}

Test(score_handoff_counts, a_copy_that_leaves_scored_hits_nothing)
{
	r.truth.scored = W(0, 5500000);
	decoy(0, 1, W(5000000, 5000100));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5000050, 2, 5000060);
	decoy(0, 1, W(6000000, 6000100));
	hand_score(&r);
	cr_expect(r.score.cheating);
}

Test(score_handoff_counts, a_copy_that_hits_a_handoff_hits_no_decoy)
{
	r.truth.scored = W(0, UINT64_C(1000000000));
	decoy(0, 1, W(5000000, 5000100));
	decoy(0, 1, W(6000000, 6000100));
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(6000000, 6000100), 3, W(6000000, 6000100),
		     W(6000000, 6000100));
	hand_claim(&r, HANDOFF_MSG, 0, 1, 5000050, 2, 900000000);
	hand_score(&r);
	cr_expect(r.score.cheating);
}

Test(score_handoff_counts, other_kinds_of_claims_are_not_scored)
{
	plain(7, 1000, 0);
	hand_claim(&r, HANDOFF_MSG, 7, 1, 1010, 2, 1250)->kind = CLAIM_GAP;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_NOT_SCORED);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->claims, 0);
}

/* Two marks, the lowest among them: an orphan alone speaks of it under both. */
Test(score_handoff_counts, orphan_only_is_counted_under_every_mark)
{
	const struct handoff_level *l = &r.score.level[LEVEL_CONTEXT];

	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 230), 2, W(300, 390), W(400, 500))->marks =
		1u << MARK_PUNTED | 1u << MARK_LATE;
	hand_orphan_src(&r, HANDOFF_MSG, 0, 1, 210);
	hand_score(&r);
	cr_expect_eq(l->mark[MARK_PUNTED].orphan_only, 1);
	cr_expect_eq(l->mark[MARK_LATE].orphan_only, 1);
	cr_expect_eq(l->mark[MARK_INLINE].orphan_only, 0);
}

/* Named on another thread, by its key: identity's business, and the count is of context. */
Test(score_handoff_counts, one_ended_is_named_at_context_level)
{
	struct truth_handoff *h =
		hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));

	h->has &= (uint8_t)~TH_SRC;
	hand_orphan_dst(&r, HANDOFF_IO, 7, 99, 450)->has |= HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_ORPHAN);
	cr_expect_eq(r.score.one_ended_truth, 1);
	cr_expect_eq(r.score.one_ended_named, 0);
	hand_orphan_dst(&r, HANDOFF_IO, 7, 2, 450);
	hand_score(&r);
	cr_expect_eq(r.score.one_ended_named, 1);
}

/* An end on a thread that truth does not know hits no decoy of a thread that it does. */
Test(score_handoff_counts, a_decoy_is_hit_on_its_own_thread)
{
	r.decoys[r.truth.decoys_cnt++] =
		(struct truth_decoy){.t = W(600, 700), .tid = 4, .type = HANDOFF_IO};
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_IO, 7, 1, 5000, 77, 650)->has |= HAS_DST_KERNEL;
	hand_score(&r);
	EXPECT(r, LEVEL_IDENTITY, 0, OUT_SPURIOUS);
	cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->decoy_hits, 0);
}

/* Thirty claims whose keys match nothing: of every second a handoff of truth, of whatever type and
 * time, has the key; every third says a scope, which is another one for every fifth. */
Test(score_handoff_counts, keys_in_doubt_are_told_apart)
{
	for (uint64_t i = 0; i < 30; i++) {
		struct claim *c = hand_claim(&r, HANDOFF_IO, 100 + i, 1, 5000 + i, 2, 6000 + i);

		if (i % 3 == 0) {
			c->has |= HAS_SCOPE;
			c->handoff.key_scope = i % 5;
		}
		if (i % 7 == 0)
			c->ns = KEY_UADDR;
		if (i % 2) {
			struct truth_key *k =
				&hand_handoff(&r, HANDOFF_MSG, 100 + i, 3, W(200, 230), 4,
					      W(300, 390), W(400, 500))
					 ->key;

			k->has_scope = i % 4 == 1;
			k->scope = i % 5 ? i % 5 : 9;
		}
	}
	hand_score(&r);
	cr_expect_eq(r.outcome[LEVEL_CONTEXT][2], OUT_OF_SCOPE);
	cr_expect_eq(r.outcome[LEVEL_CONTEXT][1], OUT_SPURIOUS);
	cr_expect_gt(hand_all(&r, LEVEL_CONTEXT)->out_of_scope, 14);
	cr_expect_gt(hand_all(&r, LEVEL_CONTEXT)->spurious, 8);
}

/* Each alone says of its key that it is used, by a handoff that it does not mean. */
Test(score_handoff_counts, orphans_with_keys_in_doubt)
{
	hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 210), 2, W(300, 310), W(300, 310));
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t t = 1000 + 100 * i;

		hand_handoff(&r, HANDOFF_MSG, 20 + i, 3, W(t, t + 5), 4, W(t + 6, t + 8),
			     W(t + 6, t + 8));
		hand_orphan_dst(&r, HANDOFF_MSG, 20 + i, 2, 305);
	}
	hand_score(&r);
	for (int i = 0; i < 8; i++)
		EXPECT_BOTH(r, i, OUT_ORPHAN);
}

/* Keys in doubt are hashed by their tags; are these of one of the 64 buckets? */
static bool one_bucket(uint8_t ns_a, uint64_t a, uint8_t ns_b, uint64_t b)
{
	return !((key_tag(ns_a, a) ^ key_tag(ns_b, b)) % 64);
}

/* One of another value and one of another space, hashed alike. */
Test(score_handoff_counts, keys_in_doubt_beside_one_that_is_used_are_out_of_scope)
{
	uint64_t used = 1, other;

	while (!one_bucket(KEY_USER_DATA, used, KEY_UADDR, used))
		used++;
	for (other = used + 1; !one_bucket(KEY_USER_DATA, used, KEY_USER_DATA, other);)
		other++;
	hand_handoff(&r, HANDOFF_MSG, used, 3, W(200, 230), 4, W(300, 390), W(400, 500));
	hand_claim(&r, HANDOFF_MSG, used, 1, 8500, 2, 8600);
	hand_claim(&r, HANDOFF_MSG, other, 1, 8501, 2, 8601);
	hand_claim(&r, HANDOFF_MSG, used, 1, 8502, 2, 8602)->ns = KEY_UADDR;
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
	EXPECT_BOTH(r, 1, OUT_OF_SCOPE);
	EXPECT_BOTH(r, 2, OUT_OF_SCOPE);
}

/* The tags of so many keys in doubt are noted by their lowest 13 bits: these fill one word and
 * begin the next, and one after the other is found to be used. */
Test(score_handoff_counts, keys_in_doubt_whose_bits_lie_side_by_side_are_all_used)
{
	enum { KEYS = 80, BITS = 1 << 13 };
	uint64_t key[KEYS] = {0};
	size_t found = 0;

	for (uint64_t v = 1; found < KEYS; v++) {
		uint32_t bit = key_tag(KEY_USER_DATA, v) % BITS;

		if (bit < KEYS && !key[bit]) {
			key[bit] = v;
			found++;
		}
	}
	for (uint64_t i = 0; i < KEYS; i++) {
		hand_handoff(&r, HANDOFF_MSG, key[i], 3, W(100 * i, 100 * i + 30), 4,
			     W(100 * i + 40, 100 * i + 50), W(100 * i + 40, 100 * i + 50));
		hand_claim(&r, HANDOFF_MSG, key[i], 1, 8500, 2, 8600);
	}
	hand_score(&r);
	for (int i = 0; i < KEYS; i++)
		EXPECT_BOTH(r, i, OUT_SPURIOUS);
}

/* What was found of them fills the room that there is at first: whoever reads on reads what is not
 * there. */
Test(score_handoff_counts, eight_claims_that_may_mean_either_of_two)
{
	for (int i = 0; i < 2; i++)
		hand_handoff(&r, HANDOFF_MSG, 0, 1, W(200, 300), 2, W(400, 500), W(400, 500));
	for (uint64_t i = 0; i < 8; i++)
		hand_claim(&r, HANDOFF_MSG, 0, 1, 210 + i, 2, 410 + i);
	hand_score(&r);
	for (int i = 0; i < 8; i++)
		EXPECT_BOTH(r, i, i < 2 ? OUT_RIGHT : OUT_DUPLICATE);
}

/* Truth ends where its count says; a sanitizer sees whoever reads on. */
Test(score_handoff_counts, a_key_in_doubt_is_asked_of_no_more_than_is_there)
{
	struct truth_handoff *exact = malloc(sizeof(*exact));

	hand_handoff(&r, HANDOFF_MSG, 7, 3, W(200, 230), 4, W(300, 390), W(400, 500));
	*exact = r.handoffs[0];
	r.truth.handoffs = exact;
	hand_claim(&r, HANDOFF_MSG, 7, 1, 8500, 2, 8600);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_SPURIOUS);
	free(exact);
}

/* Out of sight in context and not by identity; a plain claim is right about it at both levels. */
Test(score_handoff_counts, what_hides_at_one_level_shows_at_the_other)
{
	hand_handoff(&r, HANDOFF_IO, 7, 1, W(200, 230), 2, W(300, 390), W(400, 500))->marks =
		1u << MARK_SQPOLL;
	hand_claim(&r, HANDOFF_IO, 7, 1, 210, 2, 450);
	hand_score(&r);
	EXPECT_BOTH(r, 0, OUT_RIGHT);
	cr_expect_eq(hand_all(&r, LEVEL_CONTEXT)->visible_credited, 0u);
	cr_expect_eq(hand_all(&r, LEVEL_IDENTITY)->visible_credited, 1u);
}
