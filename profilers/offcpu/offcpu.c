/* SPDX-License-Identifier: BSD-2-Clause */
/* Off-CPU time, and the edges of wake chains. */
#include "profilers/offcpu/offcpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <uthash.h>

enum { SLEEPS = 1 }; /* TASK_INTERRUPTIBLE (include/linux/sched.h) */

struct thread {
	uint32_t tid;
	uint64_t off_ns; /* so far */
	uint64_t since;	 /* off the CPU; 0: on it, or nobody knows */
	bool sleeps;	 /* so that an edge can end it */
	bool blocked;	 /* or in another way */
	bool roused;	 /* there was a sched_waking since */
	uint32_t waker;	 /* its thread; 0: an interrupt */
	uint32_t by;	 /* the same, if of the application; else 0 */
	uint64_t roused_t;
	UT_hash_handle hh;
};

struct pair {
	struct {
		uint32_t waker, woken;
	} key;
	uint64_t blocked_ns;
	UT_hash_handle hh;
};

struct offcpu {
	struct claims_writer *w;
	struct thread *threads;
	struct pair *pairs;
};

struct offcpu *offcpu_new(struct claims_writer *w)
{
	struct offcpu *o = calloc(1, sizeof(*o));

	if (o)
		o->w = w;
	return o;
}

void offcpu_free(struct offcpu *o)
{
	struct thread *t, *next;
	struct pair *p, *after;

	if (!o)
		return;
	HASH_ITER(hh, o->threads, t, next)
	{
		HASH_DEL(o->threads, t);
		free(t);
	}
	HASH_ITER(hh, o->pairs, p, after)
	{
		HASH_DEL(o->pairs, p);
		free(p);
	}
	free(o);
}

static struct thread *known(const struct offcpu *o, uint32_t tid)
{
	struct thread *t;

	HASH_FIND(hh, o->threads, &tid, sizeof(tid), t);
	return t;
}

static int goes_off(struct offcpu *o, const struct ev_rec *r)
{
	struct thread *t = known(o, r->tid);

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->tid = r->tid;
		HASH_ADD(hh, o->threads, tid, sizeof(t->tid), t);
	}
	t->since = r->t;
	t->sleeps = r->b & SLEEPS;
	t->blocked = r->b;
	t->roused = false;
	return 0;
}

static int edge(struct offcpu *o, const struct thread *t, uint64_t now)
{
	struct claim c = {.kind = CLAIM_HANDOFF,
			  .type = HANDOFF_WAKE,
			  .how = HOW_OBSERVED,
			  .source = SOURCE_KERNEL,
			  .has = HAS_SRC | HAS_DST};

	c.handoff.src_tid = t->by;
	c.handoff.src_t = t->roused_t;
	c.handoff.dst_tid = t->tid;
	c.handoff.dst_t = now;
	return claims_writer_put(o->w, &c);
}

static int blocked(struct offcpu *o, const struct thread *t)
{
	struct pair *p, new = {.key = {t->waker, t->tid}};

	if (t->roused_t <= t->since)
		return 0;
	HASH_FIND(hh, o->pairs, &new.key, sizeof(new.key), p);
	if (!p) {
		p = malloc(sizeof(*p));
		if (!p)
			return -ENOMEM;
		*p = new;
		HASH_ADD(hh, o->pairs, key, sizeof(p->key), p);
	}
	p->blocked_ns += t->roused_t - t->since;
	return 0;
}

static int comes_back(struct offcpu *o, uint32_t tid, uint64_t now)
{
	struct thread *t = known(o, tid);
	int err = 0;

	if (!t || !t->since)
		return 0;
	t->off_ns += now > t->since ? now - t->since : 0; /* CPUs are a little out of step */
	if (t->blocked && t->roused)
		err = blocked(o, t);
	if (!err && t->sleeps && t->roused && t->by)
		err = edge(o, t, now);
	t->since = 0;
	return err;
}

static void rouses(struct offcpu *o, const struct ev_rec *r)
{
	struct thread *t = known(o, (uint32_t)r->a);

	if (!t || !t->since || t->roused)
		return;
	t->roused = true;
	t->waker = r->flags & EV_F_IRQ ? 0 : r->tid;
	t->by = r->flags & (EV_F_OTHER | EV_F_KERNEL) ? 0 : t->waker;
	t->roused_t = r->t;
}

static int gap(struct offcpu *o, const struct ev_rec *r)
{
	struct claim c = {.kind = CLAIM_GAP, .has = HAS_LOST};

	c.gap.from = r->b < r->t ? r->b : r->t;
	c.gap.to = r->t;
	c.gap.lost = r->a;
	for (struct thread *t = o->threads; t; t = t->hh.next)
		t->since = 0;
	return claims_writer_put(o->w, &c);
}

int offcpu_record(void *offcpu, const struct ev_rec *r)
{
	struct offcpu *o = offcpu;
	int err = 0;

	switch (r->kind) {
	case EV_SCHED_SWITCH:
		if (!(r->flags & (EV_F_OTHER | EV_F_KERNEL)))
			err = goes_off(o, r);
		return err ? err : comes_back(o, (uint32_t)r->a, r->t);
	case EV_SCHED_WAKING:
		rouses(o, r);
		return 0;
	case EV_LOST:
		return gap(o, r);
	default:
		return 0;
	}
}

static int profile(const struct offcpu *o, unsigned by, const char *key, const char *kind,
		   uint64_t ns)
{
	struct claim c = {.kind = CLAIM_PROFILE, .type = (uint8_t)by};
	int64_t key_str = claims_writer_str(o->w, key), kind_str = claims_writer_str(o->w, kind);

	if (key_str < 0 || kind_str < 0)
		return (int)(key_str < 0 ? key_str : kind_str);
	c.profile.key_str = (uint32_t)key_str;
	c.profile.kind_str = (uint32_t)kind_str;
	c.profile.v = ns;
	return claims_writer_put(o->w, &c);
}

int offcpu_finish(const struct offcpu *o)
{
	char key[32];
	int err = 0;

	for (const struct thread *t = o->threads; t && !err; t = t->hh.next) {
		snprintf(key, sizeof(key), "%" PRIu32, t->tid);
		err = profile(o, BY_THREAD, key, "off-cpu", t->off_ns);
	}
	for (const struct pair *p = o->pairs; p && !err; p = p->hh.next) {
		snprintf(key, sizeof(key), "%" PRIu32 ">%" PRIu32, p->key.waker, p->key.woken);
		err = profile(o, BY_PAIR, key, "blocked", p->blocked_ns);
	}
	return err;
}
