/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which handoffs does an end match? The rules, and where the handoffs to ask come from.
 *
 * A src on its own thread lies in the window of one call, and few calls hold a moment: they are
 * found on the line of time. All other ends lie in windows as long as a handoff is in flight: by
 * key and by thread, by asking all that are in flight, many tags at once, or, where they are very
 * many, in an index. By thread only where what lacks a key may be near (handoff_keyless.h).
 */
#include "scoring/handoff.h"

static int found(struct ends *s, const struct hx *x, struct list *l, uint32_t h, uint32_t bits)
{
	s->met |= x->flags[h];
	return list_push(l, h | bits);
}

enum keys { KEYS_DIFFER, KEYS_EQUAL, KEYS_NOT_BOTH };

static enum keys keys_of(const struct ends *s, const struct hx *x, uint32_t h)
{
	if (!s->probe.comparable || !(x->flags[h] & HX_KEY))
		return KEYS_NOT_BOTH;
	return key_equal(&s->probe, &hx_rec(x, h)->key) ? KEYS_EQUAL : KEYS_DIFFER;
}

/* May the end match handoffs of other threads? */
static bool goes_elsewhere(const struct ends *s, const struct end *e)
{
	return s->probe.comparable && has_identity(s->probe.type) && !e->mute;
}

bool near_matches(const struct ends *s, const struct hx *x, const struct end *e, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);
	enum keys keys = keys_of(s, x, h);

	if (r->type != s->probe.type || !(x->flags[h] & HX_SRC) || keys == KEYS_DIFFER)
		return false;
	if (r->src_tid == e->tid)
		return e->place != HX_NONE && holds(&r->src_t, e->t);
	return keys == KEYS_EQUAL && goes_elsewhere(s, e) && (x->flags[h] & HX_DST) &&
	       r->src_t.t0 <= e->t && e->t <= r->dst_ready.t1;
}

/* *alone: one has the claim's key, and no other of that key can match the end. */
static int near_own(struct ends *s, const struct hx *x, const struct end *e, bool *alone)
{
	size_t at = s->near_place = line_until(&x->line, e->t, s->near_place);
	int err = 0;

	if (e->place == HX_NONE)
		return 0;
	while (!err && (at = sent_before(x, at, s->probe.type, e->tid, e->t)) != SIZE_MAX) {
		uint32_t h = (uint32_t)at;
		enum keys keys = keys_of(s, x, h);

		if (keys == KEYS_DIFFER)
			continue;
		/* mutant &&: equivalent because it only saves time */
		if (keys == KEYS_EQUAL && !(x->flags[h] & HX_KEY_MULTI))
			*alone = true; /* mutant: equivalent because it only saves time */
		err = found(s, x, &s->near, h, FOUND_OWN);
	}
	return err;
}

static int near_other(struct ends *s, const struct hx *x, const struct end *e, uint32_t h)
{
	if (hx_rec(x, h)->src_tid == e->tid || !near_matches(s, x, e, h))
		return 0;
	return found(s, x, &s->near, h, 0);
}

static int near_elsewhere(struct ends *s, const struct hx *x, const struct end *e)
{
	size_t at = s->near_place;
	int err = 0;

	if (x->scan) {
		while (!err &&
		       (at = line_tagged(&x->line, x->key_tags, (uint16_t)probe_tag(&s->probe), at,
					 e->t)) != SIZE_MAX)
			err = near_other(s, x, e, (uint32_t)at);
	} else {
		struct bin_walk k = bin_walk(&x->near, probe_tag(&s->probe), e->t, &s->near_epoch);
		uint32_t h;

		while (!err && (h = bin_next(&k)) != HX_NONE)
			err = near_other(s, x, e, h);
	}
	return err;
}

int find_near(struct ends *s, const struct hx *x, const struct end *e)
{
	bool alone = false;
	int err = near_own(s, x, e, &alone);

	if (err)
		return err;
	/* mutant: equivalent because near_matches asks the same */
	return alone || !goes_elsewhere(s, e) ? 0 : near_elsewhere(s, x, e);
}

/* A handoff with the claim's key, on whatever thread. */
static int far_keyed(struct ends *s, const struct hx *x, const struct end *e, uint32_t h)
{
	const struct truth_handoff *r = hx_rec(x, h);
	bool own = r->dst_tid == e->tid, in_dst = holds(&r->dst_t, e->t);

	if (r->type != s->probe.type || keys_of(s, x, h) != KEYS_EQUAL)
		return 0;
	if (!in_dst && !holds(&r->dst_ready, e->t))
		return 0;
	if (own ? e->place == HX_NONE : !goes_elsewhere(s, e))
		return 0;
	return found(s, x, &s->far, h,
		     (own ? (uint32_t)FOUND_OWN : 0) | (in_dst ? (uint32_t)FOUND_IN_DST : 0));
}

/* The `ready` windows that hold a time on a thread; h: of one that only being alone makes match. */
struct ready {
	uint32_t cnt, h;
};

/* A handoff of the end's thread, whatever its key; it matches here if not both give one. */
static int far_thread(struct ends *s, const struct hx *x, const struct end *e, uint32_t h,
		      struct ready *o)
{
	const struct truth_handoff *r = hx_rec(x, h);
	bool in_ready = holds(&r->dst_ready, e->t);

	if (r->type != s->probe.type || r->dst_tid != e->tid)
		return 0;
	o->cnt += in_ready;
	if (keys_of(s, x, h) != KEYS_NOT_BOTH)
		return 0;
	if (holds(&r->dst_t, e->t))
		return found(s, x, &s->far, h, FOUND_OWN | FOUND_IN_DST);
	if (in_ready)
		o->h = h;
	return 0;
}

/* May a handoff match by its thread? On a strange one nothing is received. */
static bool asks_thread(const struct ends *s, const struct hx *x, const struct end *e)
{
	return e->place != HX_NONE &&
	       (!s->probe.comparable || hx_keyless(x, s->probe.type, e->tid, e->t));
}

static int far_scan(struct ends *s, const struct hx *x, const struct end *e, struct ready *o)
{
	size_t until = s->far_place = line_until(&x->line, e->t, s->far_place), at = until;
	uint16_t tag = (uint16_t)probe_tag(&s->probe);
	int err = 0;

	while (!err && /* mutant ||: equivalent because far_keyed asks the same */
	       s->probe.comparable &&
	       (at = line_tagged(&x->line, x->key_tags, tag, at, e->t)) != SIZE_MAX)
		if (x->flags[at] & HX_DST)
			err = far_keyed(s, x, e, (uint32_t)at);
	if (!asks_thread(s, x, e))
		return err;
	tag = thread_tag(s->probe.type, e->tid);
	at = until;
	while (!err && (at = line_tagged(&x->line, x->dst_tags, tag, at, e->t)) != SIZE_MAX)
		if (x->flags[at] & HX_DST)
			err = far_thread(s, x, e, (uint32_t)at, o);
	return err;
}

static int far_index(struct ends *s, const struct hx *x, const struct end *e, struct ready *o)
{
	struct bin_walk k = bin_walk(&x->far, probe_tag(&s->probe), e->t, &s->far_epoch);
	uint32_t h, group = group_of(&x->g->tids, s->probe.type, e->place);
	int err = 0;
	size_t at;

	while (!err && /* mutant ||: equivalent because far_keyed asks the same */
	       s->probe.comparable && (h = bin_next(&k)) != HX_NONE)
		err = far_keyed(s, x, e, h);
	if (err || !asks_thread(s, x, e))
		return err;
	at = stab_from(&x->thread, group, e->t);
	while (!err && (at = stab_next(&x->thread, group, at, e->t)) != SIZE_MAX)
		err = far_thread(s, x, e, x->thread.v[at].id, o);
	return err;
}

int find_far(struct ends *s, const struct hx *x, const struct end *e)
{
	struct ready o = {.h = HX_NONE};
	int err = x->scan ? far_scan(s, x, e, &o) : far_index(s, x, e, &o);

	if (!err && o.cnt == 1 && o.h != HX_NONE)
		err = found(s, x, &s->far, o.h, FOUND_OWN);
	return err;
}
