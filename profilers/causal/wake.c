/* SPDX-License-Identifier: BSD-2-Clause */
/* wake handoffs: whose futex call a wait that succeeded owes its end to. */
#include "profilers/causal/wake.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#include "profilers/causal/confidence.h"

struct wakee { /* a thread that sched_waking named, until its wait ends */
	uint32_t tid;
	bool open;
	struct observation src;
	UT_hash_handle hh;
};

struct held { /* ends that miss their partner, oldest first */
	struct observation v[CAUSAL_HELD_MAX];
	size_t cnt;
};

struct causal_wake {
	struct observer *out;
	struct wakee *wakees;
	struct held srcs, dsts;
	struct loss loss;
};

struct causal_wake *causal_wake_new(struct observer *out)
{
	struct causal_wake *w = calloc(1, sizeof(*w));

	if (w)
		w->out = out;
	return w;
}

void causal_wake_lost(struct causal_wake *w, uint64_t t, uint64_t cnt)
{
	loss_add(&w->loss, t, cnt);
}

static int orphan(struct causal_wake *w, const struct observation *src,
		  const struct observation *dst)
{
	return observer_claim(w->out, src, dst, HOW_UNKNOWN, CONFIDENCE_ORPHAN, 0);
}

/* ---- ends without sched_waking ---- */

static void held_remove(struct held *h, size_t i)
{
	h->cnt--;
	for (; i < h->cnt; i++)
		h->v[i] = h->v[i + 1];
}

/* Gives up what is too old at time t, or the oldest if there is no room. */
static int held_expire(struct causal_wake *w, struct held *h, uint64_t t)
{
	int err = 0;

	while (h->cnt && !err && (h->cnt == CAUSAL_HELD_MAX || h->v[0].t + CAUSAL_WAIT_NS < t)) {
		err = h == &w->srcs ? orphan(w, &h->v[0], NULL) : orphan(w, NULL, &h->v[0]);
		held_remove(h, 0);
	}
	return err;
}

static int held_add(struct causal_wake *w, struct held *h, const struct observation *o)
{
	int err = held_expire(w, h, o->t);

	if (!err)
		h->v[h->cnt++] = *o;
	return err;
}

/* One word: in one address space by its address, between processes by its place in what they
 * share. */
static bool same_word(const struct observation *src, const struct observation *dst)
{
	if (src->has_scope && dst->has_scope)
		return src->scope == dst->scope && src->v == dst->v;
	return src->tgid == dst->tgid && (src->v == dst->v || src->v == dst->word);
}

/* Whether the call (t to until) may have ended the wait (since to t). */
static bool may_join(const struct causal_wake *w, const struct observation *src,
		     const struct observation *dst)
{
	uint64_t begin = src->t < dst->since ? src->t : dst->since;

	return !loss_since(&w->loss, begin) && same_word(src, dst) && src->t <= dst->t &&
	       src->until >= dst->since && src->tid != dst->tid;
}

/* Index of the only partner; -1: none, -2: several. */
static int only_partner(const struct causal_wake *w, const struct held *h,
			const struct observation *o, bool o_is_src)
{
	int found = -1;

	for (size_t i = 0; i < h->cnt; i++) {
		if (!(o_is_src ? may_join(w, o, &h->v[i]) : may_join(w, &h->v[i], o)))
			continue;
		if (found >= 0)
			return -2;
		found = (int)i;
	}
	return found;
}

static int join_unseen(struct causal_wake *w, const struct observation *o, bool o_is_src)
{
	struct held *other = o_is_src ? &w->dsts : &w->srcs;
	int i = only_partner(w, other, o, o_is_src), err;

	if (i < 0)
		return held_add(w, o_is_src ? &w->srcs : &w->dsts, o);
	err = observer_claim(w->out, o_is_src ? o : &other->v[i], o_is_src ? &other->v[i] : o,
			     HOW_RECONSTRUCTED, CONFIDENCE_ONLY, 0);
	held_remove(other, (size_t)i);
	return err;
}

/* ---- ends with it ---- */

static int wakee_forget(struct causal_wake *w, struct wakee *k)
{
	int err = k->open ? orphan(w, &k->src, NULL) : 0;

	HASH_DEL(w->wakees, k);
	free(k);
	return err;
}

static int wakee_get(struct causal_wake *w, uint32_t tid, struct wakee **ret)
{
	struct wakee *k;
	int err = 0;

	HASH_FIND(hh, w->wakees, &tid, sizeof(tid), k);
	if (!k) {
		if (HASH_COUNT(w->wakees) >= CAUSAL_WAKEES_MAX)
			err = wakee_forget(w, w->wakees); /* uthash keeps order: the oldest */
		k = err ? NULL : calloc(1, sizeof(*k));
		if (!k)
			return err ? err : -ENOMEM;
		k->tid = tid;
		HASH_ADD(hh, w->wakees, tid, sizeof(k->tid), k);
	}
	*ret = k;
	return 0;
}

/* Of several in one wait the first took the waiter off its queue; the later woke it for nothing. */
static int wakee_woken(struct causal_wake *w, const struct observation *o)
{
	struct wakee *k;
	int err = wakee_get(w, (uint32_t)o->object, &k);

	if (err)
		return err;
	if (k->open && k->src.since == o->since)
		return orphan(w, o, NULL);
	if (k->open)
		err = orphan(w, &k->src, NULL);
	k->src = *o;
	k->open = true;
	return err;
}

int causal_wake_src(struct causal_wake *w, const struct observation *o)
{
	return o->bits & OBS_UNSEEN ? join_unseen(w, o, true) : wakee_woken(w, o);
}

static bool same_wait(const struct wakee *k, const struct observation *dst)
{
	return k && k->open && (k->src.since == dst->since || dst->bits & OBS_BLIND);
}

int causal_wake_dst(struct causal_wake *w, const struct observation *o)
{
	struct wakee *k;
	bool clean;

	loss_seen(&w->loss);
	HASH_FIND(hh, w->wakees, &o->tid, sizeof(o->tid), k);
	if (!same_wait(k, o)) /* whose sched_waking was lost is not one that had none */
		return o->bits & OBS_WOKEN ? orphan(w, NULL, o) : join_unseen(w, o, false);
	clean = o->stamp || (!(o->bits & OBS_BLIND) && !loss_since(&w->loss, k->src.since));
	k->open = false;
	return observer_claim(w->out, &k->src, o, clean ? HOW_OBSERVED : HOW_RECONSTRUCTED,
			      clean ? CONFIDENCE_OBSERVED : loss_confidence(&w->loss), 0);
}

/* ---- end ---- */

int causal_wake_exit(struct causal_wake *w, uint32_t tid)
{
	struct wakee *k;

	HASH_FIND(hh, w->wakees, &tid, sizeof(tid), k);
	return k ? wakee_forget(w, k) : 0;
}

int causal_wake_finish(struct causal_wake *w)
{
	struct wakee *k;
	int err = 0;

	for (k = w->wakees; k && !err; k = k->hh.next)
		if (k->open)
			err = orphan(w, &k->src, NULL);
	for (size_t i = 0; i < w->srcs.cnt && !err; i++)
		err = orphan(w, &w->srcs.v[i], NULL);
	for (size_t i = 0; i < w->dsts.cnt && !err; i++)
		err = orphan(w, NULL, &w->dsts.v[i]);
	return err;
}

void causal_wake_free(struct causal_wake *w)
{
	struct wakee *k, *next;

	if (!w)
		return;
	HASH_ITER(hh, w->wakees, k, next)
	{
		HASH_DEL(w->wakees, k);
		free(k);
	}
	free(w);
}
