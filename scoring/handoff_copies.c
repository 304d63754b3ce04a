/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the cell cheating? Do more claims hit decoys than would by chance, as in any of 200 copies of
 * the claims that are shifted later?
 *
 * Asked the other way round: only shifted ends that fall into a decoy's window can make a hit. So
 * for each end that may reach any (handoff_near.h) the decoys of its type and thread that its
 * copies can reach are found, and of each the copies. Their number bounds a copy's hits without a
 * look at truth, and mostly no bound is as high as the real hits. Only copies whose bound is are
 * judged, those of the highest bounds first, until one has as many hits as the claims or none can
 * have.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/handoff_near.h"
#include "scoring/handoff_run.h"

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

/* The copies of a claim with an end in a decoy: the marked ones of [from, to). Unmarked while that
 * is empty. */
struct reached {
	unsigned from, to;
	bool copy[COPIES];
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
	if (!r->to)
		memset(r->copy, false, sizeof(r->copy));
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
	if (!decoys_may_fit(ground, p, g))
		return true;
	/* mutant -: equivalent because a later start only takes longer */
	at = stab_from(s, g, later(t, SHIFT_LEAST + SHIFT_SPAN));
	while ((at = stab_next(s, g, at, later(t, SHIFT_LEAST))) != SIZE_MAX)
		if (decoy_fits(ground, p, s->v[at].id))
			reach(r, &s->v[at].w, t);
	return true;
}

/* The copies of the claim that may hit. Decoys are hits at context level if all known ends lie on
 * threads. False: none. */
static bool find_copies(const struct worker *w, const struct claim *c, struct reached *ret)
{
	const struct ground *g = &w->r->ground;
	struct probe p = probe_of(&w->x, c);

	ret->from = COPIES;
	ret->to = 0;
	if ((c->has & HAS_SRC) && !reach_decoys(g, &p, c->handoff.src_tid, c->handoff.src_t, ret))
		return false; /* mutant: equivalent because nothing is reached yet */
	if ((c->has & HAS_DST) && !reach_decoys(g, &p, c->handoff.dst_tid, c->handoff.dst_t, ret))
		return false;
	return ret->to;
}

/* False of nearly all claims of which no copy may hit. */
static bool may_reach(const struct worker *w, const struct near_decoys *n, const struct claim *c)
{
	struct probe p;

	if (c->kind != CLAIM_HANDOFF)
		return false; /* mutant: equivalent because no copy of another kind is scored */
	p = probe_of(&w->x, c);
	return near_may(n, &p, c);
}

/* False: the copy is not scored. */
static bool move(const struct truth *t, const struct claim *c, unsigned copy, struct claim *ret)
{
	uint64_t by = shift_of(copy);

	*ret = *c;
	return !__builtin_add_overflow(c->handoff.src_t, by, &ret->handoff.src_t) &&
	       !__builtin_add_overflow(c->handoff.dst_t, by, &ret->handoff.dst_t) &&
	       claim_scored(t, ret);
}

/* ---- bounds ---- */

struct bound {
	uint64_t hits; /* no more than these */
	unsigned copy;
};

struct trial {
	struct worker *w;
	uint64_t hits; /* of the claims as they are */
	struct near_decoys near;
	const struct hx *all;			    /* all of truth */
	struct bound bound[COPIES];		    /* the highest first */
	bool judged[COPIES];			    /* in this round */
	_Atomic(uint64_t) may[COPIES], has[COPIES]; /* hits: not ruled out, found */
};

static int each_claim(struct trial *s, int (*fn)(void *, unsigned, size_t, size_t))
{
	const struct run *r = s->w->r;

	return work_each(&(struct work){
		.workers = r->workers, .cnt = r->c->cnt, .chunk = WORK_CHUNK, .fn = fn, .arg = s});
}

static int count_reached(void *trial, unsigned worker, size_t from, size_t to)
{
	struct trial *s = trial;
	struct worker *w = s->w + worker;
	struct claim moved;
	struct reached r;

	for (size_t i = from; i < to; i++) {
		const struct claim *c = &w->r->c->v[i];

		if (!may_reach(w, &s->near, c) || !find_copies(w, c, &r))
			continue;
		for (unsigned k = r.from; k < r.to; k++)
			/* mutant -= ||: equivalent because a higher bound only takes longer */
			w->copies[k] += r.copy[k] && move(w->r->t, c, k, &moved);
	}
	return 0;
}

static int compare_bounds(const void *a, const void *b)
{
	uint64_t x = ((const struct bound *)a)->hits, y = ((const struct bound *)b)->hits;

	/* mutant <= >=: equivalent because equals may stand in any order */
	return (x < y) - (x > y);
}

/* How many are as high as the real hits. */
static unsigned find_bounds(struct trial *s)
{
	unsigned cnt = 0; /* mutant: equivalent because what bounds exclude is not judged */

	each_claim(s, count_reached); /* cannot fail */
	for (unsigned k = 0; k < COPIES; k++) {
		uint64_t sum = 0; /* mutant: equivalent because a higher bound only takes longer */

		for (unsigned i = 0; i < s->w->r->workers; i++)
			/* mutant -=: equivalent because a higher bound only takes longer */
			sum += s->w[i].copies[k];
		s->bound[k] = (struct bound){.hits = sum, .copy = k};
		s->may[k] = sum;
	}
	qsort(s->bound, COPIES, sizeof(*s->bound), compare_bounds);
	while (cnt < COPIES && s->bound[cnt].hits >= s->hits)
		cnt++;
	return cnt;
}

/* ---- judgement ---- */

enum { OUTDONE = 1 }; /* a copy has as many hits as the claims */

/* A copy with an end in a decoy: a hit if it matches nothing. 0, OUTDONE or -ENOMEM. */
static int judge_copy(struct trial *s, struct worker *w, const struct claim *moved, unsigned copy)
{
	int hit = ends_nothing(&w->ends, s->all, moved);

	/* mutant <= 1: equivalent because what is not ruled out is no hit yet */
	if (hit < 0)
		return hit;
	if (hit)
		return atomic_fetch_add(&s->has[copy], 1) + 1 >= s->hits ? OUTDONE : 0;
	/* mutant 0: equivalent because it only saves time */
	atomic_fetch_sub(&s->may[copy], 1);
	return 0;
}

static int judge_claim(struct trial *s, struct worker *w, const struct claim *c)
{
	struct reached r;
	struct claim moved;
	int err = 0;

	if (!may_reach(w, &s->near, c) || !find_copies(w, c, &r))
		return 0;
	for (unsigned k = r.from; !err && k < r.to; k++)
		if (r.copy[k] && s->judged[k] && atomic_load(&s->may[k]) >= s->hits &&
		    move(w->r->t, c, k, &moved))
			err = judge_copy(s, w, &moved, k);
	return err;
}

static int judge_claims(void *trial, unsigned worker, size_t from, size_t to)
{
	struct trial *s = trial;
	struct worker *w = s->w + worker;
	int err = 0;

	for (size_t i = from; !err && i < to; i++)
		err = judge_claim(s, w, &w->r->c->v[i]);
	return err;
}

/* What the workers held is forgotten. cnt: copies to judge. */
static int survey_truth(struct trial *s, unsigned cnt)
{
	struct worker *w = s->w;
	int err;

	mem_free(&w->mem);
	mem_init(&w->mem, w->r->mem.limit);
	s->all = &w->x;
	err = survey_all(w);
	/* mutant / 1: equivalent because any guess will do */
	return err ? err : prepare_any(w, cnt * s->bound[0].hits);
}

/* Twice as many copies from round to round: the first will do if claims hit decoys by chance, and
 * if they do not the claims are passed over a few times only. */
static int judge_copies(struct trial *s, unsigned cnt)
{
	int err = 0;

	/* mutant 2 <=: equivalent because any rounds find the same */
	for (unsigned from = 0, n = 1; !err && from < cnt; from += n, n += n) {
		/* mutant: equivalent because of those judged before enough is ruled out */
		memset(s->judged, false, sizeof(s->judged));
		/* mutant <= -: equivalent because what bounds exclude is not judged */
		for (unsigned i = from; i < MIN(from + n, cnt); i++)
			s->judged[s->bound[i].copy] = true;
		err = each_claim(s, judge_claims);
	}
	return err;
}

static int judge(struct trial *s)
{
	unsigned cnt = find_bounds(s);
	int err = cnt ? survey_truth(s, cnt) : 0;

	return err ? err : judge_copies(s, cnt);
}

/* The 99.9th percentile of 200 by nearest rank is the greatest. */
int judge_cheating(struct worker *w, uint64_t hits, bool *ret)
{
	struct trial s = {.w = w, .hits = hits};
	int err = near_init(&s.near, &w->r->ground);

	if (!err)
		err = judge(&s);
	near_free(&s.near);
	if (err < 0)
		return err;
	*ret = err != OUTDONE;
	return 0;
}
