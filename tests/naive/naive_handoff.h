/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contracts §5.1 a second time, as slowly and as literally as possible, for small inputs.
 *
 * Shares no code with scoring/: every set is a row of a table, every batch a closure over pairs,
 * every matching the best of all matchings. At most NAIVE_MAX handoffs and claims. Where the
 * contract can be read in two ways it reads as scoring/handoff.h says.
 */
#ifndef ASSAY_TESTS_NAIVE_HANDOFF_H
#define ASSAY_TESTS_NAIVE_HANDOFF_H

#include <stdlib.h>
#include <string.h>

#include "scoring/score.h"

enum { NAIVE_MAX = 40 };

struct naive {
	const struct truth *t;
	const struct claims *c;
	size_t hn, cn;
	int level;
	bool src_in[NAIVE_MAX], dst_in[NAIVE_MAX];	       /* ends of handoffs in scored */
	bool in[NAIVE_MAX];				       /* claim is scored at this level */
	bool out[NAIVE_MAX];				       /* claim is out of scope */
	bool s[NAIVE_MAX][NAIVE_MAX], d[NAIVE_MAX][NAIVE_MAX]; /* claim, handoff */
	int want[NAIVE_MAX], best[NAIVE_MAX];		       /* claim → handoff, -1 */
	int order[NAIVE_MAX];				       /* claims by preference */
	int found;					       /* best is set */
	uint8_t outcome[NAIVE_MAX];
};

static bool naive_in(struct window w, uint64_t t)
{
	return t >= w.t0 && t <= w.t1;
}

static bool naive_window_scored(const struct truth *t, struct window w)
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

static bool naive_claim_key(const struct naive *n, const struct claim *c)
{
	return (c->has & HAS_KEY) && naive_space(n->t, c->ns);
}

/* -1: not both give a comparable one, else whether they are equal. */
static int naive_keys(const struct naive *n, const struct claim *c, const struct truth_key *k)
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

/* ready: count dst.ready as well as dst.t. */
static bool naive_far(const struct naive *n, const struct claim *c, size_t h, bool ready)
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

static bool naive_same_amb(const struct naive *n, size_t a, size_t b)
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

/* The batch of h: all that a chain of overlaps reaches. */
static void naive_batch(const struct naive *n, size_t h, bool src, bool *member)
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

static void naive_init(struct naive *n, const struct truth *t, const struct claims *c, int level)
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

/* ---- matching ---- */

static bool naive_two_ended(const struct claim *c)
{
	return (c->has & HAS_SRC) && (c->has & HAS_DST);
}

static bool naive_any(const struct naive *n, const bool *row)
{
	for (size_t h = 0; h < n->hn; h++)
		if (row[h])
			return true;
	return false;
}

static bool naive_sd_any(const struct naive *n, size_t i)
{
	for (size_t h = 0; h < n->hn; h++)
		if (n->s[i][h] && n->d[i][h])
			return true;
	return false;
}

static bool naive_bids(const struct naive *n, size_t i)
{
	return n->in[i] && !n->out[i] && naive_two_ended(&n->c->v[i]) && naive_sd_any(n, i);
}

static bool naive_same_src(const struct naive *n, size_t a, size_t b)
{
	const struct claim *x = &n->c->v[a], *y = &n->c->v[b];
	bool kx = naive_claim_key(n, x), ky = naive_claim_key(n, y);

	return x->type == y->type && kx == ky && (!kx || x->handoff.key_v == y->handoff.key_v) &&
	       x->handoff.src_tid == y->handoff.src_tid && x->handoff.src_t == y->handoff.src_t;
}

/* May several claims of the src observation of i be credited? */
static bool naive_free_src(const struct naive *n, size_t i)
{
	const unsigned many = 1u << MARK_MULTISHOT | 1u << MARK_COALESCED | 1u << MARK_FANOUT;

	for (size_t k = 0; k < n->cn; k++)
		for (size_t h = 0; h < n->hn; h++)
			if (naive_bids(n, k) && naive_same_src(n, i, k) && n->s[k][h] &&
			    n->d[k][h] && !(n->t->handoffs[h].marks & many))
				return false;
	return true;
}

static double naive_conf(const struct claim *c)
{
	return c->has & HAS_CONF ? c->handoff.conf : 1.0;
}

static int naive_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static const struct claims *naive_sorting;

static int naive_preference(const void *x, const void *y)
{
	int i = *(const int *)x, j = *(const int *)y, r = 0;
	const struct claim *a = &naive_sorting->v[i], *b = &naive_sorting->v[j];
	const uint64_t fields[][2] = {
		{a->handoff.src_tid, b->handoff.src_tid},
		{a->handoff.src_t, b->handoff.src_t},
		{a->handoff.dst_tid, b->handoff.dst_tid},
		{a->handoff.dst_t, b->handoff.dst_t},
		{a->has & HAS_KEY, b->has & HAS_KEY},
		{a->ns, b->ns},
		{a->has & HAS_SCOPE, b->has & HAS_SCOPE},
		{a->handoff.key_scope, b->handoff.key_scope},
		{a->handoff.key_v, b->handoff.key_v},
		{naive_conf(a) < naive_conf(b), naive_conf(b) < naive_conf(a)},
		{a->source, b->source},
		{a->how, b->how},
		{a->has, b->has},
		{a->handoff.gen, b->handoff.gen},
		{(uint64_t)i, (uint64_t)j},
	};

	for (size_t k = 0; !r && k < sizeof(fields) / sizeof(fields[0]); k++)
		r = naive_cmp(fields[k][0], fields[k][1]);
	return r;
}

static int naive_down(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a > b ? -1 : a < b;
}

static int naive_up(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

static size_t naive_size(const struct naive *n, const int *m)
{
	size_t cnt = 0;

	for (size_t i = 0; i < n->cn; i++)
		cnt += m[i] >= 0;
	return cnt;
}

static void naive_confs(const struct naive *n, const int *m, double *conf)
{
	size_t k = 0;

	for (size_t i = 0; i < n->cn; i++)
		if (m[i] >= 0)
			conf[k++] = naive_conf(&n->c->v[i]);
	qsort(conf, k, sizeof(*conf), naive_down);
}

static void naive_handoffs(const struct naive *n, const int *m, int *h)
{
	size_t k = 0;

	for (size_t i = 0; i < n->cn; i++)
		if (m[i] >= 0)
			h[k++] = m[i];
	qsort(h, k, sizeof(*h), naive_up);
}

/* Is matching a better than b? All the criteria, one after the other. */
static bool naive_better(const struct naive *n, const int *a, const int *b)
{
	size_t na = naive_size(n, a), nb = naive_size(n, b);
	double ca[NAIVE_MAX], cb[NAIVE_MAX];
	int ha[NAIVE_MAX], hb[NAIVE_MAX];

	if (na != nb)
		return na > nb;
	naive_confs(n, a, ca);
	naive_confs(n, b, cb);
	for (size_t k = 0; k < na; k++)
		if (ca[k] != cb[k])
			return ca[k] > cb[k];
	naive_handoffs(n, a, ha);
	naive_handoffs(n, b, hb);
	for (size_t k = 0; k < na; k++)
		if (ha[k] != hb[k])
			return ha[k] < hb[k];
	for (size_t k = 0; k < n->cn; k++) /* the first claim that only one has */
		if ((a[n->order[k]] >= 0) != (b[n->order[k]] >= 0))
			return a[n->order[k]] >= 0;
	for (size_t k = 0; k < n->cn; k++)
		if (a[n->order[k]] != b[n->order[k]])
			return a[n->order[k]] < b[n->order[k]];
	return false;
}

static bool naive_may(const struct naive *n, size_t i, int h)
{
	for (size_t k = 0; k < n->cn; k++) {
		if (k == i || n->want[k] < 0)
			continue;
		if (n->want[k] == h || (naive_same_src(n, i, k) && !naive_free_src(n, i)))
			return false;
	}
	return true;
}

static void naive_try(struct naive *n, size_t i, uint8_t type)
{
	if (i == n->cn) {
		if (!n->found || naive_better(n, n->want, n->best)) {
			memcpy(n->best, n->want, sizeof(n->best));
			n->found = 1;
		}
		return;
	}
	n->want[i] = -1;
	naive_try(n, i + 1, type);
	if (n->c->v[i].type != type || !naive_bids(n, i))
		return;
	for (size_t h = 0; h < n->hn; h++)
		if (n->s[i][h] && n->d[i][h] && n->src_in[h] && n->dst_in[h] &&
		    naive_may(n, i, (int)h)) {
			n->want[i] = (int)h;
			naive_try(n, i + 1, type);
			n->want[i] = -1;
		}
}

static void naive_match(struct naive *n)
{
	int all[NAIVE_MAX];

	for (size_t i = 0; i < NAIVE_MAX; i++)
		all[i] = n->want[i] = -1;
	for (size_t i = 0; i < n->cn; i++)
		n->order[i] = (int)i;
	naive_sorting = n->c;
	qsort(n->order, n->cn, sizeof(n->order[0]), naive_preference);
	for (uint8_t type = 0; type < HANDOFF_TYPE_CNT; type++) {
		n->found = 0;
		naive_try(n, 0, type);
		for (size_t i = 0; i < n->cn; i++)
			if (n->best[i] >= 0)
				all[i] = n->best[i];
	}
	memcpy(n->best, all, sizeof(all));
}

/* ---- outcomes and counts ---- */

static void naive_outcomes(struct naive *n)
{
	for (size_t i = 0; i < n->cn; i++) {
		bool s = naive_any(n, n->s[i]), d = naive_any(n, n->d[i]);

		if (!n->in[i])
			n->outcome[i] = OUT_NOT_SCORED;
		else if (n->out[i])
			n->outcome[i] = OUT_OF_SCOPE;
		else if (!naive_two_ended(&n->c->v[i]))
			n->outcome[i] = s || d ? OUT_ORPHAN : OUT_SPURIOUS;
		else if (n->best[i] >= 0)
			n->outcome[i] = OUT_RIGHT;
		else if (naive_sd_any(n, i))
			n->outcome[i] = OUT_DUPLICATE;
		else if (s && d)
			n->outcome[i] = OUT_FALSE_JOIN;
		else
			n->outcome[i] = s || d ? OUT_HALF : OUT_SPURIOUS;
	}
}

static bool naive_decoy(const struct naive *n, size_t i)
{
	const struct claim *c = &n->c->v[i];

	if (naive_any(n, n->s[i]) || naive_any(n, n->d[i]))
		return false;
	for (size_t k = 0; k < n->t->decoys_cnt; k++) {
		const struct truth_decoy *y = &n->t->decoys[k];

		if (y->as_event || y->type != c->type || !naive_window_scored(n->t, y->t) ||
		    naive_keys(n, c, &y->key) == 0)
			continue;
		if ((c->has & HAS_SRC) && c->handoff.src_tid == y->tid &&
		    naive_in(y->t, c->handoff.src_t))
			return true;
		if ((c->has & HAS_DST) && c->handoff.dst_tid == y->tid &&
		    naive_in(y->t, c->handoff.dst_t))
			return true;
	}
	return false;
}

static bool naive_by_ready(const struct naive *n, size_t i)
{
	for (size_t h = 0; h < n->hn; h++)
		for (size_t k = 0; k < n->hn; k++)
			if (n->s[i][h] && n->d[i][h] && (k == h || naive_same_amb(n, h, k)) &&
			    naive_far(n, &n->c->v[i], k, false))
				return false;
	return true;
}

static unsigned naive_marks(const struct naive *n, size_t i)
{
	unsigned both = 0, either = 0;

	for (size_t h = 0; h < n->hn; h++) {
		if (n->s[i][h] && n->d[i][h])
			both |= n->t->handoffs[h].marks;
		if (n->s[i][h] || n->d[i][h])
			either |= n->t->handoffs[h].marks;
	}
	if (n->outcome[i] == OUT_RIGHT)
		return n->t->handoffs[n->best[i]].marks;
	return n->outcome[i] == OUT_DUPLICATE ? both : either;
}

static void naive_count(const struct naive *n, size_t i, struct handoff_counts *k)
{
	uint8_t o = n->outcome[i];

	k->right += o == OUT_RIGHT;
	k->credited += o == OUT_RIGHT;
	k->duplicate += o == OUT_DUPLICATE;
	k->false_join += o == OUT_FALSE_JOIN;
	k->half += o == OUT_HALF;
	k->spurious += o == OUT_SPURIOUS;
	k->orphan += o == OUT_ORPHAN;
	k->out_of_scope += o == OUT_OF_SCOPE;
	k->claims += o != OUT_OF_SCOPE;
	k->two_ended += o != OUT_OF_SCOPE && naive_two_ended(&n->c->v[i]);
	k->by_ready += o == OUT_RIGHT && naive_by_ready(n, i);
	k->decoy_hits += naive_decoy(n, i);
}

static void naive_count_claims(const struct naive *n, struct handoff_level *l)
{
	for (size_t i = 0; i < n->cn; i++) {
		const struct claim *c = &n->c->v[i];

		if (!n->in[i])
			continue;
		naive_count(n, i, &l->all);
		naive_count(n, i, &l->type[c->type]);
		naive_count(n, i, &l->source[c->source]);
		if (n->c->header.declares & (1u << c->type))
			naive_count(n, i, &l->declared);
		for (int m = 0; m < MARK_CNT; m++)
			if (naive_marks(n, i) & (1u << m))
				naive_count(n, i, &l->mark[m]);
		l->types |= 1u << c->type;
		l->sources |= c->source ? 1u << c->source : 0;
	}
}

/* What is said of handoff h: bits of enum spoken, and the sources of its orphans. */
static uint8_t naive_spoken(const struct naive *n, size_t h, unsigned *sources)
{
	uint8_t s = 0;

	*sources = 0;
	for (size_t i = 0; i < n->cn; i++) {
		uint8_t o = n->outcome[i];

		if (!n->in[i] || n->out[i])
			continue;
		if (n->best[i] == (int)h)
			s |= SPOKEN_CREDITED;
		if (naive_two_ended(&n->c->v[i]) && n->s[i][h] && n->d[i][h])
			s |= SPOKEN_TWO_ENDED;
		if (o == OUT_ORPHAN && (n->s[i][h] || n->d[i][h])) {
			s |= SPOKEN_ORPHAN;
			*sources |= 1u << n->c->v[i].source;
		}
		if ((o == OUT_FALSE_JOIN || o == OUT_HALF) && (n->s[i][h] || n->d[i][h]) &&
		    n->src_in[h] != n->dst_in[h])
			s |= SPOKEN_JOINED;
	}
	return s;
}

static void naive_count_handoff(const struct naive *n, size_t h, struct handoff_level *l)
{
	const struct truth_handoff *r = &n->t->handoffs[h];
	bool both = n->src_in[h] && n->dst_in[h];
	unsigned sources;
	uint8_t s = naive_spoken(n, h, &sources);
	bool only = both && (s & SPOKEN_ORPHAN) && !(s & SPOKEN_TWO_ENDED);
	bool declared = n->c->header.declares & (1u << r->type);

	if (!n->src_in[h] && !n->dst_in[h])
		return;
	l->types |= 1u << r->type;
	l->marks |= r->marks;
	l->all.truth += both;
	l->all.orphan_only += only;
	l->type[r->type].truth += both;
	l->type[r->type].orphan_only += only;
	l->declared.truth += both && declared;
	l->declared.orphan_only += only && declared;
	for (int m = 0; m < MARK_CNT; m++)
		if (r->marks & (1u << m)) {
			l->mark[m].truth += both;
			l->mark[m].orphan_only += only;
		}
	for (int k = 0; k < SOURCE_CNT; k++) {
		l->source[k].truth += both;
		l->source[k].orphan_only += only && (sources & (1u << k));
	}
}

static uint64_t naive_shifted_hits(const struct truth *t, const struct claims *c, uint64_t shift)
{
	static struct naive n;
	struct claim moved[NAIVE_MAX];
	struct claims m = *c;
	uint64_t hits = 0;

	for (size_t i = 0; i < c->cnt; i++) {
		moved[i] = c->v[i];
		moved[i].handoff.src_t += shift;
		moved[i].handoff.dst_t += shift;
	}
	m.v = moved;
	naive_init(&n, t, &m, LEVEL_CONTEXT);
	for (size_t i = 0; i < c->cnt; i++)
		hits += n.in[i] && naive_decoy(&n, i);
	return hits;
}

static bool naive_cheating(const struct truth *t, const struct claims *c, uint64_t hits)
{
	uint64_t most = 0;

	for (uint64_t k = 0; hits && k < 200; k++) {
		uint64_t copy = naive_shifted_hits(t, c, 1000000 + 9000000 * k / 199);

		most = copy > most ? copy : most;
	}
	return hits > most;
}

/* §5.1 whole. outcome and credited: arrays a level, as in handoff_verdicts; spoken likewise. */
static void naive_score(const struct truth *t, const struct claims *c, struct handoff_score *ret,
			struct handoff_verdicts *v)
{
	static struct naive n;

	memset(ret, 0, sizeof(*ret));
	for (int l = 0; l < LEVEL_CNT; l++) {
		naive_init(&n, t, c, l);
		naive_match(&n);
		naive_outcomes(&n);
		naive_count_claims(&n, &ret->level[l]);
		for (size_t h = 0; h < n.hn; h++) {
			unsigned sources;
			uint8_t s = naive_spoken(&n, h, &sources);
			bool one = n.src_in[h] != n.dst_in[h];

			naive_count_handoff(&n, h, &ret->level[l]);
			v->spoken[l][h] = s;
			ret->one_ended_truth += l == LEVEL_CONTEXT && one;
			ret->one_ended_named += l == LEVEL_CONTEXT && one && (s & SPOKEN_ORPHAN);
			ret->one_ended_joined += l == LEVEL_CONTEXT && one && (s & SPOKEN_JOINED);
		}
		for (size_t i = 0; i < n.cn; i++) {
			v->outcome[l][i] = n.outcome[i];
			v->credited[l][i] = n.best[i] < 0 ? UINT32_MAX : (uint32_t)n.best[i];
		}
	}
	ret->cheating = naive_cheating(t, c, ret->level[LEVEL_CONTEXT].all.decoy_hits);
}

#endif
