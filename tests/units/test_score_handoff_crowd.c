/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs that fill what grows: tables exactly full, stretches for several workers. Each claim's
 * outcome is known from how the run is made, whoever judges it and however truth is ordered.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/handoff.h"
#include "tests/naive/score_ways.h"

/* Exactly as long as they are filled, so that a sanitizer sees who reads beyond. */
struct crowd {
	struct truth truth;
	struct claims claims;
	struct truth_handoff *h;
	struct claim *v;
	uint8_t *expected, *outcome[LEVEL_CNT];
};

static void crowd_init(struct crowd *d, size_t cnt)
{
	static uint32_t threads[] = {1, 2, 3, 4};

	*d = (struct crowd){.h = calloc(cnt, sizeof(*d->h)), .v = calloc(cnt, sizeof(*d->v))};
	d->expected = calloc(cnt, 1);
	for (int l = 0; l < LEVEL_CNT; l++)
		d->outcome[l] = calloc(cnt, 1);
	d->truth = (struct truth){.scored = {0, cnt * 100},
				  .threads = threads,
				  .threads_cnt = 4,
				  .keys = 1u << KEY_USER_DATA,
				  .handoffs = d->h,
				  .handoffs_cnt = cnt};
	d->claims = (struct claims){.v = d->v, .cnt = cnt};
	d->claims.header.declares = DECLARES_HANDOFFS;
}

static void crowd_free(struct crowd *d)
{
	free(d->h);
	free(d->v);
	free(d->expected);
	for (int l = 0; l < LEVEL_CNT; l++)
		free(d->outcome[l]);
}

/* Sent by thread 1 at 100 · slot, received 30 later; key: 0 is none. */
static struct truth_handoff sent(size_t slot, uint64_t key, uint32_t to)
{
	uint64_t t = 100 * slot;

	return (struct truth_handoff){.type = HANDOFF_MSG,
				      .has = TH_SRC | TH_DST | TH_SEQ | TH_TAKE,
				      .key = {.v = key, .ns = key ? KEY_USER_DATA : KEY_NONE},
				      .src_tid = 1,
				      .dst_tid = to,
				      .seq = to,
				      .take = to,
				      .src_t = {t, t + 10},
				      .dst_ready = {t + 20, t + 40},
				      .dst_t = {t + 30, t + 50}};
}

static struct claim said(size_t slot, uint64_t later, uint64_t key, uint32_t to)
{
	uint64_t t = 100 * slot;

	return (struct claim){.kind = CLAIM_HANDOFF,
			      .type = HANDOFF_MSG,
			      .has = HAS_SRC | HAS_DST | (key ? HAS_KEY : 0),
			      .ns = key ? KEY_USER_DATA : KEY_NONE,
			      .handoff = {.src_t = t + later,
					  .dst_t = t + 30 + later,
					  .key_v = key,
					  .src_tid = 1,
					  .dst_tid = to}};
}

static void crowd_check_in(struct crowd *d, const struct score_shape *shape, unsigned threads)
{
	struct score_options o = {.threads = threads};
	struct handoff_verdicts v = {.outcome = {d->outcome[0], d->outcome[1]}};
	static struct handoff_score s;

	score_and_again(&d->truth, &d->claims, &o, shape, &s, &v);
	for (int l = 0; l < LEVEL_CNT; l++)
		for (size_t i = 0; i < d->claims.cnt; i++)
			cr_assert_eq(d->outcome[l][i], d->expected[i],
				     "claim %zu of %zu at level %d is %u, not %u (%u workers)", i,
				     d->claims.cnt, l, d->outcome[l][i], d->expected[i], threads);
}

/* In one stretch, and in many. */
static void crowd_check(struct crowd *d, uint32_t epoch, unsigned threads)
{
	crowd_check_in(d, &(struct score_shape){.epoch = epoch, .stretch = UINT32_MAX}, threads);
	crowd_check_in(d, &(struct score_shape){.epoch = epoch, .stretch = 100}, threads);
}

/* ---- exactly full ---- */

/* Pairs sent in one call, of which rank sees that they are swapped. */
static void swapped_pair(struct crowd *d, size_t i)
{
	for (size_t k = 0; k < 2; k++) {
		d->h[2 * i + k] = sent(2 * i, 1 + i, 2 + (uint32_t)k);
		d->v[2 * i + k] = said(2 * i, 2 + k, 1 + i, 3 - (uint32_t)k);
		d->expected[2 * i + k] = OUT_FALSE_JOIN;
	}
}

/* Pairs of which each is one of a group, and both are right. */
static void amb_pair(struct crowd *d, size_t i)
{
	swapped_pair(d, i);
	for (size_t k = 0; k < 2; k++) {
		d->h[2 * i + k].has |= TH_AMB;
		d->h[2 * i + k].amb = i;
		d->expected[2 * i + k] = OUT_RIGHT;
	}
}

/* Pairs that cannot be told apart, each claim with its own observation. */
static void like_pair(struct crowd *d, size_t i)
{
	for (size_t k = 0; k < 2; k++) {
		d->h[2 * i + k] = sent(2 * i, 0, 2);
		d->v[2 * i + k] = said(2 * i, k, 0, 2);
		d->expected[2 * i + k] = OUT_RIGHT;
	}
}

/* The same, but one observation: it credits one. */
static void shared_pair(struct crowd *d, size_t i)
{
	for (size_t k = 0; k < 2; k++) {
		d->h[2 * i + k] = sent(2 * i, 0, 2 + (uint32_t)k);
		d->v[2 * i + k] = said(2 * i, 0, 0, 2 + (uint32_t)k);
		d->expected[2 * i + k] = k ? OUT_DUPLICATE : OUT_RIGHT;
	}
}

/* Claims of a key that nobody uses, and of one that is used elsewhere. */
static void doubtful_pair(struct crowd *d, size_t i)
{
	for (size_t k = 0; k < 2; k++) {
		d->h[2 * i + k] = sent(2 * i + k, 1 + 2 * i + k, 2);
		d->v[2 * i + k] = said(2 * i + k, 0, 1 + 2 * i + (k ? 0 : 1000000), 4);
		d->v[2 * i + k].handoff.src_tid = 4;
		d->expected[2 * i + k] = k ? OUT_SPURIOUS : OUT_OF_SCOPE;
	}
}

Test(score_handoff_crowd, tables_that_are_exactly_full)
{
	static void (*const fills[])(struct crowd *, size_t) = {swapped_pair, amb_pair, like_pair,
								shared_pair, doubtful_pair};

	for (unsigned f = 0; f < sizeof(fills) / sizeof(fills[0]); f++)
		for (size_t pairs = 8; pairs <= 512; pairs *= 2) {
			struct crowd d;

			crowd_init(&d, 2 * pairs);
			for (size_t i = 0; i < pairs; i++)
				fills[f](&d, i);
			crowd_check(&d, HX_SCAN, 1);
			crowd_check(&d, 1, 3);
			crowd_check(&d, 32, 1);
			crowd_free(&d);
		}
}

/* As many in groups in each stretch as there is room for at first. */
Test(score_handoff_crowd, groups_fill_each_stretch)
{
	struct crowd d;

	crowd_init(&d, 256);
	for (size_t i = 0; i < 128; i++)
		amb_pair(&d, i);
	crowd_check_in(&d, &(struct score_shape){.epoch = HX_SCAN, .stretch = 64}, 1);
	crowd_free(&d);
}

/* Src observations, each of which means two handoffs; many differ from another in one thing alone:
 * thread, moment, type or key. */
enum { OBSERVED = 4 * 8 * 5 * 8 };

static void observe(struct crowd *d, size_t o, size_t k)
{
	static const uint8_t types[] = {HANDOFF_MSG, HANDOFF_QUEUE, HANDOFF_WAKE, HANDOFF_GRANT,
					HANDOFF_RESUME};
	uint64_t slot = o / 4 % 8, key = o / 160, dst = 1000 + 40 * o + 20 * k;
	size_t at = k * OBSERVED + o;

	d->h[at] = sent(slot, key, 2);
	d->h[at].type = types[o / 32 % 5];
	d->h[at].src_tid = 1 + o % 4;
	d->h[at].dst_ready = d->h[at].dst_t = (struct window){dst, dst + 10};
	d->v[at] = said(slot, 0, key, 2);
	d->v[at].type = d->h[at].type;
	d->v[at].handoff.src_tid = d->h[at].src_tid;
	d->v[at].handoff.dst_t = dst;
	d->expected[at] = k ? OUT_DUPLICATE : OUT_RIGHT;
}

Test(score_handoff_crowd, each_src_observation_is_credited_once)
{
	struct crowd d;

	crowd_init(&d, 2 * OBSERVED);
	for (size_t o = 0; o < OBSERVED; o++)
		for (size_t k = 0; k < 2; k++)
			observe(&d, o, k);
	crowd_check_in(&d, &(struct score_shape){.epoch = 64, .stretch = UINT32_MAX}, 1);
	crowd_free(&d);
}

/* ---- several workers ---- */

enum { CROWD = 8 * 5000 };

/* Eight neighbours: right by its key; right without one; two of a batch, swapped; of a key that
 * nobody uses; without a src; of a key that is used elsewhere; the first once more. */
static void neighbours(struct crowd *d, size_t at)
{
	static const uint8_t expected[] = {OUT_RIGHT,	 OUT_RIGHT,  OUT_FALSE_JOIN, OUT_FALSE_JOIN,
					   OUT_OF_SCOPE, OUT_ORPHAN, OUT_SPURIOUS,   OUT_DUPLICATE};
	struct claim *v = d->v + at;

	for (size_t i = 0; i < 8; i++) {
		d->h[at + i] = sent(at + i, i == 1 ? 0 : at + i, 2);
		v[i] = said(at + i, 1, i == 1 ? 0 : at + i, 2);
	}
	d->h[at + 3] = sent(at + 2, at + 2, 3);
	v[2] = said(at + 2, 1, at + 2, 3);
	v[3] = said(at + 2, 2, at + 2, 2);
	v[4].handoff.key_v = CROWD + at;
	v[5].has &= (uint16_t)~HAS_SRC;
	v[6].handoff.src_tid = v[6].handoff.dst_tid = 4;
	v[7] = said(at, 2, at, 2);
	memcpy(d->expected + at, expected, sizeof(expected));
}

/* Of what is said twice the earlier observation is right, whoever judges first. */
static void crowd_fill(struct crowd *d, bool shuffled)
{
	struct truth_handoff *h = d->h;

	crowd_init(d, CROWD);
	for (size_t at = 0; at < CROWD; at += 8)
		neighbours(d, at);
	d->v[0].has &= (uint16_t)~HAS_KEY; /* its key is 0 */
	d->v[7].has &= (uint16_t)~HAS_KEY;
	if (!shuffled)
		return;
	h = calloc(CROWD, sizeof(*h));
	for (size_t i = 0; i < CROWD; i++)
		h[i * 7919 % CROWD] = d->h[i];
	free(d->h);
	d->truth.handoffs = d->h = h;
}

Test(score_handoff_crowd, a_crowd_is_judged_alike_by_one_and_by_many)
{
	struct crowd d;

	crowd_fill(&d, false);
	crowd_check(&d, HX_SCAN, 1);
	crowd_check(&d, HX_SCAN, 3);
	crowd_check(&d, 64, 4);
	crowd_check(&d, 0, 2);
	crowd_free(&d);
}

Test(score_handoff_crowd, a_crowd_may_stand_in_any_order)
{
	struct crowd d;

	crowd_fill(&d, true);
	crowd_check(&d, HX_SCAN, 3);
	crowd_check(&d, 256, 2);
	crowd_free(&d);
}

/* More threads than are ever started. */
Test(score_handoff_crowd, any_number_of_threads_may_be_asked_for)
{
	struct crowd d;

	crowd_fill(&d, false);
	crowd_check(&d, HX_SCAN, 1000);
	crowd_free(&d);
}

/* Behind the last that is scored more stretches begin, with nothing in them. */
Test(score_handoff_crowd, stretches_may_lie_after_all_that_is_scored)
{
	for (size_t cnt = 64; cnt <= 1024; cnt *= 4) {
		struct crowd d;

		crowd_init(&d, cnt);
		for (size_t i = 0; i < cnt; i++) {
			d.h[i] = sent(i, 1 + i, 2);
			d.v[i] = said(i, 1, 1 + i, 2);
			d.expected[i] = i < cnt / 2 ? OUT_RIGHT : OUT_NOT_SCORED;
		}
		d.truth.scored.t1 = cnt / 2 * 100 - 1;
		crowd_check_in(&d, &(struct score_shape){HX_SCAN, 16}, 1);
		crowd_check_in(&d, &(struct score_shape){1, 7}, 2);
		crowd_check_in(&d, &(struct score_shape){1, 1}, 3);
		crowd_free(&d);
	}
}

/* Among many right ones a few that say no key; a scan and an index find the same for them. */
Test(score_handoff_crowd, short_stretches_meet_long_lives)
{
	struct crowd d;

	crowd_init(&d, 400);
	for (size_t i = 0; i < 400; i++) {
		d.h[i] = sent(i, 1 + i, 2);
		d.v[i] = said(i, 1, i % 9 ? 1 + i : 0, 2);
		d.expected[i] = OUT_RIGHT;
	}
	for (size_t i = 0; i < 400; i += 40) { /* received when most others are */
		d.h[i].dst_t = (struct window){100 * i + 30, 100 * 399};
		d.h[i].dst_ready = (struct window){100 * i + 20, 100 * 399 - 5};
		d.v[i].has |= HAS_KEY;
		d.v[i].ns = KEY_USER_DATA;
		d.v[i].handoff.key_v = 1 + i;
		d.v[i].handoff.dst_t = 100 * 399 - i;
	}
	for (uint32_t stretch = 1; stretch <= 256; stretch *= 4) {
		crowd_check_in(&d, &(struct score_shape){HX_SCAN, stretch}, 2);
		crowd_check_in(&d, &(struct score_shape){1, stretch}, 3);
	}
	crowd_free(&d);
}

/* All of them at once, so that a stretch must be longer than the least. */
Test(score_handoff_crowd, all_may_be_in_flight_at_once)
{
	enum { ALL = 20000 };
	struct crowd d;

	crowd_init(&d, ALL);
	for (size_t i = 0; i < ALL; i++) {
		d.h[i] = sent(i, 1 + i, 2);
		d.h[i].dst_t.t1 = d.h[i].dst_ready.t1 = 100 * ALL - 1;
		d.v[i] = said(i, 1, 1 + i, 2);
		d.v[i].handoff.dst_t = 100 * ALL - 1 - i % 50;
		d.expected[i] = OUT_RIGHT;
	}
	crowd_check_in(&d, &(struct score_shape){}, 2);
	crowd_free(&d);
}
