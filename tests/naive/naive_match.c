/* SPDX-License-Identifier: BSD-2-Clause */
/* The best of all matchings. */
#include <stdlib.h>
#include <string.h>

#include "tests/naive/naive_handoff.h"

bool naive_two_ended(const struct claim *c)
{
	return (c->has & HAS_SRC) && (c->has & HAS_DST);
}

bool naive_any(const struct naive *n, const bool *row)
{
	for (size_t h = 0; h < n->hn; h++)
		if (row[h])
			return true;
	return false;
}

bool naive_sd_any(const struct naive *n, size_t i)
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

void naive_match(struct naive *n)
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
