/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of one claim. */
#include <errno.h>

#include "scoring/handoff_run.h"

void verdict_note(struct run *r, enum score_level level, uint32_t claim, uint8_t outcome,
		  uint32_t credited)
{
	if (r->verdicts.outcome[level])
		r->verdicts.outcome[level][claim] = outcome;
	if (r->verdicts.credited[level])
		r->verdicts.credited[level][claim] = credited;
}

static void settle(struct worker *w, unsigned levels, uint32_t claim, uint8_t outcome,
		   unsigned flags, uint16_t marks)
{
	const struct claim *c = &w->r->c->v[claim];

	if ((c->has & (HAS_SRC | HAS_DST)) == (HAS_SRC | HAS_DST))
		flags |= TALLY_TWO_ENDED;
	for (unsigned on = levels; on; on &= on - 1) {
		enum score_level level = (enum score_level)__builtin_ctz(on);

		tally_add(&w->tally[level], c->type, c->source, outcome, flags, marks, 1);
		verdict_set(w->r, level, claim, outcome, UINT32_MAX);
	}
}

static void hear(struct worker *w, unsigned levels, const struct list *l, uint8_t what)
{
	for (unsigned on = levels; on; on &= on - 1)
		for (size_t i = 0; i < l->cnt; i++)
			w->heard[__builtin_ctz(on)][l->v[i]] |= what;
}

/* Of handoffs with the claim's key the survey says it (handoff_batch.c); the others are those that
 * the thread sent at that moment. A handoff without a key among others that have one is rare and
 * counts as shared. */
bool shares_src(struct worker *w, const struct claim *c, const struct probe *p, uint32_t h)
{
	const struct hx *x = &w->x;
	bool many = hx_comes_in_numbers(hx_rec(x, h));
	size_t at;

	/* mutant ||: equivalent because the matching settles easy ones all the same */
	if (p->comparable && !(x->flags[h] & HX_KEY) && x->keyed[p->type])
		return true;
	/* mutant ||: equivalent because the matching settles easy ones all the same */
	if (p->comparable && (x->flags[h] & HX_KEY_SHARED))
		return true;
	if (p->comparable && !hx_keyless(x, p->type, c->handoff.src_tid, c->handoff.src_t))
		return false; /* mutant: equivalent because the matching settles it all the same */
	at = w->place = line_until(&x->line, c->handoff.src_t, w->place);
	while ((at = sent_before(x, at, p->type, c->handoff.src_tid, c->handoff.src_t)) !=
	       SIZE_MAX) {
		uint32_t o = (uint32_t)at;
		bool keyed, free;

		if (o == h)
			continue;
		keyed = p->comparable && (x->flags[o] & HX_KEY);
		free = many && hx_comes_in_numbers(hx_rec(x, o));
		/* mutant ||: equivalent because the matching settles easy ones all the same */
		if (!keyed && !free)
			return true;
	}
	return false; /* mutant: equivalent because the matching settles it all the same */
}

int contend_for(struct worker *w, enum score_level level, uint32_t claim, uint32_t h,
		unsigned flags)
{
	const struct claim *c = &w->r->c->v[claim];
	uint32_t *owner = &w->owner[h].of[level];
	uint16_t marks = hx_rec(&w->x, h)->marks;

	w->x.flags[h] |= HX_SPLIT;
	if (*owner)
		return bid_for(&w->bids[1u << level],
			       &(struct bid){.claim = claim,
					     .marks = marks,
					     .by_ready = flags & TALLY_BY_READY},
			       c, &h, 1);
	*owner = claim + 1;
	tally_add(&w->tally[level], c->type, c->source, OUT_RIGHT,
		  flags | tally_blind(&w->x, level, h), marks, 1);
	verdict_set(w->r, level, claim, OUT_RIGHT, w->x.order[h]);
	return 0;
}

/* Do both levels see the handoff, or neither? */
static bool seen_alike(const struct hx *x, uint32_t h)
{
	return tally_blind(x, LEVEL_CONTEXT, h) == tally_blind(x, LEVEL_IDENTITY, h);
}

int contend_apart(struct worker *w, uint32_t claim, uint32_t h, unsigned flags)
{
	int err = 0;

	if (seen_alike(&w->x, h)) /* has one owner, or is split before bids are settled */
		return bid_for(&w->bids[ON_BOTH],
			       &(struct bid){.claim = claim,
					     .marks = hx_rec(&w->x, h)->marks,
					     .by_ready = flags & TALLY_BY_READY},
			       &w->r->c->v[claim], &h, 1);
	for (int l = 0; !err && l < LEVEL_CNT; l++)
		err = contend_for(w, (enum score_level)l, claim, h, flags);
	return err;
}

/* Do the levels contend alike for the handoffs, as far as this claim knows? Who shares its src
 * observation is known of those with its key alone (hx.ties). */
static bool bids_alike(struct worker *w, unsigned levels, const struct claim *c,
		       const struct list *to)
{
	if (levels != ON_BOTH || !w->ends.probe.comparable ||
	    hx_keyless(&w->x, c->type, c->handoff.src_tid, c->handoff.src_t))
		return false;
	for (size_t i = 0; i < to->cnt; i++)
		if (!seen_alike(&w->x, to->v[i]))
			return false;
	/* mutant: equivalent because each level settles what both would alike */
	return true;
}

static int bid_at(struct worker *w, unsigned levels, const struct bid *b, const struct claim *c,
		  const struct list *to)
{
	int err = 0;

	if (bids_alike(w, levels, c, to))
		return bid_for(&w->bids[ON_BOTH], b, c, to->v, to->cnt);
	for (size_t i = 0; i < to->cnt; i++)
		w->x.flags[to->v[i]] |= HX_SPLIT;
	for (unsigned on = levels; !err && on; on &= on - 1)
		err = bid_for(&w->bids[on & -on], b, c, to->v, to->cnt);
	return err;
}

/* All of S ∩ D is heard of; those with two ends can be had. */
static int bid(struct worker *w, unsigned levels, uint32_t claim, const struct view *v, bool shared)
{
	const struct hx *x = &w->x;
	const struct list *sd = &w->ends.sd;
	struct list *to = &w->whole;
	struct bid b = {.claim = claim,
			.marks = v->marks,
			.by_ready = v->by_ready,
			.shared = shared,
			.free = true};
	int err = 0;

	to->cnt = 0;
	hear(w, levels, sd, HEARD_TWO);
	for (size_t i = 0; !err && i < sd->cnt; i++) {
		uint32_t h = sd->v[i];

		b.free = b.free && hx_comes_in_numbers(hx_rec(x, h));
		if ((x->flags[h] & HX_BOTH) == HX_BOTH)
			err = list_push(to, h);
	}
	return err ? err : bid_at(w, levels, &b, &w->r->c->v[claim], to);
}

/* S ∩ D is not empty. A handoff that nobody else wants is credited at once. */
static int contend(struct worker *w, unsigned levels, uint32_t claim, const struct view *v)
{
	const struct list *sd = &w->ends.sd;
	uint32_t h = sd->v[0];
	/* mutant 0 >=: equivalent because the matching settles easy ones all the same */
	bool shared = sd->cnt > 1 || shares_src(w, &w->r->c->v[claim], &w->ends.probe, h);
	/* mutant 1: equivalent because that flag is set anyway */
	unsigned flags = TALLY_TWO_ENDED | (v->by_ready ? TALLY_BY_READY : 0);

	/* mutant ==: equivalent because what has one end is in S ∩ D through its group alone */
	if (shared || (w->x.flags[h] & HX_BOTH) != HX_BOTH || (hx_rec(&w->x, h)->has & TH_AMB))
		return bid(w, levels, claim, v, shared);
	return levels == ON_BOTH
		       ? contend_both(w, claim, h, flags)
		       : contend_for(w, (enum score_level)__builtin_ctz(levels), claim, h, flags);
}

static int wrong(struct worker *w, unsigned levels, uint32_t claim, const struct view *v)
{
	const struct claim *c = &w->r->c->v[claim];
	bool both = (c->has & HAS_SRC) && (c->has & HAS_DST);
	uint8_t outcome = OUT_SPURIOUS;
	unsigned flags = 0;

	if (!both && (v->near || v->far))
		outcome = OUT_ORPHAN;
	else if (v->near && v->far)
		outcome = OUT_FALSE_JOIN;
	else if (v->near || v->far)
		outcome = OUT_HALF;
	else if (decoy_hit(&w->r->ground, c, &w->ends.probe))
		flags = TALLY_DECOY;
	if (v->near || v->far) {
		uint8_t what = both ? HEARD_JOINED : (uint8_t)(1u << c->source);

		hear(w, levels, &w->ends.s, what);
		hear(w, levels, &w->ends.d, what);
	}
	settle(w, levels, claim, outcome, flags, v->marks);
	return 0;
}

static int out_of_scope(struct worker *w, unsigned levels, uint32_t claim, const struct view *v)
{
	const struct claim *c = &w->r->c->v[claim];
	/* mutant: equivalent because nobody asks whether what is out of scope has two ends */
	unsigned flags = 0;
	uint16_t marks;
	int err = ends_marks(&w->ends, &w->x, (enum score_level)__builtin_ctz(levels), &marks);

	if (err)
		return err;
	if (!v->near && !v->far && decoy_hit(&w->r->ground, c, &w->ends.probe))
		flags = TALLY_DECOY;
	settle(w, levels, claim, OUT_OF_SCOPE, flags, marks);
	return 0;
}

/* Notes one end that a claim places in a batch. */
static int note_time(struct worker *w, uint32_t batch, uint64_t t)
{
	/* mutant 2: equivalent because more room does no harm */
	struct hx_time *v = vec_grow(w->times, &w->times_cap, w->times_cnt + 1, sizeof(*w->times));

	if (!v)
		return -ENOMEM;
	w->times = v;
	w->times[w->times_cnt++] =
		(struct hx_time){.t = t,
				 .batch = batch,
				 .levels = (uint8_t)(1u << LEVEL_IDENTITY |
						     (unsigned)w->ends.context << LEVEL_CONTEXT)};
	return 0;
}

/* The batches of one side in whose windows the end lies: a window that holds it is of a handoff
 * that was found. Noting a batch twice does no harm. */
static int note_batches(struct worker *w, enum hx_side side, const struct list *l, uint64_t t)
{
	const struct hx *x = &w->x;
	uint16_t flag = side == SIDE_SRC ? HX_SRC_BATCH : HX_DST_BATCH;
	uint32_t last = HX_NONE;
	int err = 0;

	for (size_t i = 0; !err && i < l->cnt; i++) {
		uint32_t h = l->v[i] & FOUND_H, batch;

		if (!(l->v[i] & FOUND_OWN) || !(x->flags[h] & flag))
			continue;
		batch = x->batches.of[side][h];
		if (batch != last && holds(&x->batches.v[batch].hull, t))
			err = note_time(w, batch, t);
		last = batch;
	}
	return err;
}

/* Notes the ends that lie in a batch: the rank of its times is known when all have been seen. */
static int note_ends(struct worker *w, const struct claim *c)
{
	const struct hx *x = &w->x;
	int err;

	if (!w->ends.probe.comparable || !x->batches.of_type[c->type])
		return 0;
	err = ends_near(&w->ends, x);
	if (!(w->ends.met & (HX_SRC_BATCH | HX_DST_BATCH)))
		return err;
	if (!err)
		err = note_batches(w, SIDE_SRC, &w->ends.near, c->handoff.src_t);
	return err ? err : note_batches(w, SIDE_DST, &w->ends.far, c->handoff.dst_t);
}

static int judge_view(struct worker *w, unsigned levels, uint32_t claim, bool out,
		      const struct view *v)
{
	if (out)
		return out_of_scope(w, levels, claim, v);
	if (w->ends.sd.cnt)
		return contend(w, levels, claim, v);
	return wrong(w, levels, claim, v);
}

static int judge_level(struct worker *w, enum score_level level, uint32_t claim, bool out)
{
	struct view v;
	int err = ends_view(&w->ends, &w->x, level, &v);

	return err ? err : judge_view(w, 1u << level, claim, out, &v);
}

static int judge_levels(struct worker *w, uint32_t claim, bool out)
{
	struct view v;
	int err = ends_view(&w->ends, &w->x, LEVEL_IDENTITY, &v);
	bool both = w->ends.context, alike = both && !w->ends.apart;

	if (!err)
		err = judge_view(w, alike ? ON_BOTH : ON_IDENTITY, claim, out, &v);
	return err || !both || alike ? err : judge_level(w, LEVEL_CONTEXT, claim, out);
}

static int put_off(struct worker *w, uint32_t claim, uint32_t flags)
{
	const struct ends *e = &w->ends;
	struct list *l = &w->late;
	size_t cnt = LATE_FOUND + e->near.cnt + e->far.cnt;
	uint32_t *late;

	if (list_room(l, cnt))
		return -ENOMEM;
	late = l->v + l->cnt;
	late[LATE_CLAIM] = claim;
	late[LATE_FLAGS] = flags | (e->context ? (uint32_t)LATE_CONTEXT : 0);
	late[LATE_NEAR] = e->near_done ? (uint32_t)e->near.cnt : NEAR_UNASKED;
	late[LATE_FAR] = (uint32_t)e->far.cnt;
	late += LATE_FOUND;
	for (size_t i = 0; i < e->near.cnt; i++)
		*late++ = e->near.v[i];
	for (size_t i = 0; i < e->far.cnt; i++)
		*late++ = e->far.v[i];
	l->cnt += cnt;
	return 0;
}

/* Could what the near end matches matter? Not where S ∩ D is not empty at either level, but for
 * others that one src observation may mean: those of equal key are tied (handoff_batch.c). */
static bool near_matters(const struct worker *w, const struct claim *c)
{
	const struct ends *e = &w->ends;

	return !e->probe.comparable ||
	       hx_keyless(&w->x, c->type, c->handoff.src_tid, c->handoff.src_t) ||
	       !ends_joined(e, &w->x);
}

int find(struct worker *w, uint32_t claim, const struct probe *p)
{
	const struct claim *c = &w->r->c->v[claim];
	const struct hx *x = &w->x;
	bool doubt;
	int err = ends_init(&w->ends, x, c, p);

	w->ends.near_place = w->place;
	if (!err)
		err = note_ends(w, c);
	doubt = p->comparable && !ends_key_met(&w->ends);
	if (!err && (doubt || near_matters(w, c)))
		err = ends_near(&w->ends, x);
	if (err)
		return err;
	doubt = doubt && !ends_key_met(&w->ends);
	if (doubt && !w->ends.near.cnt && !w->ends.far.cnt)
		return list_push(&w->doubts, claim);
	return put_off(w, claim, doubt ? LATE_DOUBT : 0);
}

int judge_late(struct worker *w)
{
	const struct run *r = w->r;
	int err = 0;

	for (size_t i = 0, next; !err && i < w->late.cnt; i = next) {
		const uint32_t *late = w->late.v + i;
		bool doubt = late[LATE_FLAGS] & LATE_DOUBT;

		next = late_next(&w->late, i);
		if (next < w->late.cnt) /* left the cache since it was found */
			/* mutant -: equivalent because it is the first */
			fetch_record(&r->c->v[w->late.v[next + LATE_CLAIM]], sizeof(*r->c->v));
		if (late[LATE_FLAGS] & LATE_LOOSE)
			continue;
		err = ends_recall(&w->ends, &w->x, &r->c->v[late[LATE_CLAIM]],
				  late[LATE_FLAGS] & LATE_CONTEXT, late[LATE_NEAR], late[LATE_FAR],
				  late + LATE_FOUND);
		if (!err)
			err = judge_levels(w, late[LATE_CLAIM],
					   doubt && !used_keys_has(r->used, &w->ends.probe));
	}
	return err;
}

int judge_nothing(struct worker *w, uint32_t claim)
{
	const struct run *r = w->r;
	const struct claim *c = &r->c->v[claim];
	int err = ends_recall(&w->ends, &w->x, c, ends_listed(&w->x, c), 0, 0, NULL);

	return err ? err : judge_levels(w, claim, !used_keys_has(r->used, &w->ends.probe));
}
