/* SPDX-License-Identifier: BSD-2-Clause */
/* The first pass over truth: ends, totals, order of time, keys in flight. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"
#include "scoring/handoff_open.h"
#include "scoring/visibility.h"

enum { EPOCH_DEFAULT = 8192 };

static void widen(struct window *w, const struct window *by)
{
	w->t0 = by->t0 < w->t0 ? by->t0 : w->t0;
	w->t1 = by->t1 > w->t1 ? by->t1 : w->t1;
}

struct window hx_life(const struct truth_handoff *r, uint16_t flags)
{
	struct window w = flags & HX_SRC ? r->src_t : r->dst_ready;

	if (flags & HX_DST) {
		widen(&w, &r->dst_ready);
		widen(&w, &r->dst_t);
	}
	return w;
}

struct window hx_near_window(const struct hx *x, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	struct window w = r->src_t;

	if (has_identity(r->type) && (x->flags[h] & HX_DST) && r->dst_ready.t1 > w.t1)
		w.t1 = r->dst_ready.t1;
	return w;
}

struct window hx_far_window(const struct truth_handoff *r)
{
	struct window w = r->dst_t;

	widen(&w, &r->dst_ready);
	return w;
}

static uint16_t flags_of(const struct truth *t, const struct truth_handoff *r)
{
	uint16_t f = 0;

	if ((r->has & TH_SRC) && within(&t->scored, &r->src_t))
		f |= HX_SRC;
	if ((r->has & TH_DST) && within(&t->scored, &r->dst_t))
		f |= HX_DST;
	if (space_listed(t, r->key.ns))
		f |= HX_KEY;
	return f;
}

static void count_totals(struct hx *x, const struct truth_handoff *r, bool both)
{
	struct hx_totals *s = &x->totals;

	s->types |= 1u << r->type;
	s->marks |= r->marks;
	if (!both) {
		s->one_ended++;
		return;
	}
	s->two_ended++;
	s->type[r->type]++;
	for (unsigned m = r->marks; m; m &= m - 1)
		s->mark[__builtin_ctz(m)]++;
	for (int l = 0; r->marks && l < LEVEL_CNT; l++)
		s->blind[l][r->type] += (r->marks & x->blind[l][r->type]) != 0;
}

struct survey {
	struct hx *x;
	struct opens opens;
	uint64_t last; /* first time of the place before */
	uint32_t epoch;
	bool unsorted;
};

/* A handoff without an end in scored stands where it stands, and takes no part. */
static int survey_one(struct survey *s, uint32_t place)
{
	struct hx *x = s->x;
	uint32_t h = hx_at(x, place);
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint16_t f = flags_of(x->t, r);
	struct window life;

	x->flags[h] = f;
	if (!(f & HX_BOTH)) {
		line_put(&x->line, place, s->last, 0, 0);
		return 0;
	}
	life = hx_life(r, f);
	if (life.t0 < s->last) {
		s->unsorted = true;
		return 0;
	}
	s->last = life.t0;
	line_put(&x->line, place, life.t0, f & HX_SRC ? r->src_t.t1 : 0, life.t1);
	x->lived += (double)(life.t1 - life.t0);
	(f & HX_KEY ? x->keyed : x->keyless)[r->type] = true;
	count_totals(x, r, (f & HX_BOTH) == HX_BOTH);
	if (!(f & HX_KEY))
		return 0;
	return opens_put(&s->opens, r->type, r->key.v, key_tag(r->type, r->key.v), &life, h);
}

static int survey_all(struct survey *s)
{
	struct hx *x = s->x;
	int err = line_init(&x->line, x->cnt, x->mem);

	if (!err)
		err = opens_init(&s->opens);
	s->last = 0;
	s->unsorted = false;
	x->totals = (struct hx_totals){0};
	x->lived = 0;
	for (uint32_t i = 0; !err && !s->unsorted && i < x->cnt; i++)
		err = survey_one(s, i);
	if (!err)
		line_finish(&x->line);
	return err;
}

struct dated {
	uint64_t t;
	uint32_t h;
};

static int compare_dated(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (x->h > y->h) - (x->h < y->h);
}

static int sort_order(struct hx *x)
{
	struct dated *v = mem_array(x->mem, x->cnt, sizeof(*v));

	x->order = mem_array(x->mem, x->cnt, sizeof(*x->order));
	if (!v || !x->order)
		return -ENOMEM;
	for (uint32_t h = 0; h < x->cnt; h++) {
		uint16_t f = flags_of(x->t, &x->t->handoffs[h]);

		v[h].h = h;
		v[h].t = f & HX_BOTH ? hx_life(&x->t->handoffs[h], f).t0 : 0;
	}
	qsort(v, x->cnt, sizeof(*v), compare_dated);
	for (uint32_t i = 0; i < x->cnt; i++)
		x->order[i] = v[i].h;
	return 0;
}

/* An epoch begins where every epoch'th handoff does. */
static int cut_epochs(struct hx *x, uint32_t epoch)
{
	struct epochs *e = &x->epochs;

	e->cnt = x->cnt / epoch + 1;
	e->start = mem_array(x->mem, e->cnt, sizeof(*e->start));
	if (!e->start)
		return -errno;
	for (uint32_t i = 1; i < e->cnt; i++)
		e->start[i] = x->line.v[i * epoch < x->cnt ? i * epoch : x->cnt - 1].first;
	return 0;
}

static int compare_amb(const void *a, const void *b, void *arg)
{
	const struct truth_handoff *v = arg;
	const struct truth_handoff *x = &v[*(const uint32_t *)a], *y = &v[*(const uint32_t *)b];

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->amb != y->amb)
		return x->amb < y->amb ? -1 : 1;
	return (x > y) - (x < y);
}

static int index_amb(struct hx *x)
{
	struct list *l = &x->amb.v;
	int err = 0;

	for (uint32_t h = 0; !err && h < x->cnt; h++)
		if ((x->t->handoffs[h].has & TH_AMB) && (x->flags[h] & HX_BOTH)) {
			x->amb.of_type[x->t->handoffs[h].type] = true;
			err = list_push(l, h);
		}
	if (!err && l->cnt)
		qsort_r(l->v, l->cnt, sizeof(*l->v), compare_amb, (void *)x->t->handoffs);
	return err;
}

int hx_init(struct hx *x, const struct truth *t, uint32_t epoch, struct mem *mem)
{
	struct survey s = {.x = x};
	int err;

	*x = (struct hx){.t = t, .cnt = (uint32_t)t->handoffs_cnt, .mem = mem};
	x->epoch = epoch && epoch != HX_SCAN ? epoch : EPOCH_DEFAULT;
	for (int l = 0; l < LEVEL_CNT; l++)
		for (int i = 0; i < HANDOFF_TYPE_CNT; i++)
			x->blind[l][i] =
				visibility_blind((enum handoff_type)i, (enum score_level)l);
	if (t->handoffs_cnt >= UINT32_MAX / 2)
		return -E2BIG;
	x->flags = mem_array(mem, x->cnt, sizeof(*x->flags));
	err = x->flags ? tids_init(&x->tids, t) : -ENOMEM;
	if (!err)
		err = survey_all(&s);
	if (!err && s.unsorted) {
		opens_free(&s.opens);
		err = sort_order(x);
		if (!err)
			err = survey_all(&s);
	}
	if (!err)
		err = cut_epochs(x, x->epoch);
	if (!err)
		err = hx_batches_init(x, &s.opens.cluster, &s.opens.member);
	if (!err)
		err = index_amb(x);
	opens_free(&s.opens);
	return err ? err : decoys_init(x);
}

void hx_free(struct hx *x)
{
	tids_free(&x->tids);
	hx_batches_free(&x->batches);
	list_free(&x->amb.v);
}
