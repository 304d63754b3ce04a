/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the cell cheating? Do more claims hit decoys than would by chance, as in any of 200 copies of
 * the claims that are shifted later?
 *
 * Asked the other way round: only shifted ends that fall into a decoy's window can make a hit. So
 * for each end the decoys of its type and thread that its copies can reach are found, and of each
 * the copies; only those few shifted claims are then judged.
 */
#include <string.h>
#include <sys/param.h>

#include "scoring/handoff_run.h"

enum { SHIFT_LEAST = 1000000, SHIFT_SPAN = 9000000 };

static uint64_t shift_of(unsigned copy)
{
	return SHIFT_LEAST + (uint64_t)SHIFT_SPAN * copy / (COPIES - 1);
}

/* The first copy that is shifted by at least so much; COPIES: none is. */
static unsigned copy_from(uint64_t shift)
{
	/* mutant >=: equivalent because the difference is 0 then */
	uint64_t more = shift > SHIFT_LEAST ? shift - SHIFT_LEAST : 0;

	if (more > SHIFT_SPAN)
		return COPIES;
	return (unsigned)((more * (COPIES - 1) + SHIFT_SPAN - 1) / SHIFT_SPAN);
}

static uint64_t later(uint64_t t, uint64_t by)
{
	/* mutant >=: equivalent because the sum is that then */
	return t > UINT64_MAX - by ? UINT64_MAX : t + by;
}

/* The copies of a claim with an end in a decoy: the marked ones of [from, to). */
struct reached {
	bool copy[COPIES];
	unsigned from, to;
};

static void reach(struct reached *r, const struct window *w, uint64_t t)
{
	uint64_t last = w->t1 - t;
	/* mutant >= 1: equivalent because the first copy is later than that */
	unsigned from = copy_from(w->t0 > t ? w->t0 - t : 0);
	unsigned to = copy_from(later(last, 1));

	/* mutant >: equivalent because it would mark none */
	if (from >= to)
		return;
	memset(r->copy + from, true, to - from);
	r->from = MIN(from, r->from);
	r->to = MAX(to, r->to);
}

/* Adds the copies in which the end lies in a decoy whose key does not rule it out. False: the end
 * is on no listed thread. */
static bool reach_decoys(const struct ground *ground, const struct probe *p, uint32_t tid,
			 uint64_t t, struct reached *r)
{
	const struct stab *s = &ground->decoys;
	uint32_t place = tids_place(&ground->tids, tid), g;
	size_t at;

	if (place == HX_NONE)
		return false;
	g = group_of(&ground->tids, p->type, place);
	/* mutant -: equivalent because a later start only takes longer */
	at = stab_from(s, g, later(t, SHIFT_LEAST + SHIFT_SPAN));
	while ((at = stab_next(s, g, at, later(t, SHIFT_LEAST))) != SIZE_MAX)
		if (decoy_fits(ground, p, s->v[at].id))
			reach(r, &s->v[at].w, t);
	return true;
}

/* A copy with an end in a decoy: a hit if it matches nothing. 1, 0 or -ENOMEM. */
static int copy_hits(struct worker *w, const struct claim *c, unsigned copy)
{
	struct claim moved = *c;

	if (__builtin_add_overflow(c->handoff.src_t, shift_of(copy), &moved.handoff.src_t) ||
	    __builtin_add_overflow(c->handoff.dst_t, shift_of(copy), &moved.handoff.dst_t) ||
	    !claim_scored(w->r->t, &moved))
		return 0;
	return ends_nothing(&w->ends, w->r->all, &moved);
}

/* Decoys are hits at context level if all known ends lie on threads. */
static int count_claim(struct worker *w, const struct claim *c)
{
	const struct hx *x = w->r->all;
	struct reached r = {.from = COPIES};
	struct probe p;

	if (c->kind != CLAIM_HANDOFF)
		return 0;
	p = probe_of(x, c);
	if ((c->has & HAS_SRC) && !reach_decoys(x->g, &p, c->handoff.src_tid, c->handoff.src_t, &r))
		return 0;
	if ((c->has & HAS_DST) && !reach_decoys(x->g, &p, c->handoff.dst_tid, c->handoff.dst_t, &r))
		return 0;
	for (unsigned k = r.from; k < r.to; k++) {
		int hit = r.copy[k] ? copy_hits(w, c, k) : 0;

		if (hit < 0)
			return hit;
		w->copy_hits[k] += (uint64_t)hit;
	}
	return 0;
}

static int count_claims(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = (struct worker *)workers + worker;
	int err = 0;

	for (size_t i = from; !err && i < to; i++)
		err = count_claim(w, &w->r->c->v[i]);
	return err;
}

/* The 99.9th percentile of 200 by nearest rank is the greatest. */
static uint64_t most_hits(const struct worker *w, unsigned workers)
{
	uint64_t most = 0;

	for (unsigned k = 0; k < COPIES; k++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < workers; i++)
			sum += w[i].copy_hits[k];
		most = MAX(sum, most);
	}
	return most;
}

int judge_cheating(struct run *r, struct worker *w, uint64_t hits, bool *ret)
{
	int err = claims_each(r, w, r->c->cnt, count_claims);

	if (!err)
		*ret = hits > most_hits(w, r->workers);
	return err;
}
