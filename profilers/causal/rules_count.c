/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule of two resources: what should be in use, against what the program says itself. */
#include <string.h>

#include "profilers/causal/rules.h"

/* A thread without an event for so long before a reading was in no call then. */
#define IDLE_NS UINT64_C(50000000)

static struct thread_last *last_of(const struct rules *rs, uint32_t tid)
{
	return &rs->last[tid % THREADS_LAST];
}

static bool is_counted(const struct rules *rs, uint32_t desc)
{
	for (uint32_t i = 0; i < rs->cnt; i++)
		if (rs->v[i].inv->kind == INV_COUNT && rule_concerns(&rs->v[i], desc))
			return true;
	return false;
}

static bool same_site(const struct manifest_site *a, const struct manifest_site *b)
{
	return a->kind == b->kind && a->offset == b->offset && !strcmp(a->symbol, b->symbol) &&
	       !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

bool rules_echo(const struct rules *rs, uint32_t desc)
{
	const struct manifest_descriptor *d = rs->m->descriptors;

	if (is_counted(rs, desc))
		return false;
	for (uint32_t i = 0; i < rs->m->descriptors_cnt; i++)
		if (is_counted(rs, i) && same_site(&d[i].site, &d[desc].site))
			return true;
	return false;
}

void rules_thread(struct rules *rs, const struct occurrence *o)
{
	if (rs->echoes[o->desc])
		return;
	*last_of(rs, o->r->tid) = (struct thread_last){
		.tid = o->r->tid,
		.desc = o->desc,
		.t = o->r->t,
		.instance = o->life ? o->life->key.instance : 0,
		.tgid = o->r->tgid,
	};
}

static struct reading *reading_of(const struct rule *r, const struct occurrence *o)
{
	return &r->readings[(o->life->key.instance >> 6) % READINGS];
}

static bool is_of(const struct reading *x, const struct occurrence *o)
{
	return x->t && x->instance == o->life->key.instance && x->tgid == o->r->tgid;
}

/* Released by another thread that has done nothing since: it may still be about to give it up. */
static bool is_being_released(const struct rules *rs, const struct rule *r,
			      const struct occurrence *o)
{
	for (uint32_t i = 0; i < THREADS_LAST; i++) {
		const struct thread_last *x = &rs->last[i];

		if (x->t && x->tid != o->r->tid && x->desc == r->of[1] &&
		    x->instance == o->life->key.instance && x->tgid == o->r->tgid)
			return true;
	}
	return false;
}

/* Who did nothing since the reading may have been in the call all the time: it had the instance,
 * and its event was still to come. */
static void explain(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct reading *x = reading_of(r, o);
	const struct thread_last *last = last_of(rs, o->r->tid);
	bool known = last->tid == o->r->tid && last->t;

	if (is_of(x, o) && o->r->tid != x->tid && (!known || last->t < x->t))
		x->t = 0;
}

/* Some thread may still be in a call that began before the reading. */
static bool may_be_explained(const struct rules *rs, const struct reading *x)
{
	for (uint32_t i = 0; i < THREADS_LAST; i++) {
		const struct thread_last *last = &rs->last[i];

		if (last->t && last->tid != x->tid && last->t < x->t && last->t + IDLE_NS > x->t)
			return true;
	}
	return false;
}

static void settle(const struct rules *rs, struct rule *r, struct reading *x)
{
	if (!x->t || may_be_explained(rs, x))
		return;
	rule_blame(r, r->of[1]);
	suspicion_add(&r->test, true);
	x->t = 0;
}

void rule_count_settle(const struct rules *rs, struct rule *r)
{
	for (uint32_t i = 0; r->readings && i < READINGS; i++)
		settle(rs, r, &r->readings[i]);
}

/* Waits for what other threads do next. Where there is no room the check is lost. */
static void keep(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct reading *x = reading_of(r, o);

	settle(rs, r, x);
	if (x->t || is_being_released(rs, r, o))
		return;
	*x = (struct reading){.instance = o->life->key.instance,
			      .t = o->r->t,
			      .tid = o->r->tid,
			      .tgid = o->r->tgid};
}

/* A reading says something of the release before it, and of that one only. */
static bool was_released(const struct rule *r, struct life *l)
{
	bool marked = l && l->seen & r->order_bit;

	if (l)
		l->seen &= ~r->order_bit;
	return marked;
}

/* The mark for the reading behind it. One that may have been set off by a loss says nothing, and
 * the reading shows by how much it is. */
static void note_release(const struct rules *rs, const struct rule *r, const struct occurrence *o)
{
	struct life *reading = rule_life_beside(rs, o, r->of[2]);

	if (!o->unsure)
		o->life->seen |= r->order_bit;
	else if (reading)
		reading->epoch--;
}

/* What was lost since the last reading shows in this one, and is allowed for as long as this life
 * goes on: the next is counted from nought. */
static int64_t off_by(const struct occurrence *o, const struct life *l)
{
	struct life *x = o->life;

	if (x->generation != l->generation) {
		x->generation = l->generation; /* of the life that is read */
		x->allowed = 0;
		x->off = 0;
	}
	return (int64_t)(o->r->b - l->units - x->allowed);
}

/* What was off by as much the last time says nothing new: one record that was lost sets off all
 * readings until it is known. */
static bool is_news(struct life *x, int64_t off)
{
	bool news = x->off != (int32_t)off;

	x->off = (int32_t)off;
	return news;
}

/*
 * Less than should be in use: what was acquired was none, or a release was missed, and nothing
 * tells which. More: what was released was not given up, or something else; or another thread is on
 * its way out of an acquire, or into a release, whose event comes on the other side of the act.
 */
enum look rule_count(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct life *l;
	bool released;
	int64_t off;

	if (!o->life || !r->readings)
		return LOOK_NONE;
	if (o->desc == r->of[0])
		explain(rs, r, o);
	if (o->desc == r->of[1])
		note_release(rs, r, o);
	if (o->desc != r->of[2] || o->r->e >> 48 & EV_APP_FAULT_UNITS)
		return LOOK_NONE;
	l = rule_life_beside(rs, o, r->of[0]);
	released = was_released(r, l);
	if (!l)
		return LOOK_NONE;
	off = off_by(o, l);
	if (o->unsure)
		o->life->allowed += (uint64_t)off;
	if (o->unsure || !released)
		return LOOK_NONE;
	if (!is_news(o->life, off) && off)
		return LOOK_NONE;
	if (off > 0) {
		keep(rs, r, o);
		return LOOK_NONE;
	}
	return look(off != 0);
}
