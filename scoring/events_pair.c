/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs claims with truth events: a maximum matching of points and windows, group by group. */
#include "scoring/events.h"

#include <errno.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/heap.h"

struct sort_arg {
	const struct truth *t;
	const struct claims *c;
};

static int truth_group_cmp(const struct truth_event *a, const struct truth_event *b)
{
	if (a->kind != b->kind)
		return CMP3(a->kind, b->kind);
	if (a->class_str != b->class_str)
		return CMP3(a->class_str, b->class_str);
	return CMP3(a->tid, b->tid);
}

static int truth_cmp(const void *pa, const void *pb, void *parg)
{
	const struct event_truth *x = pa, *y = pb;
	const struct sort_arg *arg = parg;
	const struct truth_event *a = &arg->t->events[x->event], *b = &arg->t->events[y->event];
	int group = truth_group_cmp(a, b);

	if (group)
		return group;
	if (a->t.t0 != b->t.t0)
		return CMP3(a->t.t0, b->t.t0);
	return CMP3(x->event, y->event);
}

/* What is left to tell claims of one group and time apart; equal means interchangeable. */
static int content_cmp(const struct claim *a, const struct claim *b)
{
	const uint16_t bits = HAS_DESC | HAS_INSTANCE | HAS_GEN | HAS_UNITS;

	if (a->event.desc != b->event.desc)
		return CMP3(a->event.desc, b->event.desc);
	if (a->event.instance != b->event.instance)
		return CMP3(a->event.instance, b->event.instance);
	if (a->event.gen != b->event.gen)
		return CMP3(a->event.gen, b->event.gen);
	if (a->event.units != b->event.units)
		return CMP3(a->event.units, b->event.units);
	return CMP3(a->has & bits, b->has & bits);
}

static int claim_cmp(const void *pa, const void *pb, void *parg)
{
	const struct event_claim *x = pa, *y = pb;
	const struct sort_arg *arg = parg;
	const struct claim *a = &arg->c->v[x->claim], *b = &arg->c->v[y->claim];

	if (a->type != b->type)
		return CMP3(a->type, b->type);
	if (x->class != y->class)
		return CMP3(x->class, y->class);
	if (a->event.tid != b->event.tid)
		return CMP3(a->event.tid, b->event.tid);
	if (a->event.t != b->event.t)
		return CMP3(a->event.t, b->event.t);
	return content_cmp(a, b);
}

static int collect(const struct truth *t, const struct claims *c, const struct words *w,
		   struct event_pairs *p)
{
	p->truth = array_new(t->events_cnt, sizeof(*p->truth));
	p->claims = array_new(claims_count(c, CLAIM_EVENT), sizeof(*p->claims));
	if (!p->truth || !p->claims)
		return -ENOMEM;
	for (size_t i = 0; i < t->events_cnt; i++)
		if (window_scored(t, &t->events[i].t))
			p->truth[p->truth_cnt++] =
				(struct event_truth){.event = (uint32_t)i, .claim = SCOPE_NONE};
	for (size_t i = 0; i < c->cnt; i++) {
		if (c->v[i].kind != CLAIM_EVENT || !time_scored(t, c->v[i].event.t))
			continue;
		p->claims[p->claims_cnt++] = (struct event_claim){
			.claim = (uint32_t)i,
			.event = SCOPE_NONE,
			.class = w->of[c->v[i].event.class_str],
		};
	}
	return 0;
}

/* Order of a claim against the group of a truth event. */
static int claim_group_cmp(const struct claim *a, uint32_t class, const struct truth_event *b)
{
	if (a->type != b->kind)
		return CMP3(a->type, b->kind);
	if (class != b->class_str)
		return CMP3(class, b->class_str);
	return CMP3(a->event.tid, b->tid);
}

struct sweep {
	const struct sort_arg *arg;
	struct event_pairs *p;
	struct heap open; /* windows of the claim's group that began and are not taken */
	size_t next;	  /* first truth event that was not opened */
};

/* Opens the windows of this claim's group that have begun; skips groups that no claim is in. */
static void sweep_open(struct sweep *s, const struct claim *x, uint32_t class)
{
	for (; s->next < s->p->truth_cnt; s->next++) {
		const struct truth_event *e = &s->arg->t->events[s->p->truth[s->next].event];
		int group = claim_group_cmp(x, class, e);

		if (group < 0 || (!group && x->event.t < e->t.t0))
			return;
		if (!group)
			heap_push(&s->open, (struct heap_item){.key = e->t.t1,
							       .tie = e->t.t0,
							       .i = (uint32_t)s->next});
	}
}

static void sweep_take(struct sweep *s, size_t pos, uint64_t time)
{
	while (s->open.cnt && s->open.v[0].key < time)
		heap_pop(&s->open);
	if (!s->open.cnt)
		return;
	s->p->claims[pos].event = s->p->truth[s->open.v[0].i].event;
	s->p->truth[s->open.v[0].i].claim = (uint32_t)pos;
	heap_pop(&s->open);
}

static bool same_group(const struct claims *c, const struct event_claim *x,
		       const struct event_claim *y)
{
	const struct claim *a = &c->v[x->claim], *b = &c->v[y->claim];

	return a->type == b->type && x->class == y->class && a->event.tid == b->event.tid;
}

static int pair_up(const struct sort_arg *arg, struct event_pairs *p)
{
	struct sweep s = {.arg = arg, .p = p};

	s.open.v = array_new(p->truth_cnt, sizeof(*s.open.v));
	if (!s.open.v)
		return -ENOMEM;
	for (size_t i = 0; i < p->claims_cnt; i++) {
		const struct claim *x = &arg->c->v[p->claims[i].claim];

		if (i && !same_group(arg->c, &p->claims[i - 1], &p->claims[i]))
			s.open.cnt = 0;
		sweep_open(&s, x, p->claims[i].class);
		sweep_take(&s, i, x->event.t);
	}
	free(s.open.v);
	return 0;
}

int event_pairs_make(const struct truth *t, const struct claims *c, const struct words *w,
		     struct event_pairs *ret)
{
	struct sort_arg arg = {.t = t, .c = c};
	struct event_pairs p = {};
	int err = collect(t, c, w, &p);

	if (!err) {
		qsort_r(p.truth, p.truth_cnt, sizeof(*p.truth), truth_cmp, &arg);
		qsort_r(p.claims, p.claims_cnt, sizeof(*p.claims), claim_cmp, &arg);
		err = pair_up(&arg, &p);
	}
	if (err)
		event_pairs_free(&p);
	else
		*ret = p;
	return err;
}

void event_pairs_free(struct event_pairs *p)
{
	free(p->claims);
	free(p->truth);
}
