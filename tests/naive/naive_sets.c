/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends, keys, rank and the sets S and D, literally. */
#include <string.h>

#include "tests/naive/naive_handoff.h"

bool naive_in(struct window w, uint64_t t)
{
	return t >= w.t0 && t <= w.t1;
}

bool naive_window_scored(const struct truth *t, struct window w)
{
	return w.t0 >= t->scored.t0 && w.t0 <= t->scored.t1 && w.t1 >= t->scored.t0 &&
	       w.t1 <= t->scored.t1;
}

static bool naive_thread(const struct truth *t, uint32_t tid)
{
	for (size_t i = 0; i < t->threads_cnt; i++)
		if (t->threads[i] == tid)
			return true;
	return false;
}

static bool naive_space(const struct truth *t, int ns)
{
	return ns != KEY_NONE && ns != KEY_OTHER && (t->keys & (1u << ns));
}

bool naive_claim_key(const struct naive *n, const struct claim *c)
{
	return (c->has & HAS_KEY) && naive_space(n->t, c->ns);
}

int naive_keys(const struct naive *n, const struct claim *c, const struct truth_key *k)
{
	if (!naive_claim_key(n, c) || !naive_space(n->t, k->ns))
		return -1;
	if (c->ns != k->ns || c->handoff.key_v != k->v)
		return 0;
	if ((c->has & HAS_SCOPE) && k->has_scope && c->handoff.key_scope != k->scope)
		return 0;
	return 1;
}

static bool naive_identity_type(int type)
{
	return type == HANDOFF_IO || type == HANDOFF_WORK || type == HANDOFF_TIMER;
}

static bool naive_mute(const struct naive *n, uint32_t tid, bool kernel)
{
	return !naive_thread(n->t, tid) && !kernel;
}

static bool naive_near(const struct naive *n, const struct claim *c, size_t h)
{
	const struct truth_handoff *r = &n->t->handoffs[h];
	int keys = naive_keys(n, c, &r->key);

	if (!(c->has & HAS_SRC) || !n->src_in[h] || r->type != c->type || keys == 0)
		return false;
	if (naive_mute(n, c->handoff.src_tid, c->has & HAS_SRC_KERNEL))
		return false;
	if (c->handoff.src_tid == r->src_tid)
		return naive_in(r->src_t, c->handoff.src_t);
	return n->level == LEVEL_IDENTITY && naive_identity_type(c->type) && keys == 1 &&
	       n->dst_in[h] && c->handoff.src_t >= r->src_t.t0 &&
	       c->handoff.src_t <= r->dst_ready.t1;
}

static bool naive_only_ready(const struct naive *n, const struct claim *c)
{
	int cnt = 0;

	for (size_t h = 0; h < n->hn; h++) {
		const struct truth_handoff *r = &n->t->handoffs[h];

		cnt += n->dst_in[h] && r->type == c->type && r->dst_tid == c->handoff.dst_tid &&
		       naive_in(r->dst_ready, c->handoff.dst_t);
	}
	return cnt == 1;
}

bool naive_far(const struct naive *n, const struct claim *c, size_t h, bool ready)
{
	const struct truth_handoff *r = &n->t->handoffs[h];
	int keys = naive_keys(n, c, &r->key);
	uint64_t t = c->handoff.dst_t;
	bool in_ready = ready && naive_in(r->dst_ready, t);

	if (!(c->has & HAS_DST) || !n->dst_in[h] || r->type != c->type || keys == 0)
		return false;
	if (naive_mute(n, c->handoff.dst_tid, c->has & HAS_DST_KERNEL))
		return false;
	if (c->handoff.dst_tid == r->dst_tid)
		return naive_in(r->dst_t, t) || (in_ready && (keys == 1 || naive_only_ready(n, c)));
	return n->level == LEVEL_IDENTITY && naive_identity_type(c->type) && keys == 1 &&
	       (naive_in(r->dst_t, t) || in_ready);
}

bool naive_same_amb(const struct naive *n, size_t a, size_t b)
{
	const struct truth_handoff *x = &n->t->handoffs[a], *y = &n->t->handoffs[b];

	return x->type == y->type && (x->has & TH_AMB) && (y->has & TH_AMB) && x->amb == y->amb;
}

/* ---- rank ---- */

static struct window naive_rank_window(const struct naive *n, size_t h, bool src)
{
	return src ? n->t->handoffs[h].src_t : n->t->handoffs[h].dst_ready;
}

static bool naive_alike(const struct naive *n, size_t a, size_t b, bool src)
{
	const struct truth_handoff *x = &n->t->handoffs[a], *y = &n->t->handoffs[b];

	return (src ? n->src_in[a] && n->src_in[b] : n->dst_in[a] && n->dst_in[b]) &&
	       naive_space(n->t, x->key.ns) && x->type == y->type && x->key.ns == y->key.ns &&
	       x->key.v == y->key.v && !x->key.has_scope == !y->key.has_scope &&
	       (!x->key.has_scope || x->key.scope == y->key.scope) &&
	       (src ? x->src_tid == y->src_tid : x->dst_tid == y->dst_tid);
}

static bool naive_overlap(const struct naive *n, size_t a, size_t b, bool src)
{
	struct window x = naive_rank_window(n, a, src), y = naive_rank_window(n, b, src);
	bool a_first = x.t0 < y.t0 || (x.t0 == y.t0 && x.t1 <= y.t1);

	return naive_alike(n, a, b, src) && (a_first ? y.t0 < x.t1 : x.t0 < y.t1);
}

void naive_batch(const struct naive *n, size_t h, bool src, bool *member)
{
	bool grown = true;

	memset(member, 0, NAIVE_MAX);
	member[h] = true;
	while (grown) {
		grown = false;
		for (size_t a = 0; a < n->hn; a++)
			for (size_t b = 0; b < n->hn; b++)
				if (member[a] && !member[b] && naive_overlap(n, a, b, src))
					member[b] = grown = true;
	}
}

/* The time at which claim i places that end in a window of the batch of h, giving its key. */
static bool naive_places(const struct naive *n, size_t i, const bool *member, size_t h, bool src,
			 uint64_t *ret)
{
	const struct claim *c = &n->c->v[i];
	const struct truth_handoff *r = &n->t->handoffs[h];
	uint64_t t = src ? c->handoff.src_t : c->handoff.dst_t;

	if (!n->in[i] || c->type != r->type || !(c->has & (src ? HAS_SRC : HAS_DST)) ||
	    naive_keys(n, c, &r->key) != 1 ||
	    (src ? c->handoff.src_tid != r->src_tid : c->handoff.dst_tid != r->dst_tid))
		return false;
	for (size_t k = 0; k < n->hn; k++)
		if (member[k] && naive_in(naive_rank_window(n, k, src), t)) {
			*ret = t;
			return true;
		}
	return false;
}

static size_t naive_times(const struct naive *n, const bool *member, size_t h, bool src,
			  uint64_t *times)
{
	size_t cnt = 0;
	uint64_t t;

	for (size_t i = 0; i < n->cn; i++) {
		bool new = naive_places(n, i, member, h, src, &t);

		for (size_t k = 0; k < cnt; k++)
			new = new &&times[k] != t;
		if (new)
			times[cnt++] = t;
	}
	return cnt;
}

static uint64_t naive_at(const struct naive *n, size_t h, bool src)
{
	return src ? n->t->handoffs[h].seq : n->t->handoffs[h].take;
}

/* The handoff that time t means in the batch, or -1 if rank says nothing. */
static int naive_meant(const struct naive *n, const bool *member, size_t h, bool src, uint64_t t)
{
	uint64_t times[NAIVE_MAX];
	size_t cnt = naive_times(n, member, h, src, times), members = 0, earlier = 0;

	for (size_t k = 0; k < n->hn; k++) {
		members += member[k];
		if (member[k] && !(n->t->handoffs[k].has & (src ? TH_SEQ : TH_TAKE)))
			return -1;
	}
	if (cnt != members)
		return -1;
	for (size_t k = 0; k < cnt; k++)
		earlier += times[k] < t;
	for (size_t k = 0; k < n->hn; k++) { /* the one with `earlier` members before it */
		size_t before = 0;

		if (!member[k])
			continue;
		for (size_t m = 0; m < n->hn; m++)
			before += member[m] &&
				  (naive_at(n, m, src) < naive_at(n, k, src) ||
				   (naive_at(n, m, src) == naive_at(n, k, src) && m < k));
		if (before == earlier)
			return (int)k;
	}
	return -1;
}

static bool naive_rank_leaves(const struct naive *n, size_t i, size_t h, bool src)
{
	const struct claim *c = &n->c->v[i];
	const struct truth_handoff *r = &n->t->handoffs[h], *m;
	bool member[NAIVE_MAX], holds;
	uint64_t t;
	int meant;

	if (src ? c->handoff.src_tid != r->src_tid : c->handoff.dst_tid != r->dst_tid)
		return true;
	naive_batch(n, h, src, member);
	if (!naive_places(n, i, member, h, src, &t))
		return true;
	meant = naive_meant(n, member, h, src, t);
	if (meant < 0)
		return true;
	m = &n->t->handoffs[meant];
	holds = src ? naive_in(m->src_t, t) : naive_in(m->dst_t, t) || naive_in(m->dst_ready, t);
	return !holds || (size_t)meant == h || naive_same_amb(n, h, (size_t)meant);
}

/* ---- sets ---- */

static bool naive_scored(const struct naive *n, const struct claim *c)
{
	return c->kind == CLAIM_HANDOFF &&
	       (!(c->has & HAS_SRC) || naive_in(n->t->scored, c->handoff.src_t)) &&
	       (!(c->has & HAS_DST) || naive_in(n->t->scored, c->handoff.dst_t));
}

static bool naive_context(const struct naive *n, const struct claim *c)
{
	return (!(c->has & HAS_SRC) || naive_thread(n->t, c->handoff.src_tid)) &&
	       (!(c->has & HAS_DST) || naive_thread(n->t, c->handoff.dst_tid));
}

static bool naive_out(const struct naive *n, const struct claim *c)
{
	if (!naive_claim_key(n, c))
		return false;
	for (size_t h = 0; h < n->hn; h++)
		if (naive_keys(n, c, &n->t->handoffs[h].key) == 1)
			return false;
	return true;
}

static void naive_sets(struct naive *n)
{
	bool d[NAIVE_MAX];

	for (size_t i = 0; i < n->cn; i++) {
		const struct claim *c = &n->c->v[i];

		memset(d, 0, sizeof(d));
		for (size_t h = 0; n->in[i] && h < n->hn; h++) {
			n->s[i][h] = naive_near(n, c, h) && naive_rank_leaves(n, i, h, true);
			d[h] = naive_far(n, c, h, true) && naive_rank_leaves(n, i, h, false);
		}
		for (size_t h = 0; h < n->hn; h++)
			for (size_t k = 0; k < n->hn; k++)
				n->d[i][h] |= (n->src_in[h] || n->dst_in[h]) && d[k] &&
					      (k == h || naive_same_amb(n, h, k));
	}
}

void naive_init(struct naive *n, const struct truth *t, const struct claims *c, int level)
{
	memset(n, 0, sizeof(*n));
	n->t = t;
	n->c = c;
	n->hn = t->handoffs_cnt;
	n->cn = c->cnt;
	n->level = level;
	for (size_t h = 0; h < n->hn; h++) {
		const struct truth_handoff *r = &t->handoffs[h];

		n->src_in[h] = (r->has & TH_SRC) && naive_window_scored(t, r->src_t);
		n->dst_in[h] = (r->has & TH_DST) && naive_window_scored(t, r->dst_t);
	}
	for (size_t i = 0; i < n->cn; i++) {
		n->in[i] = naive_scored(n, &c->v[i]) &&
			   (level == LEVEL_IDENTITY || naive_context(n, &c->v[i]));
		n->out[i] = n->in[i] && naive_out(n, &c->v[i]);
	}
	naive_sets(n);
}
