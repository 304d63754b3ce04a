/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hangs together with something outside its stretch, and is left to the rest.
 *
 * A handoff is loose if a claim of another stretch may mean it: it reaches into one, or a visitor
 * matches it. A claim is loose if it matches a loose handoff, or if only all of truth can say
 * whether its key is used. What is loose makes loose: a claim all that it matches, a handoff its
 * rank batches, its amb group and those that one src observation may mean as well. In the end no
 * claim or batch of the stretch meets anything loose, so each can be scored by itself: S, D,
 * competition and rank of either concern the other nowhere. (That a `ready` window is the only one
 * of its thread depends on windows that nobody need match: they are lent to the rest, and stay.)
 */
#include <errno.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/handoff_run.h"

static bool loose(const struct worker *w, uint32_t h)
{
	return w->x.flags[h & FOUND_H] & HX_LOOSE;
}

/* Those whose ready window on the claim's thread holds its far end. */
static int lend(struct worker *w, const struct claim *c)
{
	const struct hx *x = &w->x;
	uint16_t thread = thread_tag(c->type, c->handoff.dst_tid);
	uint64_t t = c->handoff.dst_t;
	size_t at = line_until(&x->line, t, w->ends.far_place);
	int err = 0;

	w->ends.far_place = at;
	while (!err && (at = line_tagged(&x->line, x->dst_tags, thread, at, t)) != SIZE_MAX) {
		const struct truth_handoff *r = hx_rec(x, (uint32_t)at);

		/* mutant ||: equivalent because to lend too much does no harm */
		if (r->dst_tid == c->handoff.dst_tid &&
		    /* mutant ||: equivalent because to lend too much does no harm */
		    r->type == c->type && holds(&r->dst_ready, t))
			err = list_push(&w->rest_truth, x->order[at]);
	}
	return err;
}

static int lend_for(struct worker *w, const struct claim *c)
{
	struct probe p = probe_of(&w->x, c);

	bool by_thread =
		!p.comparable || hx_keyless(&w->x, p.type, c->handoff.dst_tid, c->handoff.dst_t);

	/* mutant ||: equivalent because to lend too much does no harm */
	return (c->has & HAS_DST) && by_thread ? lend(w, c) : 0;
}

int set_aside(struct worker *w, uint32_t claim)
{
	int err = lend_for(w, &w->r->c->v[claim]);

	return err ? err : list_push(&w->rest_claims, claim);
}

/* ---- what makes loose ---- */

static void loosen(struct worker *w, const struct list *l)
{
	for (size_t i = 0; i < l->cnt; i++)
		w->x.flags[l->v[i] & FOUND_H] |= HX_LOOSE;
}

/* A visitor is looked up at its one end in the stretch. */
static int visit(struct worker *w, uint32_t v)
{
	const struct claim *c = &w->r->c->v[v / 2];
	enum hx_side side = v % 2;
	int err = ends_side(&w->ends, &w->x, c, side);

	if (err)
		return err;
	loosen(w, side == SIDE_SRC ? &w->ends.near : &w->ends.far);
	return side == SIDE_DST ? lend_for(w, c) : 0;
}

/* Handoffs, with bits or without. If one of them is loose, all are. Were some made so? */
static bool even_out(struct worker *w, const uint32_t *h, size_t cnt)
{
	size_t n = 0;

	for (size_t i = 0; i < cnt; i++)
		n += loose(w, h[i]);
	if (!n || n == cnt)
		return false;
	for (size_t i = 0; i < cnt; i++)
		w->x.flags[h[i] & FOUND_H] |= HX_LOOSE;
	return true;
}

static bool even_out_claims(struct worker *w)
{
	bool more = false;

	for (size_t i = 0; i < w->late.cnt; i = late_next(&w->late, i)) {
		uint32_t *late = w->late.v + i, *h = late + LATE_FOUND;

		if (late[LATE_FLAGS] & (LATE_DOUBT | LATE_LOOSE))
			for (uint32_t k = 0; k < late_found(late); k++) {
				more = more || !loose(w, h[k]);
				w->x.flags[h[k] & FOUND_H] |= HX_LOOSE;
			}
		else
			more = even_out(w, h, late_found(late)) || more;
	}
	return more;
}

static bool even_out_groups(struct worker *w)
{
	const struct hx_amb *a = &w->x.amb;
	bool more = false;

	for (size_t i = 0, end; i < a->cnt; i = end) {
		size_t n = 0;

		end = amb_next(a, i);
		for (size_t k = i; k < end; k++)
			n += loose(w, a->v[k].h);
		more = more || (n && n < end - i);
		for (size_t k = i; n && k < end; k++)
			w->x.flags[a->v[k].h] |= HX_LOOSE;
	}
	return more;
}

static bool even_out_ties(struct worker *w)
{
	const struct hx *x = &w->x;
	bool more = false;

	for (size_t i = 0, from = 0; i < x->ties.cnt; from = x->ties.v[i++])
		more = even_out(w, x->tied.v + from, x->ties.v[i] - from) || more;
	for (size_t i = 0; i < x->batches.cnt; i++) {
		const struct hx_batch *b = &x->batches.v[i];

		more = even_out(w, x->batches.member.v + b->first, b->cnt) || more;
	}
	return more;
}

/* ---- what is taken back ---- */

/* A plain claim was credited with h at both levels in passing. */
static int take_back(struct worker *w, uint32_t h)
{
	uint32_t claim = w->owner[h].of[LEVEL_CONTEXT] - 1;
	const struct claim *c = &w->r->c->v[claim];
	const struct truth_handoff *r = hx_rec(&w->x, h);
	unsigned flags = TALLY_TWO_ENDED;

	/* mutant 1: equivalent because that flag is set anyway */
	flags |= holds(&r->dst_t, c->handoff.dst_t) ? 0 : TALLY_BY_READY;
	for (int l = 0; l < LEVEL_CNT; l++)
		tally_add(&w->tally[l], c->type, c->source, OUT_RIGHT,
			  flags | tally_blind(&w->x, (enum score_level)l, h), r->marks, -1);
	w->owner[h] = (struct owner){};
	return set_aside(w, claim);
}

/* So far only plain claims have bid, each for one handoff, and at both levels: alike, or at each.
 */
static int drop_bids(struct worker *w, unsigned levels)
{
	struct bids *b = &w->bids[levels];
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; !err && i < b->cnt; i++) {
		if (!loose(w, b->to.v[b->v[i].edge]))
			b->v[kept++] = b->v[i];
		else if (levels != ON_IDENTITY)
			err = set_aside(w, b->v[i].claim);
	}
	b->cnt = kept;
	return err;
}

static int leave_claims(struct worker *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->late.cnt; i = late_next(&w->late, i)) {
		uint32_t *late = w->late.v + i;

		/* all or none are loose */
		if (!(late[LATE_FLAGS] & LATE_LOOSE) &&
		    !(late_found(late) && loose(w, late[LATE_FOUND])))
			continue;
		late[LATE_FLAGS] |= LATE_LOOSE;
		err = set_aside(w, late[LATE_CLAIM]);
	}
	return err;
}

/* Is one of a row of handoffs loose? Few are. */
static bool any_loose(const struct worker *w, uint32_t from)
{
	uint16_t row[FLAGS_ROW], any = 0; /* mutant: equivalent because that is another flag */

	memcpy(row, w->x.flags + from, sizeof(row));
	for (size_t i = 0; i < FLAGS_ROW; i++)
		any |= row[i];
	return any & HX_LOOSE;
}

/* Each is left by the stretch in which it begins. */
static int leave_handoff(struct worker *w, uint32_t h)
{
	int err = 0;

	if (h >= w->reaching)
		err = list_push(&w->rest_truth, w->x.order[h]);
	return !err && w->owner[h].of[LEVEL_CONTEXT] ? take_back(w, h) : err;
}

static int leave_truth(struct worker *w)
{
	int err = 0;

	for (uint32_t from = 0; !err && from < w->x.cnt; from += FLAGS_ROW) {
		if (!any_loose(w, from))
			continue;
		for (uint32_t h = from; !err && h < MIN(from + FLAGS_ROW, w->x.cnt); h++)
			if (loose(w, h))
				err = leave_handoff(w, h);
	}
	return err;
}

int cut_loose(struct worker *w, const struct list *visits)
{
	bool more;
	int err = 0;

	for (size_t i = 0; !err && i < visits->cnt; i++)
		err = visit(w, visits->v[i]);
	if (err)
		return err;
	do {
		more = even_out_claims(w);
		more = even_out_groups(w) || more;
		more = even_out_ties(w) || more;
	} while (more);
	err = leave_truth(w);
	for (unsigned on = ON_CONTEXT; !err && on < ON_CNT; on++)
		err = drop_bids(w, on);
	return err ? err : leave_claims(w);
}
