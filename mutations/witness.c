/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures over hits. */
#include "mutations/witness.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEARN_SHARE = 20 };

/* ---- reading ---- */

static bool is_wake(const struct ev_rec *r)
{
	/* FUTEX_WAKE, FUTEX_WAKE_BITSET of linux/futex.h, without the private and clock bits */
	uint64_t command = r->b & 0x7f;

	return r->kind == EV_FUTEX_ENTER && (command == 1 || command == 10);
}

static bool as_seen(const struct ev_rec *r, struct seen *ret)
{
	struct seen s = {.t = r->t, .tid = r->tid};

	switch (r->kind) {
	case EV_APP:
		s.kind = SEEN_HIT;
		s.descriptor = (uint32_t)r->e;
		s.instance = r->a;
		s.units = r->b;
		break;
	case EV_APP_CAPACITY:
		if ((uint32_t)r->e)
			return false;
		s.kind = SEEN_CAPACITY;
		s.units = r->a;
		break;
	case EV_IO_SUBMIT:
		s.kind = SEEN_IO;
		s.instance = r->c;
		break;
	default:
		if (!is_wake(r))
			return false;
		s.kind = SEEN_WAKE;
		s.instance = r->a;
		break;
	}
	*ret = s;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct seen *p = a, *q = b;

	return p->t < q->t ? -1 : p->t > q->t;
}

int seen_read(const struct evidence *e, struct seen_list *ret, struct diag *d)
{
	struct seen_list l = {.v = malloc((e->cnt + 1) * sizeof(*l.v))};

	if (!l.v)
		return diag_set(d, -ENOMEM, NULL, 0, NULL, "out of memory");
	for (size_t i = 0; i < e->cnt; i++)
		l.cnt += as_seen(&e->v[i], &l.v[l.cnt]);
	qsort(l.v, l.cnt, sizeof(*l.v), by_time);
	*ret = l;
	return 0;
}

void seen_free(struct seen_list *l)
{
	free(l->v);
	*l = (struct seen_list){0};
}

/* ---- instances ---- */

struct instance {
	uint64_t key;
	int64_t live;	 /* hits of a less hits of b */
	uint64_t units;	 /* of a less those of b, at least 0 */
	uint64_t last_t; /* of the last hit of a that no b has followed; 0: none */
	uint32_t last_tid;
	bool used;
};

struct instances { /* open addressing; never more than half full */
	struct instance *v;
	size_t mask;
};

static struct instance *instance_of(struct instances *x, uint64_t key)
{
	size_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;

	for (;; at++) {
		struct instance *i = &x->v[at & x->mask];

		if (i->used && i->key != key)
			continue;
		i->used = true;
		i->key = key;
		return i;
	}
}

static int instances_open(struct instances *x, size_t cnt)
{
	size_t cap = 64;

	while (cap < 2 * cnt)
		cap *= 2;
	x->mask = cap - 1;
	x->v = calloc(cap, sizeof(*x->v));
	return x->v ? 0 : -ENOMEM;
}

/* ---- one pass ---- */

struct sums {
	uint64_t hits[WITNESS_OF_MAX], units[WITNESS_OF_MAX], max; /* all hits */
	uint64_t judged[WITNESS_OF_MAX]; /* hits after the learning time */
	uint64_t overlaps, unpaired, unequal, unused, stray, miscounted;
	uint64_t level, peak; /* units in use */
	uint64_t pairs, moved;
	uint64_t live, instances; /* at the end */
	uint64_t *delays;
};

static bool names(const struct seen_name *n, const struct seen *s)
{
	return n->kind == s->kind && (n->kind != SEEN_HIT || n->descriptor == s->descriptor);
}

static void first_hit(struct sums *x, struct instance *i, const struct seen *s, bool judged)
{
	x->overlaps += judged && i->live > 0;
	x->unused += judged && i->last_t;
	i->live++;
	i->units += s->units;
	i->last_t = s->t;
	i->last_tid = s->tid;
}

static void second_hit(struct sums *x, struct instance *i, const struct seen *s, bool judged)
{
	if (judged && i->live <= 0)
		x->unpaired++;
	x->unequal += judged && i->units != s->units;
	if (i->live > 0)
		i->live--;
	i->units -= s->units < i->units ? s->units : i->units;
	if (!i->last_t)
		return;
	if (judged) {
		x->delays[x->pairs++] = s->t - i->last_t;
		x->moved += i->last_tid != s->tid;
	}
	i->last_t = 0;
}

static void add_hit(struct sums *x, unsigned which, const struct seen *s, bool judged)
{
	x->hits[which]++;
	x->units[which] += s->units;
	x->judged[which] += judged;
	if (which == 0 && s->units > x->max)
		x->max = s->units;
	if (which == 0)
		x->level += s->units;
	else if (which == 1)
		x->level -= s->units < x->level ? s->units : x->level;
	if (x->level > x->peak)
		x->peak = x->level;
}

static void take_hit(struct sums *x, unsigned n, struct instance *i, const struct seen *s,
		     bool judged)
{
	if (n == 0)
		first_hit(x, i, s, judged);
	else if (n == 1)
		second_hit(x, i, s, judged);
	else if (judged) {
		x->stray += i->live <= 0;
		x->miscounted += (int64_t)s->units != i->live;
	}
}

static void pass(const struct witness_spec *w, const struct seen_list *l, struct instances *in,
		 struct sums *x)
{
	uint64_t from = l->cnt ? l->v[0].t : 0, to = l->cnt ? l->v[l->cnt - 1].t : 0;
	uint64_t learnt = from + (to - from) / LEARN_SHARE;

	for (size_t i = 0; i < l->cnt; i++) {
		const struct seen *s = &l->v[i];
		bool judged = s->t >= learnt;

		for (unsigned n = 0; n < w->of_cnt; n++) {
			if (!names(&w->of[n], s))
				continue;
			add_hit(x, n, s, judged);
			take_hit(x, n, instance_of(in, s->instance), s, judged);
		}
	}
	for (size_t i = 0; i <= in->mask; i++) {
		x->instances += in->v[i].used;
		x->live += in->v[i].used && in->v[i].live > 0;
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;

	return p < q ? -1 : p > q;
}

static double median(uint64_t *v, size_t cnt)
{
	if (!cnt)
		return NAN;
	qsort(v, cnt, sizeof(*v), by_value);
	return (double)v[cnt / 2];
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

static double figure(const struct witness_spec *w, const struct sums *x, uint64_t ops)
{
	switch (w->measure) {
	case MEASURE_COUNT:
		return share(1000 * x->hits[0], ops);
	case MEASURE_RATIO:
		return share(x->hits[0], x->hits[1]);
	case MEASURE_UNITS:
		return share(x->units[0], x->units[1]);
	case MEASURE_OUTSTANDING:
		return share(x->live, x->instances);
	case MEASURE_UNPAIRED:
		return share(x->unpaired, x->judged[1]);
	case MEASURE_UNEQUAL:
		return share(x->unequal, x->judged[1]);
	case MEASURE_UNUSED:
		return share(x->unused, x->judged[0]);
	case MEASURE_OVERLAP:
		return share(x->overlaps, x->judged[0]);
	case MEASURE_MOVED:
		return share(x->moved, x->pairs);
	case MEASURE_DELAY:
		return median(x->delays, x->pairs);
	case MEASURE_MEAN:
		return share(x->units[0], x->hits[0]);
	case MEASURE_STRAY:
		return share(x->stray, x->judged[2]);
	case MEASURE_PEAK:
		return share(x->peak, x->units[2]);
	case MEASURE_MISCOUNT:
		return share(x->miscounted, x->judged[2]);
	default:
		return x->hits[0] ? (double)x->max : NAN;
	}
}

int witness_measure(const struct witness_spec *w, const struct seen_list *l, uint64_t ops,
		    double *ret, struct diag *d)
{
	struct instances in = {.v = NULL};
	struct sums x = {.delays = malloc((l->cnt + 1) * sizeof(*x.delays))};
	int rc = x.delays ? instances_open(&in, l->cnt + 1) : -ENOMEM;

	if (!rc) {
		pass(w, l, &in, &x);
		*ret = figure(w, &x, ops);
	} else {
		diag_set(d, rc, NULL, 0, NULL, "out of memory");
	}
	free(in.v);
	free(x.delays);
	return rc;
}
