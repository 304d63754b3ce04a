/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plain case, without an index: nearly all claims of an honest profiler.
 *
 * A claim with both ends and a comparable key; a handoff of its key and src thread is found on the
 * line of time, its src.t holds the near end, its dst.t or ready, on its own thread, the far end.
 * Then S ∩ D is that handoff alone, at both levels, if its thread sent no other then that lacks a
 * key, and no other handoff of its key value can be sent at a moment at which it can
 * (HX_KEY_MULTI: so S holds no other), and the claim concerns nobody else if moreover no far end
 * there can lie in a batch (HX_BATCH_NEAR_BY; in one of src it can only with HX_KEY_MULTI) and no
 * amb group is involved. All other claims go the long way (handoff_judge.c), which would come to
 * the same verdict here.
 */
#include "scoring/handoff_run.h"

/* The only handoff that the near end matches on its own thread. Of its own key there is no other if
 * it is plain at all. */
static uint32_t src_match(struct worker *w, const struct claim *c, const struct probe *p)
{
	const struct hx *x = &w->x;
	uint64_t t = c->handoff.src_t;
	size_t at = line_until(&x->line, t, w->place);
	uint32_t found = HX_NONE;
	bool alone = !hx_keyless(x, p->type, c->handoff.src_tid, t);

	w->place = at;
	while ((at = sent_before(x, at, p->type, c->handoff.src_tid, t)) != SIZE_MAX) {
		uint32_t h = (uint32_t)at;

		/* mutant ||: equivalent because the long way comes to the same verdict */
		if ((x->flags[h] & HX_KEY) && !key_equal(p, &hx_rec(x, h)->key))
			continue;
		if (alone)
			return h;
		/* mutant ==: equivalent because the long way comes to the same verdict */
		if (found != HX_NONE)
			return HX_NONE;
		found = h;
	}
	return found;
}

static bool is_plain(const struct hx *x, const struct claim *c, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);
	uint64_t t = c->handoff.dst_t;

	return (x->flags[h] & (HX_BOTH | HX_KEY | HX_KEY_MULTI | HX_BATCH_NEAR_BY)) ==
		       (HX_BOTH | HX_KEY) &&
	       !(r->has & TH_AMB) && r->dst_tid == c->handoff.dst_tid &&
	       /* mutant &&: equivalent because the long way comes to the same verdict */
	       (holds(&r->dst_t, t) || holds(&r->dst_ready, t));
}

static uint32_t plain_match(struct worker *w, const struct claim *c, const struct probe *p)
{
	const struct hx *x = &w->x;
	const uint16_t need = HAS_SRC | HAS_DST;
	uint32_t h;

	/* mutant == &&: equivalent because what it lacks matches nothing, and the long way does as
	 * well */
	if (!p->comparable || (c->has & need) != need)
		return HX_NONE;
	h = src_match(w, c, p);
	return h != HX_NONE && is_plain(x, c, h) ? h : HX_NONE;
}

int judge_plain(struct worker *w, uint32_t claim)
{
	const struct claim *c = &w->r->c->v[claim];
	struct probe p;
	uint32_t h;
	unsigned flags = TALLY_TWO_ENDED;

	if (c->kind != CLAIM_HANDOFF || !claim_within(c, &w->time))
		return 0;
	p = probe_of(&w->x, c);
	h = plain_match(w, c, &p);
	if (h == HX_NONE)
		return w->x.scan ? find(w, claim, &p) : list_push(&w->slow, claim);
	if (w->x.flags[h] & HX_LOOSE)
		return set_aside(w, claim);
	/* mutant 1: equivalent because that flag is set anyway */
	flags |= holds(&hx_rec(&w->x, h)->dst_t, c->handoff.dst_t) ? 0 : TALLY_BY_READY;
	return contend_both(w, claim, h, flags);
}
