/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends looked up without an index: every handoff alive at the time is asked. Good where few claims
 * are not plain and few handoffs are in flight at once.
 */
#include "scoring/handoff.h"

/* Keys that both give and that are comparable: 1 equal, 0 not; -1: not both give one. */
static int keys(const struct ends *s, const struct hx *x, uint32_t h)
{
	if (!s->probe.comparable || !(x->flags[h] & HX_KEY))
		return -1;
	return key_equal(&s->probe, &x->t->handoffs[h].key);
}

/* Is the end on another thread than tid, of a type and with a word that allow it? */
static bool elsewhere(const struct ends *s, const struct end *e, int equal)
{
	return equal == 1 && has_identity(s->probe.type) && !e->mute;
}

static bool near(const struct ends *s, const struct hx *x, const struct end *e, uint32_t h)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	int equal;

	if (r->type != s->probe.type || !(x->flags[h] & HX_SRC))
		return false;
	equal = keys(s, x, h);
	if (!equal)
		return false;
	if (r->src_tid == e->tid)
		return e->place != HX_NONE && holds(&r->src_t, e->t);
	return elsewhere(s, e, equal) && (x->flags[h] & HX_DST) && r->src_t.t0 <= e->t &&
	       e->t <= r->dst_ready.t1;
}

int scan_near(struct ends *s, const struct hx *x, const struct end *e)
{
	size_t at = line_until(&x->line, e->t, s->near_place);
	int err = 0;

	s->near_place = at;
	while (!err && (at = line_back(&x->line, LINE_LIFE, at, e->t)) != SIZE_MAX) {
		uint32_t h = hx_at(x, at);

		if (near(s, x, e, h))
			err = found_push(
				&s->near,
				(struct found){.h = h, .own = x->t->handoffs[h].src_tid == e->tid});
	}
	return err;
}

/* Far windows of the own thread: ready counts with equal keys, or if it is the only one. */
struct own {
	uint32_t ready_cnt, only;
};

static int far(struct ends *s, const struct hx *x, const struct end *e, uint32_t h, struct own *o)
{
	const struct truth_handoff *r = &x->t->handoffs[h];
	bool own = r->dst_tid == e->tid, in_dst, in_ready;
	int equal;

	if (r->type != s->probe.type || !(x->flags[h] & HX_DST))
		return 0;
	in_dst = holds(&r->dst_t, e->t);
	in_ready = holds(&r->dst_ready, e->t);
	equal = keys(s, x, h);
	if (own && in_ready) {
		o->ready_cnt++;
		if (equal < 0 && !in_dst)
			o->only = h;
	}
	if (!equal || (own ? e->place == HX_NONE : !elsewhere(s, e, equal)))
		return 0;
	if (!in_dst && (!in_ready || equal < 0))
		return 0;
	return found_push(&s->far, (struct found){.h = h, .own = own, .in_dst = in_dst});
}

int scan_far(struct ends *s, const struct hx *x, const struct end *e)
{
	size_t at = line_until(&x->line, e->t, s->far_place);
	struct own o = {.only = HX_NONE};
	int err = 0;

	s->far_place = at;
	while (!err && (at = line_back(&x->line, LINE_LIFE, at, e->t)) != SIZE_MAX)
		err = far(s, x, e, hx_at(x, at), &o);
	if (!err && o.ready_cnt == 1 && o.only != HX_NONE && e->place != HX_NONE)
		err = found_push(&s->far, (struct found){.h = o.only, .own = true});
	return err;
}
