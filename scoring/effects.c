/* SPDX-License-Identifier: BSD-2-Clause */
/* Effects: claimed (cause, effect) pairs against those of truth. */
#include "scoring/attribution.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/matching.h"

/* Scored events of a life on a thread in order of t0, with the latest t1 seen so far: some window
 * holds x exactly if the last that began by x has reach ≥ x. */
struct life_window {
	uint64_t life, t0, t1, reach;
	uint32_t tid;
};

/* Of the causes that scored effects name: there are few of them, or none, among all handoffs. */
struct cause_index {
	uint64_t *named; /* sorted */
	size_t named_cnt;
	struct life_window *lives;
	size_t lives_cnt;
	const struct truth_handoff **handoffs; /* with a scored src, by id */
	size_t handoffs_cnt;
	uint64_t *outside; /* ids, sorted: a src or an event of them does not lie in `scored` */
	size_t outside_cnt;
};

static int life_cmp(const void *pa, const void *pb)
{
	const struct life_window *a = pa, *b = pb;

	if (a->life != b->life)
		return CMP3(a->life, b->life);
	if (a->tid != b->tid)
		return CMP3(a->tid, b->tid);
	return CMP3(a->t0, b->t0);
}

static int handoff_cmp(const void *pa, const void *pb)
{
	const struct truth_handoff *const *a = pa, *const *b = pb;

	return CMP3((*a)->id, (*b)->id);
}

static int number_cmp(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

static void index_named(const struct truth *t, struct cause_index *x)
{
	for (size_t i = 0; i < t->effects_cnt; i++)
		if (window_scored(t, &t->effects[i].t))
			x->named[x->named_cnt++] = t->effects[i].cause;
	qsort(x->named, x->named_cnt, sizeof(*x->named), number_cmp);
}

static bool is_named(const struct cause_index *x, uint64_t id)
{
	return bsearch(&id, x->named, x->named_cnt, sizeof(id), number_cmp);
}

static void index_lives(const struct truth *t, struct cause_index *x)
{
	for (size_t i = 0; i < t->events_cnt; i++) {
		const struct truth_event *e = &t->events[i];

		if (!is_named(x, e->life))
			continue;
		if (window_scored(t, &e->t))
			x->lives[x->lives_cnt++] = (struct life_window){
				.life = e->life, .t0 = e->t.t0, .t1 = e->t.t1, .tid = e->tid};
		else
			x->outside[x->outside_cnt++] = e->life;
	}
	qsort(x->lives, x->lives_cnt, sizeof(*x->lives), life_cmp);
	for (size_t i = 0; i < x->lives_cnt; i++) {
		struct life_window *w = &x->lives[i];

		w->reach = w->t1;
		if (i && w[-1].life == w->life && w[-1].tid == w->tid)
			w->reach = MAX(w->reach, w[-1].reach);
	}
}

static void index_handoffs(const struct truth *t, struct cause_index *x)
{
	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		if (!(h->has & TH_SRC) || !is_named(x, h->id))
			continue;
		if (window_scored(t, &h->src_t))
			x->handoffs[x->handoffs_cnt++] = h;
		else
			x->outside[x->outside_cnt++] = h->id;
	}
	qsort(x->handoffs, x->handoffs_cnt, sizeof(*x->handoffs), handoff_cmp);
}

struct life_key {
	const struct cause_index *x;
	const struct life_window *key;
};

static bool life_begun(const void *parg, size_t i)
{
	const struct life_key *arg = parg;

	return life_cmp(&arg->x->lives[i], arg->key) <= 0;
}

/* The last window up to (life, tid, t0) if it is of that life, or NULL. */
static const struct life_window *life_last(const struct cause_index *x,
					   const struct life_window *key)
{
	struct life_key arg = {.x = x, .key = key};
	size_t begun = partition_point(x->lives_cnt, life_begun, &arg);
	const struct life_window *w = begun ? &x->lives[begun - 1] : NULL;

	return w && w->life == key->life ? w : NULL;
}

static bool life_known(const struct cause_index *x, uint64_t life)
{
	struct life_window key = {.life = life, .tid = UINT32_MAX, .t0 = UINT64_MAX};

	return life_last(x, &key);
}

static bool life_holds(const struct cause_index *x, uint64_t life, uint32_t tid, uint64_t t)
{
	struct life_window key = {.life = life, .tid = tid, .t0 = t};
	const struct life_window *w = life_last(x, &key);

	return w && w->tid == tid && w->reach >= t;
}

static const struct truth_handoff *handoff_find(const struct cause_index *x, uint64_t id)
{
	struct truth_handoff key = {.id = id};
	const struct truth_handoff *pkey = &key;
	const struct truth_handoff **hit =
		bsearch(&pkey, x->handoffs, x->handoffs_cnt, sizeof(pkey), handoff_cmp);

	return hit ? *hit : NULL;
}

/* Truth knows contexts of the cause, and none in `scored`. What has no context at all can't be
 * matched, but lies outside of nothing. */
static bool cause_outside(const struct cause_index *x, uint64_t cause)
{
	return bsearch(&cause, x->outside, x->outside_cnt, sizeof(cause), number_cmp) &&
	       !handoff_find(x, cause) && !life_known(x, cause);
}

static bool cause_met(const struct cause_index *x, uint64_t cause, const struct claim *c)
{
	const struct truth_handoff *h = handoff_find(x, cause);

	if (h && h->src_tid == c->effect.cause_tid && window_holds(&h->src_t, c->effect.cause_t))
		return true;
	return life_holds(x, cause, c->effect.cause_tid, c->effect.cause_t);
}

/* Room for what may be found of events and handoffs. */
static int make_room(const struct truth *t, struct cause_index *x)
{
	/* mutant 1: equivalent because more room does no harm */
	size_t events = 0, handoffs = 0;

	for (size_t i = 0; i < t->events_cnt; i++)
		events += is_named(x, t->events[i].life);
	for (size_t i = 0; i < t->handoffs_cnt; i++)
		handoffs += is_named(x, t->handoffs[i].id);
	x->lives = array_new(events, sizeof(*x->lives));
	x->handoffs = array_new(handoffs, sizeof(*x->handoffs));
	x->outside = array_new(events + handoffs, sizeof(*x->outside));
	return x->lives && x->handoffs && x->outside ? 0 : -ENOMEM;
}

static int cause_index_make(const struct truth *t, struct cause_index *x)
{
	x->named = array_new(t->effects_cnt, sizeof(*x->named));
	if (!x->named)
		return -ENOMEM;
	index_named(t, x);
	if (!x->named_cnt) /* mutant: equivalent because nothing is found then */
		return 0;
	if (make_room(t, x))
		return -ENOMEM;
	index_lives(t, x);
	index_handoffs(t, x);
	qsort(x->outside, x->outside_cnt, sizeof(*x->outside), number_cmp);
	return 0;
}

enum { FIRST_ROOM = 64 };

struct graph {
	struct cause_index causes;
	const struct truth_effect **effects; /* scored, by (kind, tid, t0) */
	size_t effects_cnt;
	const struct claim **claims; /* scored, by (kind, tid, t) */
	size_t claims_cnt;
	uint32_t *open; /* effects whose window may hold the claim in hand */
	size_t open_cnt;
	size_t *first;
	uint32_t *to;
	size_t to_cnt, to_room;
};

static int effect_cmp(const void *pa, const void *pb)
{
	const struct truth_effect *a = *(const struct truth_effect *const *)pa;
	const struct truth_effect *b = *(const struct truth_effect *const *)pb;

	if (a->kind != b->kind)
		return CMP3(a->kind, b->kind);
	if (a->tid != b->tid)
		return CMP3(a->tid, b->tid);
	return CMP3(a->t.t0, b->t.t0);
}

static int claim_cmp(const void *pa, const void *pb)
{
	const struct claim *a = *(const struct claim *const *)pa;
	const struct claim *b = *(const struct claim *const *)pb;

	if (a->type != b->type)
		return CMP3(a->type, b->type);
	if (a->effect.tid != b->effect.tid)
		return CMP3(a->effect.tid, b->effect.tid);
	return CMP3(a->effect.t, b->effect.t);
}

static int graph_collect(struct graph *g, const struct truth *t, const struct claims *c)
{
	size_t room = claims_count(c, CLAIM_EFFECT);

	g->effects = array_new(t->effects_cnt, sizeof(*g->effects));
	g->open = array_new(t->effects_cnt, sizeof(*g->open));
	g->claims = array_new(room, sizeof(*g->claims));
	/* mutant 2: equivalent because more room than that does no harm */
	g->first = array_new(room + 1, sizeof(*g->first));
	if (!g->effects || !g->open || !g->claims || !g->first)
		return -ENOMEM;
	for (size_t i = 0; i < t->effects_cnt; i++)
		if (window_scored(t, &t->effects[i].t) &&
		    !cause_outside(&g->causes, t->effects[i].cause))
			g->effects[g->effects_cnt++] = &t->effects[i];
	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_EFFECT && time_scored(t, c->v[i].effect.t) &&
		    time_scored(t, c->v[i].effect.cause_t))
			g->claims[g->claims_cnt++] = &c->v[i];
	qsort(g->effects, g->effects_cnt, sizeof(*g->effects), effect_cmp);
	qsort(g->claims, g->claims_cnt, sizeof(*g->claims), claim_cmp);
	return 0;
}

static int graph_edge(struct graph *g, uint32_t effect)
{
	if (g->to_cnt == g->to_room) {
		/* mutant 3: equivalent because any growth does */
		size_t room = g->to_room ? 2 * g->to_room : FIRST_ROOM;
		uint32_t *to = realloc(g->to, room * sizeof(*to));

		if (!to)
			return -ENOMEM;
		g->to = to;
		g->to_room = room;
	}
	g->to[g->to_cnt++] = effect;
	return 0;
}

/* Order of a claim against the (kind, tid) of an effect. */
static int group_cmp(const struct claim *c, const struct truth_effect *e)
{
	if (c->type != e->kind)
		return CMP3(c->type, e->kind);
	return CMP3(c->effect.tid, e->tid);
}

/* Drops the open effects that have ended or are of another group, joins the rest to the claim. */
static int graph_join(struct graph *g, const struct claim *c)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < g->open_cnt; i++) {
		const struct truth_effect *e = g->effects[g->open[i]];

		if (group_cmp(c, e) || e->t.t1 < c->effect.t)
			continue;
		g->open[kept++] = g->open[i];
		if (!err && cause_met(&g->causes, e->cause, c))
			err = graph_edge(g, g->open[i]);
	}
	g->open_cnt = kept;
	return err;
}

static int graph_connect(struct graph *g)
{
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; !err && i < g->claims_cnt; i++) {
		const struct claim *c = g->claims[i];

		for (; next < g->effects_cnt; next++) {
			const struct truth_effect *e = g->effects[next];
			int group = group_cmp(c, e);

			if (group < 0 || (!group && c->effect.t < e->t.t0))
				break;
			if (!group)
				g->open[g->open_cnt++] = (uint32_t)next;
		}
		err = graph_join(g, c);
		g->first[i + 1] = g->to_cnt;
	}
	return err;
}

static void graph_free(struct graph *g)
{
	free(g->causes.named);
	free(g->causes.lives);
	free(g->causes.handoffs);
	free(g->causes.outside);
	free(g->effects);
	free(g->claims);
	free(g->open);
	free(g->first);
	free(g->to);
}

static int graph_score(const struct graph *g, struct effect_score *ret)
{
	struct bipartite b = {.left_cnt = g->claims_cnt,
			      .right_cnt = g->effects_cnt,
			      .first = g->first,
			      .to = g->to};
	int64_t matched = matching_size(&b);

	if (matched < 0)
		return (int)matched;
	*ret = (struct effect_score){
		.truth = g->effects_cnt, .claims = g->claims_cnt, .matched = (uint64_t)matched};
	return 0;
}

int score_effects(const struct truth *t, const struct claims *c, struct attribution_score *ret)
{
	struct graph g = {};
	int err = cause_index_make(t, &g.causes);

	if (!err)
		err = graph_collect(&g, t, c);
	if (!err)
		err = graph_connect(&g);
	if (!err)
		err = graph_score(&g, &ret->effect);
	graph_free(&g);
	return err;
}
