/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases whose claims are right: plain, in batches, with shared ends.
 *
 * Unless said otherwise both ends of every claim lie on threads of the lane that are the handoff's
 * own, so that both levels apply the same rules and agree.
 */
#include "groundtruth/synth_gen.h"

static void said_right(struct gen *g, const struct truth_handoff *h, unsigned flags)
{
	expect_claim(&g->e, AT_BOTH, h->type, SAID_RIGHT, flags, h->marks);
}

/* A moment of dst.t, or one time in four a moment of ready before it: then the claim counts as
 * by_ready, since dst.t of the only handoff in S and D does not hold it. */
static uint64_t landing(struct gen *g, const struct truth_handoff *h, unsigned *flags)
{
	if (gen_below(g, 4))
		return dst_moment(g, h);
	*flags |= SAID_BY_READY;
	return ready_moment(g, h);
}

/* Marks that say how a handoff went and change nothing about its score. */
static uint16_t plain_marks(struct gen *g)
{
	static const uint8_t marks[] = {MARK_PUNTED, MARK_INLINE, MARK_MESSAGE,
					MARK_LINKED, MARK_STOLEN, MARK_NESTED,
					MARK_LATE,   MARK_CROSS,  MARK_SQPOLL};
	uint16_t m = 0;

	while (!gen_below(g, 3))
		m |= (uint16_t)(1u << marks[gen_below(g, sizeof(marks))]);
	return m;
}

/* One handoff, one claim with its key, threads and moments: S = D = {it}, and nobody else asks. */
void case_right(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, plain_marks(g));
	unsigned flags = 0;
	uint64_t t = landing(g, h, &flags);

	make_claim(g, &k, h->src_tid, src_moment(g, h), h->dst_tid, t);
	said_right(g, h, flags);
}

/* Key and threads twice in different slots: no window of one holds a moment of the other. */
void case_reuse(struct gen *g)
{
	struct truth_key k = gen_key(g);

	for (unsigned i = 0; i < 2; i++) {
		struct truth_handoff *h =
			slot_handoff(g, i, &k, 0, 1, i ? 1u << MARK_REUSED_KEY : 0);

		true_claim(g, h);
		said_right(g, h, 0);
	}
}

/*
 * No key in the claim, perhaps none in truth: the threads alone are compared. The lane has no other
 * window at that time, so D holds it by dst.t, or by the only ready window on that thread.
 */
void case_keyless(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h =
		slot_handoff(g, 0, gen_below(g, 2) ? &k : NULL, 2, 3, plain_marks(g));
	unsigned flags = 0;
	uint64_t t = landing(g, h, &flags);

	make_claim(g, NULL, h->src_tid, src_moment(g, h), h->dst_tid, t);
	said_right(g, h, flags);
}

/* ---- batches ---- */

struct batch {
	struct truth_handoff *h[SYNTH_CASE_HANDOFFS];
	uint64_t src[SYNTH_CASE_HANDOFFS], dst[SYNTH_CASE_HANDOFFS];
	unsigned cnt;
};

/* The order of receiving: the i-th sent is the ret[i]-th taken. */
static void shuffle(struct gen *g, unsigned cnt, unsigned *ret)
{
	for (unsigned i = 0; i < cnt; i++) {
		unsigned j = (unsigned)gen_below(g, i + 1);

		ret[i] = ret[j];
		ret[j] = i;
	}
}

/*
 * Two to four handoffs of one key, scope and pair of threads. All src windows hold all src moments,
 * all ready windows hold all dst moments and no dst.t holds one: a batch on either side, in which
 * the times alone decide. The moments ascend with seq and take, and there are as many as handoffs.
 */
static void make_batch(struct gen *g, struct batch *b)
{
	struct truth_key k = gen_key(g);
	unsigned turn[SYNTH_CASE_HANDOFFS];
	uint64_t at = g->t + SLOT_NS, seq = gen_below(g, 1000), take = gen_below(g, 1000);

	b->cnt = 2 + (unsigned)gen_below(g, SYNTH_CASE_HANDOFFS - 1);
	shuffle(g, b->cnt, turn);
	for (unsigned i = 0; i < b->cnt; i++) {
		struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

		h->has |= TH_SEQ | TH_TAKE;
		h->seq = seq + i;
		h->take = take + turn[i];
		h->src_t.t0 = at + gen_below(g, 10);
		h->src_t.t1 = at + 120 + gen_below(g, 20);
		h->dst_ready.t0 = at + 200 + gen_below(g, 10);
		h->dst_ready.t1 = at + 320 + gen_below(g, 20);
		h->dst_t.t0 = at + 400 + UINT64_C(60) * turn[i];
		h->dst_t.t1 = h->dst_t.t0 + 50;
		b->h[i] = h;
		b->src[i] = at + 20 + UINT64_C(20) * i + gen_below(g, 20);
		b->dst[i] = at + 220 + UINT64_C(20) * turn[i] + gen_below(g, 20);
	}
}

static void claim_batch(struct gen *g, const struct batch *b, unsigned i, unsigned j)
{
	make_claim(g, &b->h[i]->key, b->h[i]->src_tid, b->src[i], b->h[j]->dst_tid, b->dst[j]);
}

/* As many distinct times as handoffs, so rank leaves the i-th to the i-th. All land in ready. */
void case_batch(struct gen *g)
{
	struct batch b;

	make_batch(g, &b);
	for (unsigned i = 0; i < b.cnt; i++) {
		claim_batch(g, &b, i, i);
		said_right(g, b.h[i], SAID_BY_READY);
	}
}

/* Two claims have each other's dst: by rank S = {i} and D = {j}. */
void case_batch_swap(struct gen *g)
{
	struct batch b;
	unsigned x, y;

	make_batch(g, &b);
	x = (unsigned)gen_below(g, b.cnt);
	y = (x + 1) % b.cnt;
	for (unsigned i = 0; i < b.cnt; i++) {
		claim_batch(g, &b, i, i == x ? y : i == y ? x : i);
		if (i == x || i == y)
			expect_claim(&g->e, AT_BOTH, g->type, SAID_FALSE_JOIN, 0, 0);
		else
			said_right(g, b.h[i], SAID_BY_READY);
	}
}

/* ---- shared ends ---- */

/*
 * One src window and one src observation for two or three handoffs, each received in a slot of its
 * own: D = {one}. The src windows form a batch, but there is one time for several handoffs, so it
 * is not ranked. All of S ∩ D carries the mark, so one observation may credit them all.
 */
static void one_src(struct gen *g, enum mark mark, bool spread)
{
	struct truth_key k = gen_key(g);
	unsigned cnt = 2 + (unsigned)gen_below(g, 2);
	struct truth_handoff *first = NULL;
	uint64_t t = 0;

	for (unsigned i = 0; i < cnt; i++) {
		struct truth_handoff *h =
			slot_handoff(g, i, &k, 0, spread ? 1 + i : 1, (uint16_t)(1u << mark));

		if (!first) {
			first = h;
			t = src_moment(g, h);
		}
		h->src_t = first->src_t;
		make_claim(g, &k, h->src_tid, t, h->dst_tid, dst_moment(g, h));
		said_right(g, h, 0);
	}
}

void case_multishot(struct gen *g)
{
	one_src(g, MARK_MULTISHOT, false);
}

void case_fanout(struct gen *g)
{
	one_src(g, MARK_FANOUT, true);
}

/*
 * Two or three src, one after the other, and one dst observation that receives them all: S = {one},
 * D = all. The ready windows form a batch with one time for several handoffs: not ranked.
 */
void case_coalesced(struct gen *g)
{
	struct truth_key k = gen_key(g);
	unsigned cnt = 2 + (unsigned)gen_below(g, 2);
	struct truth_handoff *h[3];
	uint64_t t;

	for (unsigned i = 0; i < cnt; i++)
		h[i] = slot_handoff(g, i, &k, 0, 1, 1u << MARK_COALESCED);
	t = dst_moment(g, h[cnt - 1]);
	for (unsigned i = 0; i < cnt; i++) {
		h[i]->dst_ready = h[cnt - 1]->dst_ready;
		h[i]->dst_t = h[cnt - 1]->dst_t;
		make_claim(g, &k, h[i]->src_tid, src_moment(g, h[i]), h[i]->dst_tid, t);
		said_right(g, h[i], 0);
	}
}

/*
 * Two wakers and two waiters at once in one amb group. D holds one and therefore both; S holds the
 * claim's own at least; so a straight and a crossed pairing credit both, one each.
 */
void case_amb(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *a = slot_handoff(g, 0, &k, 0, 1, 0);
	struct truth_handoff *b = slot_handoff(g, 0, &k, 2, 3, 0);
	bool crossed = gen_below(g, 2);
	const struct truth_handoff *to = crossed ? b : a, *other = crossed ? a : b;

	a->has |= TH_AMB;
	b->has |= TH_AMB;
	a->amb = b->amb = gen_id(g);
	make_claim(g, &k, a->src_tid, src_moment(g, a), to->dst_tid, dst_moment(g, to));
	make_claim(g, &k, b->src_tid, src_moment(g, b), other->dst_tid, dst_moment(g, other));
	said_right(g, a, 0);
	said_right(g, b, 0);
}
