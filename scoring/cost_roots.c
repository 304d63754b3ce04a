/* SPDX-License-Identifier: BSD-2-Clause */
/* Which operation the root of a cost claim means. */
#include "scoring/attribution.h"

#include <errno.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/heap.h"

struct root {
	uint64_t t;
	uint32_t tid, i; /* index of the claim or of the operation */
};

static int root_cmp(const void *pa, const void *pb)
{
	const struct root *a = pa, *b = pb;

	if (a->tid != b->tid)
		return CMP3(a->tid, b->tid);
	if (a->t != b->t)
		return CMP3(a->t, b->t);
	return CMP3(a->i, b->i);
}

static size_t op_begins(const struct truth *t, struct root *ret)
{
	size_t cnt = 0;

	for (size_t i = 0; i < t->ops_cnt; i++)
		if (t->ops[i].has_begin)
			ret[cnt++] = (struct root){.t = t->ops[i].begin.t0,
						   .tid = t->ops[i].begin_tid,
						   .i = (uint32_t)i};
	qsort(ret, cnt, sizeof(*ret), root_cmp);
	return cnt;
}

static size_t claim_roots(const struct claims *c, struct root *ret)
{
	size_t cnt = 0;

	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_COST && c->v[i].has & HAS_SRC)
			ret[cnt++] = (struct root){.t = c->v[i].cost.root_t,
						   .tid = c->v[i].cost.root_tid,
						   .i = (uint32_t)i};
	qsort(ret, cnt, sizeof(*ret), root_cmp);
	return cnt;
}

/* Of the begin windows that hold the root's time, the first in truth: a heap by truth's order,
 * from whose top windows that have ended are dropped. */
static void sweep(const struct truth *t, const struct root *ops, size_t ops_cnt,
		  const struct root *roots, size_t roots_cnt, struct heap *open, uint32_t *ret)
{
	size_t next = 0;

	for (size_t i = 0; i < roots_cnt; i++) {
		const struct root *r = &roots[i];

		if (i && roots[i - 1].tid != r->tid)
			open->cnt = 0;
		for (; next < ops_cnt &&
		       (ops[next].tid < r->tid || (ops[next].tid == r->tid && ops[next].t <= r->t));
		     next++)
			if (ops[next].tid == r->tid)
				heap_push(open,
					  (struct heap_item){.key = ops[next].i, .i = ops[next].i});
		while (open->cnt && t->ops[open->v[0].i].begin.t1 < r->t)
			heap_pop(open);
		if (open->cnt)
			ret[r->i] = open->v[0].i;
	}
}

int cost_roots(const struct truth *t, const struct claims *c, uint32_t *ret)
{
	struct root *ops = array_new(t->ops_cnt, sizeof(*ops));
	struct root *roots = array_new(claims_count(c, CLAIM_COST), sizeof(*roots));
	struct heap open = {.v = array_new(t->ops_cnt, sizeof(*open.v))};
	int err = -ENOMEM;

	for (size_t i = 0; i < c->cnt; i++)
		ret[i] = SCOPE_NONE;
	if (ops && roots && open.v) {
		size_t ops_cnt = op_begins(t, ops), roots_cnt = claim_roots(c, roots);

		sweep(t, ops, ops_cnt, roots, roots_cnt, &open, ret);
		err = 0;
	}
	free(ops);
	free(roots);
	free(open.v);
	return err;
}
