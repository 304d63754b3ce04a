/* SPDX-License-Identifier: BSD-2-Clause */
/* Which joins two profilers of one run have in common, where no truth says which are right. */
#include <errno.h>
#include <stdlib.h>

#include "harness/audit.h"

/* One end of a handoff that the reference claims. */
struct end {
	uint64_t key, t;
	uint32_t tid, of; /* the reference's claim */
	uint8_t dst, type, ns;
};

/* All ends in two orders: those without a key, or with one that the reference does not use there,
 * are looked for among all of their thread. */
struct ends {
	struct end *keyed, *all;
	size_t keyed_cnt, all_cnt;
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

static void put(struct ends *e, struct end x)
{
	if (x.ns != KEY_NONE)
		e->keyed[e->keyed_cnt++] = x;
	x.ns = KEY_NONE;
	x.key = 0;
	e->all[e->all_cnt++] = x;
}

static int ends_open(const struct claims *reference, struct ends *ret)
{
	*ret = (struct ends){.keyed = calloc(2 * reference->cnt + 1, sizeof(struct end)),
			     .all = calloc(2 * reference->cnt + 1, sizeof(struct end))};
	if (!ret->keyed || !ret->all)
		return -ENOMEM;
	for (size_t i = 0; i < reference->cnt; i++)
		if (is_join(&reference->v[i])) {
			put(ret, end_of(&reference->v[i], false, i));
			put(ret, end_of(&reference->v[i], true, i));
		}
	qsort(ret->keyed, ret->keyed_cnt, sizeof(struct end), compare_ends);
	qsort(ret->all, ret->all_cnt, sizeof(struct end), compare_ends);
	return 0;
}

/* The first that is not before x in the order. */
static size_t lower(const struct end *v, size_t cnt, const struct end *x)
{
	size_t from = 0;

	while (cnt) {
		size_t half = cnt / 2;

		if (compare_ends(&v[from + half], x) < 0) {
			from += half + 1;
			cnt -= half + 1;
		} else {
			cnt = half;
		}
	}
	return from;
}

/* Ends at one place and of one time, from first on; end: of the array. */
struct moment {
	const struct end *first, *end;
};

/* Of the ends at that place, those of the nearest moment; none: NULL. */
static struct moment nearest_of(const struct end *v, size_t cnt, struct end x)
{
	size_t at = lower(v, cnt, &x);
	const struct end *after = at < cnt && !compare_places(&v[at], &x) ? &v[at] : NULL;
	const struct end *before = at && !compare_places(&v[at - 1], &x) ? &v[at - 1] : NULL;

	if (!before || (after && after->t - x.t <= x.t - before->t))
		return (struct moment){after, v + cnt};
	x.t = before->t;
	return (struct moment){&v[lower(v, cnt, &x)], v + cnt};
}

static struct moment nearest(const struct ends *e, const struct claim *c, bool dst)
{
	struct end x = end_of(c, dst, 0);
	struct moment found = {NULL, NULL};

	if (x.ns != KEY_NONE)
		found = nearest_of(e->keyed, e->keyed_cnt, x);
	x.ns = KEY_NONE;
	x.key = 0;
	return found.first ? found : nearest_of(e->all, e->all_cnt, x);
}

/* Both ends of the claim are nearest to those of one join of the reference, which no claim before
 * it had. */
static bool agrees(const struct ends *e, const struct claims *reference, const struct claim *c,
		   bool *credited)
{
	struct moment src = nearest(e, c, false), dst = nearest(e, c, true);

	for (const struct end *s = src.first; dst.first && s && s < src.end; s++) {
		const struct claim *r = &reference->v[s->of];

		if (compare_places(s, src.first) || s->t != src.first->t)
			return false;
		if (credited[s->of] || r->handoff.dst_tid != dst.first->tid ||
		    r->handoff.dst_t != dst.first->t)
			continue;
		credited[s->of] = true;
		return true;
	}
	return false;
}

int audit_agree(const struct claims *c, const struct claims *reference, double *ret)
{
	bool *credited = calloc(reference->cnt + 1, sizeof(*credited));
	struct ends e;
	size_t joins = 0, right = 0;
	int rc = ends_open(reference, &e);

	if (!credited)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < reference->cnt; i++)
		joins += is_wanted(c, &reference->v[i]);
	for (size_t i = 0; !rc && i < c->cnt; i++)
		if (is_join(&c->v[i])) {
			joins++;
			right += agrees(&e, reference, &c->v[i], credited);
		}
	if (!rc)
		*ret = joins ? 2 * (double)right / (double)joins : 0;
	free(e.keyed);
	free(e.all);
	free(credited);
	return rc;
}
