/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases whose claims are wrong, incomplete, or not there.
 *
 * As in synth_right.c both levels agree. Handoffs of one case stand in different slots: no end
 * that lies in one slot is in a window of another, nor, at identity level, between src and ready of
 * another.
 */
#include "groundtruth/synth_gen.h"

static void said(struct gen *g, enum said what, unsigned flags, uint16_t marks)
{
	expect_claim(&g->e, AT_BOTH, g->type, what, flags, marks);
}

/* Two handoffs of one key; the src of the first and the dst of the second: S and D are disjoint. */
void case_false_join(struct gen *g)
{
	struct truth_key k = gen_key(g);
	bool same = gen_below(g, 2);
	struct truth_handoff *a = slot_handoff(g, 0, &k, 0, 1, 0);
	struct truth_handoff *b = slot_handoff(g, 1, &k, same ? 0 : 2, same ? 1 : 3, 0);

	make_claim(g, &k, a->src_tid, src_moment(g, a), b->dst_tid, dst_moment(g, b));
	said(g, SAID_FALSE_JOIN, 0, 0);
}

/* The same by threads alone; the handoffs have different keys, which the claim does not give. */
void case_keyless_false(struct gen *g)
{
	struct truth_key k = gen_key(g), other = gen_key_after(g, k);
	struct truth_handoff *a = slot_handoff(g, 0, &k, 2, 3, 0);
	struct truth_handoff *b = slot_handoff(g, 1, &other, 2, 3, 0);

	make_claim(g, NULL, a->src_tid, src_moment(g, a), b->dst_tid, dst_moment(g, b));
	said(g, SAID_FALSE_JOIN, 0, 0);
}

/* Two claims with S = D = {it}: one is credited, for the other nothing is left. Both land in dst.t,
 * so that it does not matter which. */
void case_duplicate(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	true_claim(g, h);
	true_claim(g, h);
	said(g, SAID_RIGHT, 0, 0);
	said(g, SAID_DUPLICATE, 0, 0);
}

/*
 * One src window and one src observation for two handoffs without a mark, received in different
 * slots: the observation credits one of them. (One time for two handoffs: their batch is unranked.)
 */
void case_shared_src(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *a = slot_handoff(g, 0, &k, 0, 1, 0);
	struct truth_handoff *b = slot_handoff(g, 1, &k, 0, 1, 0);
	uint64_t t = src_moment(g, a);

	b->src_t = a->src_t;
	make_claim(g, &k, a->src_tid, t, a->dst_tid, dst_moment(g, a));
	make_claim(g, &k, b->src_tid, t, b->dst_tid, dst_moment(g, b));
	said(g, SAID_RIGHT, 0, 0);
	said(g, SAID_DUPLICATE, 0, 0);
}

/* One end is right, the other lies where it is quiet. */
void case_half(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	if (gen_below(g, 2))
		make_claim(g, &k, h->src_tid, src_moment(g, h), h->dst_tid, quiet_after(g));
	else
		make_claim(g, &k, h->src_tid, quiet_before(g), h->dst_tid, dst_moment(g, h));
	said(g, SAID_HALF, 0, 0);
}

/* ---- spurious: in scope, for a handoff that nobody claims uses the key ---- */

/* Nothing is received or sent where it is quiet. */
static void wrong_time(struct gen *g, const struct truth_key *k)
{
	make_claim(g, k, g->lane->tid[0], quiet_before(g), g->lane->tid[1], quiet_after(g));
	said(g, SAID_SPURIOUS, 0, 0);
}

/* An orphan whose known end matches nothing. */
static void wrong_orphan(struct gen *g, const struct truth_key *k)
{
	if (gen_below(g, 2))
		make_src_orphan(g, k, g->lane->tid[0], quiet_before(g));
	else
		make_dst_orphan(g, k, g->lane->tid[1], quiet_after(g));
	said(g, SAID_SPURIOUS, SAID_ONE_END, 0);
}

/* Threads and moments of one handoff, the key of another that is sent later. */
static void wrong_key(struct gen *g, const struct truth_handoff *h)
{
	struct truth_key other = gen_key_after(g, h->key);

	slot_handoff(g, 1, &other, 0, 1, 0);
	make_claim(g, &other, h->src_tid, src_moment(g, h), h->dst_tid, dst_moment(g, h));
	said(g, SAID_SPURIOUS, 0, 0);
}

/* Everything but the type: S and D are sets of the claim's type, of which the round has none here.
 * "Whatever its type": the key is used. */
static void wrong_type(struct gen *g, const struct truth_handoff *h)
{
	uint32_t others = g->e.options.types & ~(1u << h->type);

	if (!others)
		return wrong_time(g, &h->key);
	g->type = gen_type(g, others);
	true_claim(g, h);
	said(g, SAID_SPURIOUS, 0, 0);
}

void case_spurious(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	switch (gen_below(g, 4)) {
	case 0:
		return wrong_time(g, &k);
	case 1:
		return wrong_orphan(g, &k);
	case 2:
		return wrong_key(g, h);
	default:
		return wrong_type(g, h);
	}
}

/* ---- orphans, and handoffs of which nobody speaks ---- */

static void orphan_of(struct gen *g, const struct truth_handoff *h)
{
	if ((h->has & TH_SRC) && (!(h->has & TH_DST) || gen_below(g, 2)))
		make_src_orphan(g, &h->key, h->src_tid, src_moment(g, h));
	else
		make_dst_orphan(g, &h->key, h->dst_tid, dst_moment(g, h));
	said(g, SAID_ORPHAN, SAID_ONE_END, h->marks);
}

void case_orphan(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	orphan_of(g, h);
	expect_orphan_only(&g->e, h->type, h->marks);
}

/* A two-ended claim has it in S ∩ D, so it is not one of which orphans alone speak. */
void case_orphan_beside(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	orphan_of(g, h);
	true_claim(g, h);
	said(g, SAID_RIGHT, 0, 0);
}

void case_missed(struct gen *g)
{
	struct truth_key k = gen_key(g);

	slot_handoff(g, 0, &k, 0, 1, 0);
}

/* ---- one end ---- */

/* Cancelled or lost, so that truth may have a src or a dst alone. */
static struct truth_handoff *one_ended(struct gen *g, bool src)
{
	struct truth_key k = gen_key(g);
	enum mark mark = gen_below(g, 2) ? MARK_CANCELLED : MARK_LOST;
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, (uint16_t)(1u << mark));

	if (src) {
		h->has &= (uint8_t)~TH_DST;
		h->dst_op = h->dst_tid = 0;
		h->dst_ready = h->dst_t = (struct window){0};
	} else {
		h->has &= (uint8_t)~TH_SRC;
		h->src_op = h->src_tid = 0;
		h->src_t = (struct window){0};
	}
	return h;
}

void case_one_ended(struct gen *g)
{
	one_ended(g, gen_below(g, 2));
}

void case_one_ended_named(struct gen *g)
{
	orphan_of(g, one_ended(g, gen_below(g, 2)));
	g->e.one_ended_named++;
}

/* Its one end as an end of a pair that never was: with another handoff a false join, else half. */
void case_one_ended_joined(struct gen *g)
{
	bool src = gen_below(g, 2);
	struct truth_handoff *h = one_ended(g, src), *b;

	g->e.one_ended_joined++;
	if (!src) {
		make_claim(g, &h->key, g->lane->tid[0], quiet_before(g), h->dst_tid,
			   dst_moment(g, h));
		said(g, SAID_HALF, 0, h->marks);
		return;
	}
	b = slot_handoff(g, 1, &h->key, 0, 1, 0);
	make_claim(g, &h->key, h->src_tid, src_moment(g, h), b->dst_tid, dst_moment(g, b));
	said(g, SAID_FALSE_JOIN, 0, h->marks);
}

/* ---- keys and moments of nothing ---- */

/* Place and time of a handoff, and a key of a range that truth never uses: S and D are empty. */
void case_out_of_scope(struct gen *g)
{
	struct truth_key k = gen_key(g), foreign = gen_foreign_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	make_claim(g, &foreign, h->src_tid, src_moment(g, h), h->dst_tid, dst_moment(g, h));
	said(g, SAID_OUT_OF_SCOPE, 0, 0);
}

/* The handoff shares the decoy's key, as decoys do. */
void case_decoy(struct gen *g)
{
	struct truth_key k = gen_decoy_key(g, true);

	slot_handoff(g, 0, &k, 0, 1, 0);
	make_decoy(g, &k);
}

/* The src lies in the decoy, where it is quiet: S and D are empty. Spurious where a handoff uses
 * the key, else out of scope. */
void case_decoy_hit(struct gen *g)
{
	bool used = gen_below(g, 2);
	struct truth_key k = gen_decoy_key(g, used), mine = gen_key(g);
	const struct truth_decoy *d;

	slot_handoff(g, 0, used ? &k : &mine, 0, 1, 0);
	d = make_decoy(g, &k);
	make_claim(g, &k, d->tid, d->t.t0 + gen_below(g, d->t.t1 - d->t.t0 + 1), g->lane->tid[1],
		   quiet_after(g));
	said(g, used ? SAID_SPURIOUS : SAID_OUT_OF_SCOPE, SAID_DECOY, 0);
}

/* ---- the bounds of scored ---- */

/* src before scored[0]: one end is left. An orphan names it; a claim of both ends is not scored,
 * since one of them lies outside. */
void straddle_first(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	g->handoffs[g->handoffs_cnt - 1].straddles = true;
	g->scored.t0 = h->src_t.t1 + 1;
	true_claim(g, h);
	make_dst_orphan(g, &k, h->dst_tid, dst_moment(g, h));
	said(g, SAID_ORPHAN, SAID_ONE_END, h->marks);
	g->e.one_ended_named++;
}

/* dst after scored[1]. */
void straddle_last(struct gen *g)
{
	struct truth_key k = gen_key(g);
	struct truth_handoff *h = slot_handoff(g, 0, &k, 0, 1, 0);

	g->handoffs[g->handoffs_cnt - 1].straddles = true;
	g->scored.t1 = h->src_t.t1;
	true_claim(g, h);
	make_src_orphan(g, &k, h->src_tid, src_moment(g, h));
	said(g, SAID_ORPHAN, SAID_ONE_END, h->marks);
	g->e.one_ended_named++;
}
