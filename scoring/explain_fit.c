/* SPDX-License-Identifier: BSD-2-Clause */
/* What one end of a claim and one end of a handoff have to do with each other. */
#include "scoring/explain_parts.h"
#include "scoring/scope.h"

static bool thread_listed(const struct truth *t, uint32_t tid)
{
	for (size_t i = 0; i < t->threads_cnt; i++)
		if (t->threads[i] == tid)
			return true;
	return false;
}

struct claim_end claim_end(const struct explain *x, const struct claim *c, enum end_side side)
{
	bool src = side == END_SRC;
	struct claim_end e = {
		.known = c->has & (src ? HAS_SRC : HAS_DST),
		.kernel = c->has & (src ? HAS_SRC_KERNEL : HAS_DST_KERNEL),
		.tid = src ? c->handoff.src_tid : c->handoff.dst_tid,
		.t = src ? c->handoff.src_t : c->handoff.dst_t,
	};

	e.listed = thread_listed(&x->t, e.tid);
	return e;
}

/* A header lists no space that is none or outside of the contract. */
static bool space_is_listed(const struct truth *t, unsigned ns)
{
	return t->keys >> ns & 1;
}

bool keys_comparable(const struct explain *x, const struct claim *c, const struct truth_handoff *h)
{
	return (c->has & HAS_KEY) && space_is_listed(&x->t, c->ns) &&
	       space_is_listed(&x->t, h->key.ns);
}

bool keys_equal(const struct claim *c, const struct truth_handoff *h)
{
	return c->ns == h->key.ns && c->handoff.key_v == h->key.v &&
	       (!(c->has & HAS_SCOPE) || !h->key.has_scope || c->handoff.key_scope == h->key.scope);
}

bool end_scored(const struct explain *x, const struct truth_handoff *h, enum end_side side)
{
	return side == END_SRC ? (h->has & TH_SRC) && window_scored(&x->t, &h->src_t)
			       : (h->has & TH_DST) && window_scored(&x->t, &h->dst_t);
}

static bool type_has_identity(unsigned type)
{
	return type == HANDOFF_IO || type == HANDOFF_WORK || type == HANDOFF_TIMER;
}

/* How far a time lies from a window that does not hold it. */
static struct fit miss(const struct window *w, uint64_t t)
{
	if (t < w->t0) /* mutant: equivalent because a window that begins at t holds it */
		return (struct fit){FIT_BEFORE, w->t0 - t};
	return (struct fit){FIT_AFTER, t - w->t1};
}

static struct fit nearer(struct fit a, struct fit b)
{
	return a.off <= b.off ? a : b;
}

static bool only_ready(const struct explain *x, const struct truth_handoff *h, uint64_t t)
{
	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *o = &x->t.handoffs[i];

		if (o != h && o->type == h->type && o->dst_tid == h->dst_tid &&
		    end_scored(x, o, END_DST) && window_holds(&o->dst_ready, t))
			return false;
	}
	return true;
}

static struct fit fit_own_dst(const struct explain *x, const struct claim *c,
			      const struct truth_handoff *h, uint64_t t)
{
	if (window_holds(&h->dst_t, t))
		return (struct fit){.kind = FIT_WINDOW};
	if (!window_holds(&h->dst_ready, t))
		return nearer(miss(&h->dst_t, t), miss(&h->dst_ready, t));
	if (keys_comparable(x, c, h) || only_ready(x, h, t))
		return (struct fit){.kind = FIT_READY};
	return (struct fit){.kind = FIT_READY_SHARED};
}

static struct fit fit_own(const struct explain *x, const struct claim *c, enum end_side side,
			  const struct truth_handoff *h, uint64_t t)
{
	if (keys_comparable(x, c, h) && !keys_equal(c, h))
		return (struct fit){.kind = FIT_KEY};
	if (side == END_DST)
		return fit_own_dst(x, c, h, t);
	return window_holds(&h->src_t, t) ? (struct fit){.kind = FIT_WINDOW} : miss(&h->src_t, t);
}

static struct fit fit_elsewhere(const struct explain *x, const struct claim *c,
				const struct claim_end *e, enum end_side side,
				const struct truth_handoff *h)
{
	struct window span = {h->src_t.t0, h->dst_ready.t1};

	if (!type_has_identity(h->type) || !keys_comparable(x, c, h) || !keys_equal(c, h))
		return (struct fit){.kind = FIT_NOTHING};
	if (!e->listed && !e->kernel)
		return (struct fit){.kind = FIT_MUTE};
	if (side == END_SRC && !end_scored(x, h, END_DST))
		return (struct fit){.kind = FIT_NOTHING};
	if (side == END_SRC)
		return window_holds(&span, e->t) ? (struct fit){.kind = FIT_ELSEWHERE}
						 : miss(&span, e->t);
	if (window_holds(&h->dst_ready, e->t) || window_holds(&h->dst_t, e->t))
		return (struct fit){.kind = FIT_ELSEWHERE};
	return nearer(miss(&h->dst_t, e->t), miss(&h->dst_ready, e->t));
}

struct fit fit_end(const struct explain *x, const struct claim *c, enum end_side side,
		   const struct truth_handoff *h)
{
	struct claim_end e = claim_end(x, c, side);
	uint32_t own = side == END_SRC ? h->src_tid : h->dst_tid;

	if (!e.known || h->type != c->type || !end_scored(x, h, side))
		return (struct fit){.kind = FIT_NOTHING};
	if (own == e.tid)
		return fit_own(x, c, side, h, e.t);
	return fit_elsewhere(x, c, &e, side, h);
}

bool fit_at_level(struct fit f, enum score_level level)
{
	return f.kind == FIT_WINDOW || f.kind == FIT_READY ||
	       (f.kind == FIT_ELSEWHERE && level == LEVEL_IDENTITY);
}
