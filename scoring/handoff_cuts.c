/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of a run: cuts, claims of each stretch, what reaches from one into another. */
#include "scoring/handoff_cuts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#include "scoring/handoff.h"
#include "scoring/handoff_workers.h"

/* A stretch has many times what is in flight, so that little is loose, and yet stays in cache. */
enum { STRETCH_LEAST = 8192, FLIGHTS_A_STRETCH = 64, SAMPLES = 1024, BYTES_A_HANDOFF = 256 };

uint32_t cuts_end(const struct cuts *p, uint32_t k)
{
	return k + 1 < p->cnt ? (k + 1) * p->size : (uint32_t)p->t->handoffs_cnt;
}

/* ---- cuts ---- */

/* By the lives of some. */
static double estimate_in_flight(const struct truth *t)
{
	/* mutant 1 2: equivalent because any estimate cuts stretches that find the same */
	size_t step = t->handoffs_cnt / SAMPLES + 1, asked = 0;
	/* mutant: equivalent because any estimate cuts stretches that find the same */
	double lived = 0, span = (double)(t->scored.t1 - t->scored.t0) + 1;

	/* mutant 1 -=: equivalent because any estimate cuts stretches that find the same */
	for (size_t i = 0; i < t->handoffs_cnt; i += step, asked++) {
		struct hx_seen s = hx_see(t, &t->handoffs[i]);

		/* mutant: equivalent because any estimate cuts stretches that find the same */
		lived += s.flags & HX_BOTH ? (double)(s.life.t1 - s.life.t0) : 0;
	}
	/* mutant: equivalent because any estimate cuts stretches that find the same */
	return asked ? lived / (double)asked * (double)t->handoffs_cnt / span : 0;
}

static uint32_t choose_size(const struct cuts *p, unsigned workers)
{
	uint64_t most = p->mem->limit / BYTES_A_HANDOFF / workers, size = STRETCH_LEAST;

	/* mutant <= ||: equivalent because any size finds the same */
	while ((double)size < p->in_flight * FLIGHTS_A_STRETCH && size < p->t->handoffs_cnt)
		size *= 2; /* mutant 3: equivalent because any size finds the same */
	return (uint32_t)MIN(size, MAX(most, STRETCH_LEAST));
}

/* The first time of the first handoff from `place` on that has one. */
static uint64_t time_from(const struct cuts *p, uint32_t place)
{
	for (; place < p->t->handoffs_cnt; place++) {
		struct hx_seen s = hx_see(p->t, &p->t->handoffs[cuts_record(p, place)]);

		if (s.flags & HX_BOTH)
			return s.life.t0;
	}
	return UINT64_MAX;
}

static int cut(struct cuts *p, uint32_t stretch, unsigned workers)
{
	uint64_t cnt = p->t->handoffs_cnt;

	p->in_flight = estimate_in_flight(p->t);
	p->size = stretch ? stretch : choose_size(p, workers);
	/* mutant <= 1 3: equivalent because any number of stretches finds the same */
	p->cnt = cnt < 2 * (uint64_t)p->size ? 1 : (uint32_t)(cnt / p->size);
	p->cut = mem_array(p->mem, p->cnt, sizeof(*p->cut));
	if (!p->cut)
		return -errno;
	for (uint32_t k = 1; k < p->cnt; k++)
		p->cut[k] = time_from(p, k * p->size);
	return 0;
}

/* The stretch of a time, quick near the hint. (The last of those that begin at one moment.) */
static uint32_t stretch_of(const struct cuts *p, uint64_t t, uint32_t hint)
{
	struct window time = cuts_time(p, hint);
	uint32_t lo = 0, n = p->cnt;

	if (holds(&time, t))
		return hint;
	while (n > 1) {
		uint32_t half = n / 2;

		lo = p->cut[lo + half] <= t ? lo + half : lo;
		n -= half;
	}
	return lo;
}

/* ---- order ---- */

struct dated {
	uint64_t t;
	uint32_t i;
};

static int compare_dated(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	if (x->t != y->t)
		/* mutant >= <=: equivalent because they differ */
		return (x->t > y->t) - (x->t < y->t);
	/* mutant >= <= +: equivalent because they differ, and equals may stand in any order */
	return (x->i > y->i) - (x->i < y->i);
}

static uint64_t truth_time(const struct cuts *p, uint32_t i)
{
	struct hx_seen s = hx_see(p->t, &p->t->handoffs[i]);

	/* mutant: equivalent because what has no end may stand anywhere */
	return s.flags & HX_BOTH ? s.life.t0 : 0;
}

static struct window ends_of(const struct claim *c)
{
	uint64_t src = c->has & HAS_SRC ? c->handoff.src_t : c->handoff.dst_t;
	uint64_t dst = c->has & HAS_DST ? c->handoff.dst_t : src;

	return (struct window){MIN(src, dst), MAX(src, dst)};
}

static uint64_t claim_time(const struct cuts *p, uint32_t i)
{
	return ends_of(&p->c->v[i]).t0;
}

/* Puts numbers in the order of their times. 0 or -ENOMEM. */
static int sort_by_time(const struct cuts *p, uint32_t *order, size_t cnt,
			uint64_t (*time)(const struct cuts *, uint32_t))
{
	struct mem room;
	struct dated *v;

	mem_init(&room, p->mem->limit);
	v = mem_array(&room, cnt, sizeof(*v));
	for (size_t i = 0; v && i < cnt; i++)
		v[i] = (struct dated){.t = time(p, order[i]), .i = order[i]};
	if (v)
		qsort(v, cnt, sizeof(*v), compare_dated);
	for (size_t i = 0; v && i < cnt; i++)
		order[i] = v[i].i;
	mem_free(&room);
	return v ? 0 : -ENOMEM;
}

/* 0…cnt - 1 in the order of their times; NULL: no memory. */
static uint32_t *sorted(const struct cuts *p, size_t cnt,
			uint64_t (*time)(const struct cuts *, uint32_t))
{
	uint32_t *order = mem_array(p->mem, cnt, sizeof(*order));

	/* mutant 1: equivalent because the array is zeroed */
	for (uint32_t i = 0; order && i < cnt; i++)
		order[i] = i;
	return order && !sort_by_time(p, order, cnt, time) ? order : NULL;
}

int cuts_sort(struct cuts *p)
{
	p->order = sorted(p, p->t->handoffs_cnt, truth_time);
	return p->order ? 0 : -ENOMEM;
}

int cuts_arrange(const struct cuts *p, struct list *records)
{
	return p->order ? sort_by_time(p, records->v, records->cnt, truth_time) : 0;
}

/* ---- claims ---- */

struct look {
	struct cuts *p;
	struct list border[WORKERS_MAX];
};

static void span_add(struct cuts *p, uint32_t k, struct cuts_span s)
{
	if (s.from == s.to)
		return;
	pthread_mutex_lock(&p->lock);
	p->span[k].from = MIN(p->span[k].from, s.from);
	p->span[k].to = MAX(p->span[k].to, s.to);
	pthread_mutex_unlock(&p->lock);
}

static int look_at(void *arg, unsigned worker, size_t from, size_t to)
{
	struct look *l = arg;
	struct cuts *p = l->p;
	struct cuts_span run = {from, from};
	const struct window scored = p->t->scored;
	uint32_t k = 0; /* mutant: equivalent because any may be the first that is tried */
	int err = 0;

	for (size_t i = from; !err && i < to; i++) {
		uint32_t claim = cuts_claim(p, i), at;
		const struct claim *c = &p->c->v[claim];
		struct window w;

		if (c->kind != CLAIM_HANDOFF || !claim_within(c, &scored))
			continue;
		w = ends_of(c);
		at = stretch_of(p, w.t0, k);
		if (cuts_outlasts(p, at, w.t1)) {
			err = list_push(&l->border[worker], claim);
			continue;
		}
		if (at != k) {
			span_add(p, k, run);
			k = at;
			run = (struct cuts_span){i, i};
		}
		run.to = i + 1;
	}
	span_add(p, k, run);
	return err;
}

static bool read_too_often(const struct cuts *p)
{
	uint64_t sum = 0; /* mutant: equivalent because claims may be read in either order */

	/* mutant 1: equivalent because claims may be read in either order */
	for (uint32_t k = 0; k < p->cnt; k++)
		/* mutant: equivalent because claims may be read in either order */
		sum += p->span[k].to > p->span[k].from ? p->span[k].to - p->span[k].from : 0;
	/* mutant: equivalent because claims may be read in either order */
	return sum > 2 * (uint64_t)p->c->cnt + 65536;
}

static int look_at_all(struct cuts *p, unsigned workers)
{
	struct look l = {.p = p};
	int err;

	/* mutant 1: equivalent because a span may be longer than it need be */
	for (uint32_t k = 0; k < p->cnt; k++)
		p->span[k] = (struct cuts_span){.from = SIZE_MAX};
	p->border.cnt = 0;
	err = work_each(&(struct work){.workers = workers,
				       .cnt = p->c->cnt,
				       .chunk = WORK_CHUNK,
				       .fn = look_at,
				       .arg = &l});
	for (unsigned i = 0; i < workers; i++) {
		for (size_t k = 0; !err && k < l.border[i].cnt; k++)
			err = list_push(&p->border, l.border[i].v[k]);
		list_free(&l.border[i]);
	}
	return err;
}

enum { ANYWHERE = 0 }; /* a hint */

/* fn for each end of each claim on the border. */
static void each_visit(struct cuts *p, void (*fn)(struct cuts *, uint32_t stretch, uint32_t visit))
{
	for (size_t i = 0; i < p->border.cnt; i++) {
		uint32_t claim = p->border.v[i];
		const struct claim *c = &p->c->v[claim];

		/* mutant -: equivalent because that side is 0 */
		fn(p, stretch_of(p, c->handoff.src_t, ANYWHERE), 2 * claim + SIDE_SRC);
		fn(p, stretch_of(p, c->handoff.dst_t, ANYWHERE), 2 * claim + SIDE_DST);
	}
}

static void count_visit(struct cuts *p, uint32_t stretch, uint32_t visit)
{
	p->visit_at[stretch + 2]++;
}

static void put_visit(struct cuts *p, uint32_t stretch, uint32_t visit)
{
	p->visit.v[p->visit_at[stretch + 1]++] = visit;
}

/* Counting sort. Who stands on the border has both ends. */
static int sort_visits(struct cuts *p)
{
	/* mutant 3: equivalent because more room does no harm */
	p->visit_at = mem_array(p->mem, (size_t)p->cnt + 2, sizeof(*p->visit_at));
	if (!p->visit_at)
		return -errno;
	/* mutant 1 <= 3: equivalent because more room does no harm, and all rooms are even */
	for (size_t i = 0; i < 2 * p->border.cnt; i++)
		/* mutant 1: equivalent because it is written over */
		if (list_push(&p->visit, 0))
			return -ENOMEM;
	each_visit(p, count_visit);
	/* mutant 1: equivalent because nothing is before the first */
	for (uint32_t k = 0; k < p->cnt; k++)
		p->visit_at[k + 2] += p->visit_at[k + 1];
	each_visit(p, put_visit);
	return 0;
}

static int share_out_claims(struct cuts *p, unsigned workers)
{
	int err = look_at_all(p, workers);

	/* mutant ||: equivalent because claims may be read in either order */
	if (!err && read_too_often(p)) {
		p->claim_order = sorted(p, p->c->cnt, claim_time);
		err = p->claim_order ? look_at_all(p, workers) : -ENOMEM;
	}
	return err ? err : sort_visits(p);
}

/* Both are read from one end to the other: what was read may leave the page cache first. */
static void advise(const void *v, size_t cnt, size_t size)
{
	/* mutant + 0 2: equivalent because it is advice */
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)v & ~(page - 1);

	/* mutant: equivalent because it is advice */
	if (cnt)
		/* mutant - +: equivalent because it is advice */
		madvise((void *)from, (uintptr_t)v + cnt * size - from, MADV_SEQUENTIAL);
}

int cuts_make(struct cuts *p, uint32_t stretch, unsigned workers)
{
	int err = cut(p, stretch, workers);

	/* mutant 0: equivalent because what is made for one stretch is not used */
	if (err || p->cnt == 1)
		return err;
	advise(p->t->handoffs, p->t->handoffs_cnt, sizeof(*p->t->handoffs));
	advise(p->c->v, p->c->cnt, sizeof(*p->c->v));
	p->span = mem_array(p->mem, p->cnt, sizeof(*p->span));
	p->out = mem_array(p->mem, p->cnt, sizeof(*p->out));
	p->reach = mem_array(p->mem, p->cnt, sizeof(*p->reach));
	p->handed_on = mem_array(p->mem, p->cnt, sizeof(*p->handed_on));
	if (!p->span || !p->out || !p->reach || !p->handed_on)
		return -ENOMEM;
	return share_out_claims(p, workers);
}

void cuts_free(struct cuts *p)
{
	for (uint32_t k = 0; p->out && p->reach && k < p->cnt; k++) {
		vec_free(p->out[k].v, p->out[k].cap, sizeof(*p->out[k].v));
		list_free(&p->reach[k]);
	}
	vec_free(p->now.v, p->now.cap, sizeof(*p->now.v));
	list_free(&p->border);
	list_free(&p->visit);
}

/* ---- what reaches into others ---- */

int outlasts_push(struct outlasts *o, const struct outlasting *x)
{
	/* mutant 2: equivalent because more room does no harm */
	struct outlasting *v = vec_grow(o->v, &o->cap, o->cnt + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	o->v = v;
	o->v[o->cnt++] = *x;
	return 0;
}

/* From what is in flight at one cut to what is at the next. */
static int step(struct cuts *p)
{
	struct outlasts *now = &p->now, *out = &p->out[p->known];
	uint32_t next = p->known + 1;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < now->cnt; i++)
		if (now->v[i].last >= p->cut[next])
			now->v[kept++] = now->v[i];
	now->cnt = kept;
	for (size_t i = 0; !err && i < out->cnt; i++)
		err = outlasts_push(now, &out->v[i]);
	for (size_t i = 0; !err && i < now->cnt; i++)
		err = list_push(&p->reach[next], now->v[i].place);
	p->known = next;
	return err;
}

int cuts_outlast(struct cuts *p, uint32_t k, struct outlasts *o, int err)
{
	pthread_mutex_lock(&p->lock);
	p->out[k] = *o;
	*o = (struct outlasts){};
	p->handed_on[k] = true;
	p->err = p->err ? p->err : err;
	while (!p->err && p->known + 1 < p->cnt && p->handed_on[p->known])
		p->err = step(p);
	err = p->err;
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->lock);
	return err;
}

int cuts_reach(struct cuts *p, uint32_t k, const struct list **ret)
{
	int err;

	pthread_mutex_lock(&p->lock);
	while (!p->err && p->known < k)
		pthread_cond_wait(&p->moved, &p->lock);
	err = p->err;
	pthread_mutex_unlock(&p->lock);
	if (!err)
		*ret = &p->reach[k];
	return err;
}
