/* SPDX-License-Identifier: BSD-2-Clause */
/* Which joins two profilers of one run have in common, where no truth says which are right. */
#include <errno.h>
#include <stdlib.h>

#include "harness/audit.h"

/* One end of a claimed handoff. */
struct end {
	uint64_t key, t;
	uint32_t tid, of; /* of its claim */
	uint8_t dst, type, ns;
};

/* In order of place (side, type, thread, key) and time. */
struct ends {
	struct end *v;
	size_t cnt;
};

/* Those with a key, and all, as if they had none: an end without, or with one that the other does
 * not use there, is looked for among all of its thread. */
struct witness {
	struct ends keyed, all;
};

static bool is_join(const struct claim *c)
{
	return c->kind == CLAIM_HANDOFF && (c->has & HAS_SRC) && (c->has & HAS_DST);
}

/* Of what c declares. */
static bool is_wanted(const struct claims *c, const struct claim *r)
{
	return is_join(r) && c->header.declares & claim_declares(r);
}

static struct end end_of(const struct claim *c, bool dst, size_t of)
{
	return (struct end){.key = c->has & HAS_KEY ? c->handoff.key_v : 0,
			    .t = dst ? c->handoff.dst_t : c->handoff.src_t,
			    .tid = dst ? c->handoff.dst_tid : c->handoff.src_tid,
			    .of = (uint32_t)of,
			    .dst = dst,
			    .type = c->type,
			    .ns = c->has & HAS_KEY ? c->ns : KEY_NONE};
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int by = order(x->dst, y->dst);

	by = by ? by : order(x->type, y->type);
	by = by ? by : order(x->tid, y->tid);
	by = by ? by : order(x->ns, y->ns);
	return by ? by : order(x->key, y->key);
}

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int by = compare_places(a, b);

	by = by ? by : order(x->t, y->t);
	return by ? by : order(x->of, y->of);
}

static void put(struct witness *w, struct end x)
{
	if (x.ns != KEY_NONE)
		w->keyed.v[w->keyed.cnt++] = x;
	x.ns = KEY_NONE;
	x.key = 0;
	w->all.v[w->all.cnt++] = x;
}

static int witness_open(const struct claims *c, struct witness *ret)
{
	*ret = (struct witness){.keyed.v = calloc(2 * c->cnt + 1, sizeof(struct end)),
				.all.v = calloc(2 * c->cnt + 1, sizeof(struct end))};
	if (!ret->keyed.v || !ret->all.v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++)
		if (is_join(&c->v[i])) {
			put(ret, end_of(&c->v[i], false, i));
			put(ret, end_of(&c->v[i], true, i));
		}
	qsort(ret->keyed.v, ret->keyed.cnt, sizeof(struct end), compare_ends);
	qsort(ret->all.v, ret->all.cnt, sizeof(struct end), compare_ends);
	return 0;
}

static void witness_free(struct witness *w)
{
	free(w->keyed.v);
	free(w->all.v);
}

/* How many are before x in the order. */
static size_t before(const struct ends *e, const struct end *x)
{
	size_t from = 0, cnt = e->cnt;

	while (cnt) {
		size_t half = cnt / 2;

		if (compare_ends(&e->v[from + half], x) < 0) {
			from += half + 1;
			cnt -= half + 1;
		} else {
			cnt = half;
		}
	}
	return from;
}

/* The ends at the place of x. */
static struct ends at_place(const struct ends *e, struct end x)
{
	size_t first, end;

	x.t = x.of = 0;
	first = before(e, &x);
	x.t = UINT64_MAX;
	x.of = UINT32_MAX;
	end = before(e, &x);
	return (struct ends){&e->v[first], end - first};
}

/* Of some at a place of x, the place of that which is nearest to it in time. */
static size_t nearest(const struct ends *e, const struct end *x)
{
	size_t at = before(e, x);

	if (at == e->cnt || (at && x->t - e->v[at - 1].t < e->v[at].t - x->t))
		at--;
	return at;
}

/* The ends of the reference that x, one of mine, may be: all of one moment, from *ret_first on; the
 * count. As many at one place are the same in the same order, however late each observer is. */
static size_t counterparts(const struct ends *mine, const struct ends *reference, struct end x,
			   const struct end **ret_first)
{
	struct ends m = at_place(mine, x), r = at_place(reference, x);
	size_t at, cnt = 0;

	if (!r.cnt)
		return 0;
	at = m.cnt == r.cnt ? before(&m, &x) : nearest(&r, &x);
	while (at && r.v[at - 1].t == r.v[at].t)
		at--;
	while (at + cnt < r.cnt && r.v[at + cnt].t == r.v[at].t)
		cnt++;
	*ret_first = &r.v[at];
	return cnt;
}

static size_t counterparts_of(const struct witness *mine, const struct witness *reference,
			      struct end x, const struct end **ret_first)
{
	size_t cnt = 0;

	if (x.ns != KEY_NONE)
		cnt = counterparts(&mine->keyed, &reference->keyed, x, ret_first);
	x.ns = KEY_NONE;
	x.key = 0;
	return cnt ? cnt : counterparts(&mine->all, &reference->all, x, ret_first);
}

/* Both ends of claim i are those of one join of the reference, which no claim before it had. */
static bool agrees(const struct claims *c, size_t i, const struct witness *mine,
		   const struct claims *reference, const struct witness *its, bool *credited)
{
	const struct end *src, *dst;
	size_t srcs = counterparts_of(mine, its, end_of(&c->v[i], false, i), &src);

	if (!srcs || !counterparts_of(mine, its, end_of(&c->v[i], true, i), &dst))
		return false;
	for (size_t k = 0; k < srcs; k++) {
		const struct claim *r = &reference->v[src[k].of];

		if (credited[src[k].of] || r->handoff.dst_tid != dst->tid ||
		    r->handoff.dst_t != dst->t)
			continue;
		credited[src[k].of] = true;
		return true;
	}
	return false;
}

int audit_agree(const struct claims *c, const struct claims *reference, double *ret)
{
	bool *credited = calloc(reference->cnt + 1, sizeof(*credited));
	struct witness mine, its;
	size_t joins = 0, right = 0;
	int rc = witness_open(c, &mine), err = witness_open(reference, &its);

	if (err || !credited)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < reference->cnt; i++)
		joins += is_wanted(c, &reference->v[i]);
	for (size_t i = 0; !rc && i < c->cnt; i++)
		if (is_join(&c->v[i])) {
			joins++;
			right += agrees(c, i, &mine, reference, &its, credited);
		}
	if (!rc)
		*ret = joins ? 2 * (double)right / (double)joins : 0;
	witness_free(&mine);
	witness_free(&its);
	free(credited);
	return rc;
}
