/* SPDX-License-Identifier: BSD-2-Clause */
/* Life exactness and joins: whether events of one life carry one identity (contracts §5.2). */
#include "scoring/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"

struct identity_claim {
	uint32_t pos;	 /* in event_pairs.claims */
	uint32_t number; /* of its identity */
};

struct identity {
	uint64_t life; /* of the first paired event that carries it */
	bool carried, shared;
};

struct arg {
	const struct truth *t;
	const struct claims *c;
	const struct event_pairs *p;
};

static const struct claim *claim_of(const struct arg *a, uint32_t pos)
{
	return &a->c->v[a->p->claims[pos].claim];
}

static const struct truth_event *event_of(const struct arg *a, uint32_t pos)
{
	uint32_t event = a->p->claims[pos].event;

	return event == SCOPE_NONE ? NULL : &a->t->events[event];
}

static int identity_cmp(const struct claim *x, const struct claim *y)
{
	if (x->event.class_str != y->event.class_str)
		return CMP3(x->event.class_str, y->event.class_str);
	if (x->event.instance != y->event.instance)
		return CMP3(x->event.instance, y->event.instance);
	if (x->event.gen != y->event.gen)
		return CMP3(x->event.gen, y->event.gen);
	return CMP3(x->has & HAS_GEN, y->has & HAS_GEN);
}

/* Claims of one identity in time; of one moment by the life they belong to, unpaired last. */
static int claim_cmp(const void *pa, const void *pb, void *parg)
{
	const struct arg *a = parg;
	uint32_t i = ((const struct identity_claim *)pa)->pos;
	uint32_t j = ((const struct identity_claim *)pb)->pos;
	const struct claim *x = claim_of(a, i), *y = claim_of(a, j);
	int identity = identity_cmp(x, y);

	if (identity)
		return identity;
	if (x->event.t != y->event.t)
		return CMP3(x->event.t, y->event.t);
	return CMP3(a->p->claims[i].event, a->p->claims[j].event);
}

struct lives {
	struct arg a;
	struct identity_claim *claims; /* those with an instance, sorted */
	size_t claims_cnt;
	struct identity *identities;
	uint32_t *number; /* identity of each position in event_pairs.claims, SCOPE_NONE */
};

static void number_identities(struct lives *l)
{
	uint32_t next = 0;

	for (size_t i = 0; i < l->claims_cnt; i++) {
		uint32_t pos = l->claims[i].pos;

		if (i && identity_cmp(claim_of(&l->a, l->claims[i - 1].pos), claim_of(&l->a, pos)))
			next++;
		l->claims[i].number = next;
		l->number[pos] = next;
	}
}

static void mark_carriers(struct lives *l)
{
	for (size_t i = 0; i < l->claims_cnt; i++) {
		struct identity *id = &l->identities[l->claims[i].number];
		const struct truth_event *e = event_of(&l->a, l->claims[i].pos);

		if (!e)
			continue;
		if (id->carried && id->life != e->life)
			id->shared = true;
		id->carried = true;
		id->life = e->life;
	}
}

static void count_claimed(const struct lives *l, struct identity_score *s)
{
	for (size_t i = 1; i < l->claims_cnt; i++) {
		const struct truth_event *x, *y;

		if (l->claims[i - 1].number != l->claims[i].number)
			continue;
		x = event_of(&l->a, l->claims[i - 1].pos);
		y = event_of(&l->a, l->claims[i].pos);
		s->claimed_joins++;
		s->pure += x && y && x->life == y->life;
	}
}

static int life_cmp(const void *pa, const void *pb, void *parg)
{
	const struct arg *a = parg;
	const struct event_truth *i = pa, *j = pb;
	const struct truth_event *x = &a->t->events[i->event], *y = &a->t->events[j->event];

	if (x->life != y->life)
		return CMP3(x->life, y->life);
	if (x->t.t0 != y->t.t0)
		return CMP3(x->t.t0, y->t.t0);
	if (x->t.t1 != y->t.t1)
		return CMP3(x->t.t1, y->t.t1);
	return CMP3(i->event, j->event);
}

static uint32_t carried(const struct lives *l, const struct event_truth *e)
{
	return e->claim == SCOPE_NONE ? SCOPE_NONE : l->number[e->claim];
}

/* One life: its cnt events in order. */
static void count_life(const struct lives *l, const struct event_truth *e, size_t cnt,
		       struct identity_score *s)
{
	uint64_t found = 0;

	s->lives_all++;
	s->events_all += cnt;
	if (cnt < 2)
		return;
	for (size_t i = 1; i < cnt; i++)
		found += carried(l, &e[i]) != SCOPE_NONE &&
			 carried(l, &e[i - 1]) == carried(l, &e[i]);
	s->lives++;
	s->true_joins += cnt - 1;
	s->found += found;
	s->exact += found == cnt - 1 && !l->identities[carried(l, e)].shared;
}

static int count_lives(const struct lives *l, struct identity_score *s)
{
	size_t cnt = l->a.p->truth_cnt, begin = 0;
	struct event_truth *e = array_new(cnt, sizeof(*e));

	if (!e)
		return -ENOMEM;
	memcpy(e, l->a.p->truth, cnt * sizeof(*e));
	qsort_r(e, cnt, sizeof(*e), life_cmp, (void *)&l->a);
	for (size_t i = 1; i <= cnt; i++) {
		if (i < cnt &&
		    l->a.t->events[e[i].event].life == l->a.t->events[e[begin].event].life)
			continue;
		count_life(l, &e[begin], i - begin, s);
		begin = i;
	}
	free(e);
	return 0;
}

static void collect(struct lives *l)
{
	for (size_t i = 0; i < l->a.p->claims_cnt; i++) {
		l->number[i] = SCOPE_NONE;
		if (claim_of(&l->a, (uint32_t)i)->has & HAS_INSTANCE)
			l->claims[l->claims_cnt++].pos = (uint32_t)i;
	}
	qsort_r(l->claims, l->claims_cnt, sizeof(*l->claims), claim_cmp, &l->a);
}

int score_identity(const struct truth *t, const struct claims *c, const struct event_pairs *p,
		   struct identity_score *ret)
{
	struct lives l = {.a = {.t = t, .c = c, .p = p}};
	struct identity_score s = {};
	int err = -ENOMEM;

	l.claims = array_new(p->claims_cnt, sizeof(*l.claims));
	l.identities = array_new(p->claims_cnt, sizeof(*l.identities));
	l.number = array_new(p->claims_cnt, sizeof(*l.number));
	if (l.claims && l.identities && l.number) {
		collect(&l);
		number_identities(&l);
		mark_carriers(&l);
		count_claimed(&l, &s);
		err = count_lives(&l, &s);
	}
	free(l.claims);
	free(l.identities);
	free(l.number);
	if (!err)
		*ret = s;
	return err;
}
