/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets S(c) and D(c) of a claim, at both levels. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"

static struct end end_of(const struct hx *x, const struct claim *c, enum hx_side side)
{
	bool src = side == SIDE_SRC;
	struct end e = {
		.tid = src ? c->handoff.src_tid : c->handoff.dst_tid,
		.t = src ? c->handoff.src_t : c->handoff.dst_t,
	};

	e.place = tids_place(&x->g->tids, e.tid);
	e.mute = e.place == HX_NONE && !(c->has & (src ? HAS_SRC_KERNEL : HAS_DST_KERNEL));
	return e;
}

/* Looks one side up. */
static int look_up(struct ends *s, const struct hx *x, enum hx_side side)
{
	const struct end *e = &s->end[side];

	if (side == SIDE_SRC) {
		s->near.cnt = 0;
		s->near_done = true;
		return s->c->has & HAS_SRC ? find_near(s, x, e) : 0;
	}
	s->far.cnt = 0;
	return s->c->has & HAS_DST ? find_far(s, x, e) : 0;
}

static void ends_start(struct ends *s, const struct hx *x, const struct claim *c,
		       const struct probe *p)
{
	s->c = c;
	s->probe = *p;
	s->near.cnt = s->met = 0;
	s->near_done = false;
	s->end[SIDE_SRC] = end_of(x, c, SIDE_SRC);
	s->end[SIDE_DST] = end_of(x, c, SIDE_DST);
	s->context = (!(c->has & HAS_SRC) || s->end[SIDE_SRC].place != HX_NONE) &&
		     (!(c->has & HAS_DST) || s->end[SIDE_DST].place != HX_NONE);
}

int ends_init(struct ends *s, const struct hx *x, const struct claim *c, const struct probe *p)
{
	ends_start(s, x, c, p);
	return look_up(s, x, SIDE_DST);
}

int ends_side(struct ends *s, const struct hx *x, const struct claim *c, enum hx_side side)
{
	struct probe p = probe_of(x, c);

	ends_start(s, x, c, &p);
	s->far.cnt = 0; /* mutant: equivalent because only the side that is asked is looked at */
	return look_up(s, x, side);
}

enum { FEW_NEAR = 8 };

/* Is S ∩ D what S and D have in common, rather than those of D that the src matches? */
static bool meets_few(const struct ends *s, size_t near)
{
	/* mutant <: equivalent because both ways find the same */
	return s->near_done && near <= FEW_NEAR;
}

static int recall(struct list *l, const uint32_t *found, uint32_t cnt)
{
	/* mutant <: equivalent because more room does no harm */
	int err = cnt <= l->cap ? 0 : list_room(l, cnt);

	for (uint32_t i = 0; !err && i < cnt; i++)
		l->v[i] = found[i];
	l->cnt = err ? 0 : cnt; /* mutant 1: equivalent because nothing is asked of it then */
	return err;
}

int ends_recall(struct ends *s, const struct hx *x, const struct claim *c, bool context,
		uint32_t near_cnt, uint32_t far_cnt, const uint32_t *found)
{
	uint32_t near = near_cnt == NEAR_UNASKED ? 0 : near_cnt;
	int err;

	s->c = c;
	s->probe = probe_of(x, c);
	s->context = context;
	s->near_done = near_cnt != NEAR_UNASKED;
	if (!meets_few(s, near))
		s->end[SIDE_SRC] = end_of(x, c, SIDE_SRC);
	err = recall(&s->near, found, near);
	return err ? err : recall(&s->far, found + near, far_cnt);
}

void ends_release(struct ends *s)
{
	struct list *lists[] = {&s->near, &s->far, &s->s, &s->d, &s->sd};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_free(lists[i]);
}

static bool listed(const struct list *l, uint32_t h)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (l->v[i] == h)
			return true;
	return false;
}

/* Does rank leave h, of the batch, to the end? */
static bool rank_leaves(struct ends *s, const struct hx *x, enum score_level level,
			enum hx_side side, uint32_t h)
{
	uint64_t t = side == SIDE_SRC ? s->c->handoff.src_t : s->c->handoff.dst_t;
	uint32_t batch = x->batches.of[side][h];
	struct ranked *k = &s->ranked[side];
	const struct truth_handoff *r, *meant;

	s->apart = s->apart || x->batches.v[batch].apart;
	if (k->batch != batch)
		*k = (struct ranked){.batch = batch,
				     .means = hx_rank_means(x, side, level, t, batch)};
	if (k->means == HX_NONE || k->means == h)
		return true;
	r = hx_rec(x, h);
	meant = hx_rec(x, k->means);
	return (r->has & TH_AMB) && (meant->has & TH_AMB) && r->amb == meant->amb;
}

/* Does this level see the match, and does rank leave it? found: with bits. */
static inline bool stands(struct ends *s, const struct hx *x, enum score_level level,
			  enum hx_side side, uint32_t found)
{
	uint16_t batch = side == SIDE_SRC ? HX_SRC_BATCH : HX_DST_BATCH;
	uint32_t h = found & FOUND_H;

	if (!(found & FOUND_OWN)) {
		s->apart = true;
		return level == LEVEL_IDENTITY;
	}
	return !(x->flags[h] & batch) || !s->probe.comparable || rank_leaves(s, x, level, side, h);
}

/* First of the run of h's amb group in the sorted list. */
static size_t amb_first(const struct hx *x, const struct truth_handoff *r)
{
	size_t lo = 0, hi = x->amb.cnt;

	while (lo < hi) {
		/* mutant 3: equivalent because any place from lo to below hi halves soon enough */
		size_t mid = lo + (hi - lo) / 2;
		const struct amb_item *m = &x->amb.v[mid];

		if (m->type < r->type || (m->type == r->type && m->amb < r->amb))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int push_amb(struct list *d, const struct hx *x, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);
	int err = 0;

	if (!x->amb.of_type[r->type] || !(r->has & TH_AMB))
		return 0;
	for (size_t i = amb_first(x, r); !err && i < x->amb.cnt; i++) {
		const struct amb_item *m = &x->amb.v[i];

		if (m->type != r->type || m->amb != r->amb)
			break;
		if (!listed(d, m->h))
			err = list_push(d, m->h);
	}
	return err;
}

static inline int fill(struct list *to, struct ends *s, const struct hx *x, enum score_level level,
		       enum hx_side side)
{
	const struct list *l = side == SIDE_SRC ? &s->near : &s->far;
	/* mutant <: equivalent because more room does no harm */
	int err = l->cnt <= to->cap ? 0 : list_room(to, l->cnt);

	to->cnt = 0;
	for (size_t i = 0; !err && i < l->cnt; i++)
		if (stands(s, x, level, side, l->v[i]))
			to->v[to->cnt++] = l->v[i] & FOUND_H;
	return err;
}

static int fill_far(struct ends *s, const struct hx *x, enum score_level level)
{
	int err = fill(&s->d, s, x, level, SIDE_DST);

	if (!x->amb.of_type[s->c->type])
		return err;
	for (size_t i = 0, direct = s->d.cnt; !err && i < direct; i++)
		err = push_amb(&s->d, x, s->d.v[i]);
	return err;
}

int ends_near(struct ends *s, const struct hx *x)
{
	return s->near_done ? 0 : look_up(s, x, SIDE_SRC);
}

static int fill_near(struct ends *s, const struct hx *x, enum score_level level)
{
	int err = ends_near(s, x);

	return err ? err : fill(&s->s, s, x, level, SIDE_SRC);
}

/* Is h in S? */
static bool near_holds(struct ends *s, const struct hx *x, enum score_level level,
		       const struct end *e, uint32_t h)
{
	uint32_t own = hx_rec(x, h)->src_tid == e->tid ? (uint32_t)FOUND_OWN : 0;

	return near_matches(s, x, e, h) && stands(s, x, level, SIDE_SRC, h | own);
}

static int fill_both(struct ends *s, const struct hx *x, enum score_level level)
{
	const struct end *e = &s->end[SIDE_SRC];
	int err = 0;

	for (size_t i = 0; !err && i < s->d.cnt; i++)
		if (near_holds(s, x, level, e, s->d.v[i]))
			err = list_push(&s->sd, s->d.v[i]);
	return err;
}

/* The same from S. */
static int meet(struct ends *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->d.cnt; i++)
		if (listed(&s->s, s->d.v[i]))
			err = list_push(&s->sd, s->d.v[i]);
	return err;
}

/* S ∩ D, and S where that is empty. */
static int fill_sets(struct ends *s, const struct hx *x, enum score_level level)
{
	int err = 0;

	s->sd.cnt = s->s.cnt = 0;
	if (meets_few(s, s->near.cnt)) {
		err = fill_near(s, x, level);
		return err ? err : meet(s);
	}
	/* mutant ||: equivalent because nothing is found then */
	if (s->d.cnt && (s->c->has & HAS_SRC))
		err = fill_both(s, x, level);
	/* mutant &&: equivalent because S is not asked for where S ∩ D holds anything */
	return err || s->sd.cnt ? err : fill_near(s, x, level);
}

static uint16_t marks_of(const struct hx *x, const struct list *l)
{
	uint16_t m = 0;

	for (size_t i = 0; i < l->cnt; i++)
		m |= hx_rec(x, l->v[i])->marks;
	return m;
}

static bool in_group_of(const struct hx *x, const struct list *l, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);

	for (size_t i = 0; i < l->cnt; i++) {
		const struct truth_handoff *m = hx_rec(x, l->v[i]);

		if (m == r || ((m->has & TH_AMB) && (r->has & TH_AMB) && m->amb == r->amb))
			return true;
	}
	return false;
}

/* No handoff of S ∩ D, nor of their amb groups, has the far end in its dst.t. */
static bool needed_ready(const struct ends *s, const struct hx *x, enum score_level level)
{
	for (size_t i = 0; i < s->far.cnt; i++) {
		uint32_t f = s->far.v[i];

		if ((f & FOUND_IN_DST) && ((f & FOUND_OWN) || level == LEVEL_IDENTITY) &&
		    in_group_of(x, &s->sd, f & FOUND_H))
			return false;
	}
	return true;
}

int ends_view(struct ends *s, const struct hx *x, enum score_level level, struct view *ret)
{
	struct view v = {};
	int err;

	s->apart = false; /* mutant: equivalent because the same view is made once more */
	s->ranked[SIDE_SRC].batch = s->ranked[SIDE_DST].batch = HX_NONE;
	err = fill_far(s, x, level);
	v.far = s->d.cnt;
	if (!err)
		err = fill_sets(s, x, level);
	if (err)
		return err;
	v.near = s->s.cnt || s->sd.cnt;
	v.by_ready = s->sd.cnt && needed_ready(s, x, level);
	v.marks = s->sd.cnt ? marks_of(x, &s->sd) : marks_of(x, &s->s) | marks_of(x, &s->d);
	*ret = v;
	return 0;
}

int ends_marks(struct ends *s, const struct hx *x, enum score_level level, uint16_t *ret)
{
	int err = fill_near(s, x, level);

	if (!err)
		*ret = marks_of(x, &s->s) | marks_of(x, &s->d);
	return err;
}

bool ends_joined(const struct ends *s, const struct hx *x)
{
	const struct end *e = &s->end[SIDE_SRC];

	/* mutant 1: equivalent because it only saves time */
	for (size_t i = 0; (s->c->has & HAS_SRC) && i < s->far.cnt; i++) {
		uint32_t h = s->far.v[i] & FOUND_H;

		/* mutant || !=: equivalent because what else the src may mean is tied to it */
		if ((s->far.v[i] & FOUND_OWN) && hx_rec(x, h)->src_tid == e->tid &&
		    near_matches(s, x, e, h))
			return true; /* mutant: equivalent because it only saves time */
	}
	return false;
}

static bool any_own(const struct list *l)
{
	for (size_t i = 0; i < l->cnt; i++)
		if (l->v[i] & FOUND_OWN)
			return true;
	return false;
}

int ends_nothing(struct ends *s, const struct hx *x, const struct claim *c)
{
	struct probe p = probe_of(x, c);
	int err = ends_init(s, x, c, &p);

	if (!err)
		err = look_up(s, x, SIDE_SRC);
	if (err)
		return err;
	/* mutant 2: equivalent because who asks only tells it from 0 */
	return any_own(&s->far) || any_own(&s->near) ? 0 : 1;
}
