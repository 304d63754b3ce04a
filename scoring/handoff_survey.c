/* SPDX-License-Identifier: BSD-2-Clause */
/* The first pass over truth: ends, totals, order of time, keys in flight. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff.h"
#include "scoring/handoff_open.h"
#include "scoring/handoff_workers.h"
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

	/* mutant ||: equivalent because near_matches asks the same of what is found */
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

static void count_totals(const struct hx *x, struct hx_totals *s, const struct truth_handoff *r,
			 bool both)
{

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

/* What one worker surveys: a stretch of places; then, of all places, the keys of a share. */
struct part {
	struct hx_totals totals;
	double lived;
	uint64_t last; /* first time of the place before */
	uint32_t from, to;
	bool keyed[HANDOFF_TYPE_CNT], keyless[HANDOFF_TYPE_CNT];
	bool unsorted;
	struct hx_amb amb;
	struct opens opens;
};

struct survey {
	struct hx *x;
	struct part *part;
	unsigned parts;
};

static int amb_push(struct hx_amb *a, const struct amb_item *item)
{
	struct amb_item *v = vec_grow(a->v, &a->cap, a->cnt + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	a->v = v;
	a->v[a->cnt++] = *item;
	a->of_type[item->type] = true;
	return 0;
}

static void amb_free(struct hx_amb *a)
{
	vec_free(a->v, a->cap, sizeof(*a->v));
}

/* A key in flight is met by all of its share alone; handoffs come in order of time. */
static int open_key(const struct survey *s, struct part *p, uint32_t place)
{
	struct hx *x = s->x;
	uint32_t h = hx_at(x, place);
	const struct truth_handoff *r = &x->t->handoffs[h];
	struct window life = hx_life(r, x->flags[h]);

	if (!(x->flags[h] & HX_KEY) || !(x->flags[h] & HX_BOTH))
		return 0;
	return opens_put(&p->opens, r->type, r->key.v, key_tag(r->type, r->key.v), &life, h);
}

static void put_place(struct hx *x, struct part *p, uint32_t place, const struct truth_handoff *r,
		      uint16_t f)
{
	struct window life = hx_life(r, f);

	p->unsorted = p->unsorted || life.t0 < p->last;
	p->last = life.t0;
	line_put(&x->line, place, life.t0, f & HX_SRC ? r->src_t.t1 : 0, life.t1);
	x->tags[place].dst = f & HX_DST ? dst_tag(r->type, r->dst_tid) : 0;
	x->tags[place].key = f & HX_KEY ? (uint16_t)key_tag(r->type, r->key.v) : 0;
	p->lived += (double)(life.t1 - life.t0);
	(f & HX_KEY ? p->keyed : p->keyless)[r->type] = true;
	count_totals(x, &p->totals, r, (f & HX_BOTH) == HX_BOTH);
}

/* A handoff without an end in scored stands where it stands, and takes no part. */
static int survey_one(const struct survey *s, struct part *p, uint32_t place)
{
	struct hx *x = s->x;
	uint32_t h = hx_at(x, place);
	const struct truth_handoff *r = &x->t->handoffs[h];
	uint16_t f = flags_of(x->t, r);

	x->flags[h] = f;
	if (!(f & HX_BOTH)) {
		line_put(&x->line, place, p->last, 0, 0);
		return 0;
	}
	put_place(x, p, place, r, f);
	if ((r->has & TH_AMB) &&
	    amb_push(&p->amb, &(struct amb_item){.amb = r->amb, .type = r->type, .h = h}))
		return -ENOMEM;
	return s->parts == 1 && !p->unsorted ? open_key(s, p, place) : 0;
}

/* The first time of the last place before `place` that has an end. */
static uint64_t time_before(const struct hx *x, uint32_t place)
{
	while (place-- > 0) {
		const struct truth_handoff *r = &x->t->handoffs[hx_at(x, place)];
		uint16_t f = flags_of(x->t, r);

		if (f & HX_BOTH)
			return hx_life(r, f).t0;
	}
	return 0;
}

static int survey_stretch(void *arg, unsigned worker, size_t from, size_t to)
{
	struct survey *s = arg;
	struct part *p = &s->part[from];
	int err = 0;

	p->last = time_before(s->x, p->from);
	for (uint32_t i = p->from; !err && !p->unsorted && i < p->to; i++)
		err = survey_one(s, p, i);
	return err;
}

static int open_share(void *arg, unsigned worker, size_t from, size_t to)
{
	struct survey *s = arg;
	int err = 0;

	for (uint32_t i = 0; !err && i < s->x->cnt; i++)
		if (s->x->tags[i].key % s->parts == from)
			err = open_key(s, &s->part[from], i);
	return err;
}

static void add_totals(struct hx_totals *to, const struct hx_totals *by)
{
	to->two_ended += by->two_ended;
	to->one_ended += by->one_ended;
	for (int i = 0; i < HANDOFF_TYPE_CNT; i++) {
		to->type[i] += by->type[i];
		for (int l = 0; l < LEVEL_CNT; l++)
			to->blind[l][i] += by->blind[l][i];
	}
	for (int i = 0; i < MARK_CNT; i++)
		to->mark[i] += by->mark[i];
	to->types |= by->types;
	to->marks |= by->marks;
}

static int add_part(struct hx *x, const struct part *p)
{
	int err = 0;

	add_totals(&x->totals, &p->totals);
	x->lived += p->lived;
	for (int i = 0; i < HANDOFF_TYPE_CNT; i++) {
		x->keyed[i] = x->keyed[i] || p->keyed[i];
		x->keyless[i] = x->keyless[i] || p->keyless[i];
	}
	for (size_t i = 0; !err && i < p->amb.cnt; i++)
		err = amb_push(&x->amb, &p->amb.v[i]);
	return err;
}

static void parts_free(struct survey *s)
{
	for (unsigned i = 0; s->part && i < s->parts; i++) {
		opens_free(&s->part[i].opens);
		amb_free(&s->part[i].amb);
	}
	free(s->part);
	s->part = NULL;
}

/* Stretches are whole blocks of the line. */
static int parts_init(struct survey *s)
{
	const uint32_t block = 1u << LINE_FAN;
	uint32_t blocks = s->x->cnt / block + 1, each = (blocks / s->parts + 1) * block;
	int err = 0;

	s->part = calloc(s->parts, sizeof(*s->part));
	if (!s->part)
		return -ENOMEM;
	for (unsigned i = 0; !err && i < s->parts; i++) {
		struct part *p = &s->part[i];

		p->from = i * (uint64_t)each < s->x->cnt ? i * each : s->x->cnt;
		p->to = s->x->cnt - p->from < each ? s->x->cnt : p->from + each;
		err = opens_init(&p->opens);
	}
	return err;
}

/* A thread is not worth it for a few. */
static int parts_each(struct survey *s, int (*fn)(void *, unsigned, size_t, size_t))
{
	return work_each(&(struct work){.workers = s->x->cnt > WORK_CHUNK ? s->parts : 1,
					.cnt = s->parts,
					.chunk = 1,
					.fn = fn,
					.arg = s});
}

static bool in_order(const struct survey *s)
{
	for (unsigned i = 0; i < s->parts; i++)
		if (s->part[i].unsorted)
			return false;
	return true;
}

/* Surveys in the present order; *ret: it is that of time, and the survey whole. */
static int survey_all(struct hx *x, unsigned workers, bool *ret)
{
	struct survey s = {.x = x, .parts = workers};
	int err = parts_init(&s);

	if (!err)
		err = parts_each(&s, survey_stretch);
	*ret = !err && in_order(&s);
	if (*ret) {
		line_finish(&x->line);
		for (unsigned i = 0; !err && i < s.parts; i++)
			err = add_part(x, &s.part[i]);
		if (!err && s.parts > 1)
			err = parts_each(&s, open_share);
		for (unsigned i = 0; !err && i < s.parts; i++)
			err = hx_batches_init(x, &s.part[i].opens.cluster, &s.part[i].opens.member);
	}
	parts_free(&s);
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
	return (x->h > y->h) - (x->h < y->h); /* mutant >= <=: equivalent because they differ */
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

static int compare_amb(const void *a, const void *b)
{
	const struct amb_item *x = a, *y = b;

	if (x->type != y->type)
		/* mutant <= 2 0: equivalent because they differ, and glibc keeps equals in order */
		return x->type < y->type ? -1 : 1;
	if (x->amb != y->amb)
		/* mutant <= 2 0: equivalent because they differ, and glibc keeps equals in order */
		return x->amb < y->amb ? -1 : 1;
	return (x->h > y->h) - (x->h < y->h);
}

static int hx_alloc(struct hx *x)
{
	int err;

	x->flags = mem_array(x->mem, x->cnt, sizeof(*x->flags));
	x->tags = mem_array(x->mem, x->cnt, sizeof(*x->tags));
	if (!x->flags || !x->tags)
		return -ENOMEM;
	err = line_init(&x->line, x->cnt, x->mem);
	return err ? err : tids_init(&x->tids, x->t);
}

int hx_init(struct hx *x, const struct truth *t, uint32_t epoch, unsigned workers, struct mem *mem)
{
	bool sorted = false; /* mutant: equivalent because survey_all writes it */
	int err;

	*x = (struct hx){.t = t, .cnt = (uint32_t)t->handoffs_cnt, .mem = mem};
	x->epoch = epoch && epoch != HX_SCAN ? epoch : EPOCH_DEFAULT;
	for (int l = 0; l < LEVEL_CNT; l++)
		for (int i = 0; i < HANDOFF_TYPE_CNT; i++)
			x->blind[l][i] =
				visibility_blind((enum handoff_type)i, (enum score_level)l);
	/* mutant > 1 3: equivalent because no machine holds as many */
	if (t->handoffs_cnt >= UINT32_MAX / 2)
		return -E2BIG;
	err = hx_alloc(x);
	if (!err)
		err = survey_all(x, workers, &sorted);
	if (!err && !sorted) {
		err = sort_order(x);
		if (!err)
			err = line_init(&x->line, x->cnt, x->mem);
		if (!err)
			err = survey_all(x, workers, &sorted);
	}
	if (!err)
		err = cut_epochs(x, x->epoch);
	if (!err && x->amb.cnt)
		qsort(x->amb.v, x->amb.cnt, sizeof(*x->amb.v), compare_amb);
	return err ? err : decoys_init(x);
}

void hx_free(struct hx *x)
{
	tids_free(&x->tids);
	hx_batches_free(&x->batches);
	amb_free(&x->amb);
}
