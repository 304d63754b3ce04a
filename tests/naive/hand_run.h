/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth and claims built by hand, scored by both scorers, which must agree.
 *
 * scored is [0, 10000], threads 1 2 3 4, comparable spaces user_data and uaddr; all of it can be
 * changed before hand_score. A handoff's seq and take are its number, from 1; its key, if v is not
 * 0, is user_data v without scope.
 */
#ifndef ASSAY_TESTS_HAND_RUN_H
#define ASSAY_TESTS_HAND_RUN_H

#include <criterion/criterion.h>
#include <string.h>

#include "scoring/handoff.h"
#include "tests/naive/naive_handoff.h"
#include "tests/naive/score_ways.h"

struct hand {
	struct truth truth;
	struct claims claims;
	uint32_t threads[4];
	struct truth_handoff handoffs[NAIVE_MAX];
	struct truth_decoy decoys[NAIVE_MAX];
	struct claim v[NAIVE_MAX];
	struct handoff_score score;
	uint8_t outcome[LEVEL_CNT][NAIVE_MAX], spoken[LEVEL_CNT][NAIVE_MAX];
	uint32_t credited[LEVEL_CNT][NAIVE_MAX];
};

static inline void hand_init(struct hand *r)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < 4; i++)
		r->threads[i] = i + 1;
	r->truth = (struct truth){.scored = {0, 10000},
				  .threads = r->threads,
				  .threads_cnt = 4,
				  .keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR,
				  .handoffs = r->handoffs,
				  .decoys = r->decoys};
	r->claims.v = r->v;
	r->claims.header.declares = DECLARES_HANDOFFS;
}

static inline struct truth_handoff *hand_handoff(struct hand *r, uint8_t type, uint64_t v,
						 uint32_t src_tid, struct window src,
						 uint32_t dst_tid, struct window ready,
						 struct window dst)
{
	size_t i = r->truth.handoffs_cnt++;

	r->handoffs[i] = (struct truth_handoff){
		.id = 100 + i,
		.key = {.v = v, .ns = v ? KEY_USER_DATA : KEY_NONE},
		.src_t = src,
		.dst_ready = ready,
		.dst_t = dst,
		.seq = i + 1,
		.take = i + 1,
		.src_tid = src_tid,
		.dst_tid = dst_tid,
		.type = type,
		.has = TH_SRC | TH_DST | TH_SEQ | TH_TAKE,
	};
	return &r->handoffs[i];
}

static inline struct claim *hand_claim(struct hand *r, uint8_t type, uint64_t v, uint32_t src_tid,
				       uint64_t src_t, uint32_t dst_tid, uint64_t dst_t)
{
	size_t i = r->claims.cnt++;

	r->v[i] = (struct claim){.kind = CLAIM_HANDOFF,
				 .type = type,
				 .has = HAS_SRC | HAS_DST | (v ? HAS_KEY : 0),
				 .ns = v ? KEY_USER_DATA : KEY_NONE,
				 .handoff = {.src_t = src_t,
					     .dst_t = dst_t,
					     .key_v = v,
					     .src_tid = src_tid,
					     .dst_tid = dst_tid}};
	return &r->v[i];
}

static inline struct claim *hand_orphan_src(struct hand *r, uint8_t type, uint64_t v, uint32_t tid,
					    uint64_t t)
{
	struct claim *c = hand_claim(r, type, v, tid, t, 0, 0);

	c->has &= (uint16_t)~HAS_DST;
	return c;
}

static inline struct claim *hand_orphan_dst(struct hand *r, uint8_t type, uint64_t v, uint32_t tid,
					    uint64_t t)
{
	struct claim *c = hand_claim(r, type, v, 0, 0, tid, t);

	c->has &= (uint16_t)~HAS_SRC;
	return c;
}

static inline void hand_conf(struct claim *c, double conf)
{
	c->has |= HAS_CONF;
	c->handoff.conf = conf;
}

static inline struct handoff_verdicts hand_verdicts(struct hand *r)
{
	struct handoff_verdicts v;

	for (int l = 0; l < LEVEL_CNT; l++) {
		v.outcome[l] = r->outcome[l];
		v.credited[l] = r->credited[l];
		v.spoken[l] = r->spoken[l];
	}
	return v;
}

/* The verdicts of the two must be the same, of which `who` is one. */
static inline void hand_compare(const struct hand *r, const struct hand *other, const char *who)
{
	for (int l = 0; l < LEVEL_CNT; l++) {
		for (size_t i = 0; i < r->claims.cnt; i++) {
			cr_assert_eq(r->outcome[l][i], other->outcome[l][i],
				     "level %d claim %zu: %u, %s %u", l, i, r->outcome[l][i], who,
				     other->outcome[l][i]);
			cr_assert_eq(r->credited[l][i], other->credited[l][i],
				     "level %d claim %zu: credits %u, %s %u", l, i,
				     r->credited[l][i], who, other->credited[l][i]);
		}
		for (size_t h = 0; h < r->truth.handoffs_cnt; h++)
			cr_assert_eq(r->spoken[l][h], other->spoken[l][h],
				     "level %d handoff %zu: spoken %x, %s %x", l, h,
				     r->spoken[l][h], who, other->spoken[l][h]);
	}
	cr_assert_eq(memcmp(&r->score, &other->score, sizeof(r->score)), 0, "not as %s", who);
}

/* Scores with the fast scorer and demands the same of the naive one; and of the fast one again in
 * stretches of one and of three and whole, with an index and without, with verdicts and without,
 * and without room. */
static inline void hand_score(struct hand *r)
{
	static const struct score_shape first = {1, 1},
					others[] = {{HX_SCAN, UINT32_MAX}, {2, 3}, {HX_SCAN, 3}};
	static const struct score_options one = {.threads = 1},
					  tight = {.threads = 1, .memory = WAYS_NO_ROOM};
	static struct hand slow, other;
	struct handoff_verdicts v = hand_verdicts(r), sv = hand_verdicts(&slow),
				ov = hand_verdicts(&other);

	score_and_again(&r->truth, &r->claims, NULL, &first, &r->score, &v);
	naive_score(&r->truth, &r->claims, &slow.score, &sv);
	hand_compare(r, &slow, "the naive one");
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		score_and_again(&r->truth, &r->claims, &one, &others[i], &other.score, &ov);
		hand_compare(r, &other, "in another shape");
	}
	score_blind(&r->truth, &r->claims, &tight, &others[1], &r->score);
}

static inline const struct handoff_counts *hand_all(const struct hand *r, enum score_level level)
{
	return &r->score.level[level].all;
}

#define W(a, b) ((struct window){(a), (b)})
#define EXPECT(r, level, claim, what)                                                              \
	cr_expect_eq((r).outcome[level][claim], what, "claim %d is %u, not %u", (int)(claim),      \
		     (r).outcome[level][claim], (unsigned)(what))
#define EXPECT_BOTH(r, claim, what)                                                                \
	do {                                                                                       \
		EXPECT(r, LEVEL_CONTEXT, claim, what);                                             \
		EXPECT(r, LEVEL_IDENTITY, claim, what);                                            \
	} while (0)

#endif
