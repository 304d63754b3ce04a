/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plain case, in one look-up: nearly all claims of an honest profiler.
 *
 * A claim with both ends and a comparable key, of a type whose handoffs all have one, whose far end
 * matches a single handoff, on its own thread, that has two ends, and whose near end lies in that
 * handoff's src.t, is settled here: its S ∩ D is that handoff at both levels. Nothing else can
 * matter: no amb group widens D, no batch ranks it (HX_DST_BATCH; one of src needs HX_KEY_MULTI),
 * no other handoff shares its src observation. All other claims go the long way (handoff_judge.c),
 * which would come to the same verdict here.
 *
 * The look-ups of a stretch of claims are begun together, so that their cache misses overlap.
 */
#include "scoring/handoff_run.h"

/* The only handoff whose far end the claim matches, HX_NONE if there are several, or none. */
static uint32_t only_far(struct worker *w, const struct claim *c, const struct probe *p)
{
	const struct hx *x = &w->r->x;
	struct bin_walk k = bin_walk(&x->far, p->tag, c->handoff.dst_t, &w->ends.far_epoch);
	uint32_t h, only = HX_NONE;

	while ((h = bin_next(&k)) != HX_NONE) {
		const struct truth_handoff *r = &x->t->handoffs[h];

		if (r->type != p->type || !key_equal(p, &r->key) ||
		    (!holds(&r->dst_t, c->handoff.dst_t) &&
		     !holds(&r->dst_ready, c->handoff.dst_t)))
			continue;
		if (only != HX_NONE || r->dst_tid != c->handoff.dst_tid)
			return HX_NONE;
		only = h;
	}
	return only;
}

static bool is_plain(const struct worker *w, const struct claim *c, uint32_t h)
{
	const struct truth_handoff *r = &w->r->t->handoffs[h];
	const struct hx *x = &w->r->x;
	uint8_t f = x->flags[h];

	return (f & HX_BOTH) == HX_BOTH && !(f & (HX_KEY_MULTI | HX_DST_BATCH)) &&
	       !(r->has & TH_AMB) && r->src_tid == c->handoff.src_tid &&
	       holds(&r->src_t, c->handoff.src_t) && tids_place(&x->tids, r->src_tid) != HX_NONE &&
	       tids_place(&x->tids, r->dst_tid) != HX_NONE;
}

static int credit_plain(struct worker *w, uint32_t claim, const struct claim *c, uint32_t h)
{
	const struct truth_handoff *r = &w->r->t->handoffs[h];
	unsigned flags = TALLY_TWO_ENDED;
	int err = 0;

	flags |= holds(&r->dst_t, c->handoff.dst_t) ? 0 : TALLY_BY_READY;
	for (int l = 0; !err && l < LEVEL_CNT; l++)
		err = contend_for(w, (enum score_level)l, claim, h, flags);
	return err;
}

int judge_plain(struct worker *w, uint32_t claim)
{
	const struct hx *x = &w->r->x;
	const struct claim *c = &w->r->c->v[claim];
	struct probe p;
	uint32_t h;

	if ((c->has & (HAS_SRC | HAS_DST | HAS_KEY)) != (HAS_SRC | HAS_DST | HAS_KEY) ||
	    !claim_scored(w->r->t, c) || x->keyless[c->type])
		return 0;
	p = probe_of(x, c);
	if (!p.comparable)
		return 0;
	h = only_far(w, c, &p);
	if (h == HX_NONE || !is_plain(w, c, h))
		return 0;
	return credit_plain(w, claim, c, h) ? -1 : 1;
}

/* Three rounds, each of independent loads: buckets, entries, records. */
void judge_warm(struct worker *w, size_t from, size_t to)
{
	const struct bins *b = &w->r->x.far;
	const struct hx *x = &w->r->x;
	const uint32_t *head[WARM];
	uint32_t at[WARM], epoch = w->ends.far_epoch;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		const struct claim *c = &w->r->c->v[i];

		if (c->kind != CLAIM_HANDOFF ||
		    (c->has & (HAS_DST | HAS_KEY)) != (HAS_DST | HAS_KEY))
			continue;
		epoch = epoch_near(&x->epochs, c->handoff.dst_t, epoch);
		head[n] = bin_head(b, key_tag(c->type, c->handoff.key_v), epoch);
		__builtin_prefetch(head[n++]);
	}
	for (size_t i = 0; i < n; i++) {
		at[i] = *head[i];
		if (at[i])
			__builtin_prefetch(&b->entry[at[i] - 1]);
	}
	for (size_t i = 0; i < n; i++) {
		const char *r;
		uint32_t h;

		if (!at[i])
			continue;
		h = b->entry[at[i] - 1].id;
		r = (const char *)&x->t->handoffs[h];
		__builtin_prefetch(r);
		__builtin_prefetch(r + 64);
		__builtin_prefetch(r + sizeof(struct truth_handoff) - 1);
		__builtin_prefetch(&x->flags[h]);
		__builtin_prefetch(&w->r->owner[0][h], 1);
		__builtin_prefetch(&w->r->owner[1][h], 1);
	}
}
