/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of truth by id, and their wall time. */
#include "scoring/ops.h"

#include <errno.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/scope.h"

static int id_cmp(const void *pa, const void *pb)
{
	const struct op_id *a = pa, *b = pb;

	return CMP3(a->id, b->id);
}

int op_index_make(const struct truth *t, struct op_index *ret)
{
	struct op_id *v = array_new(t->ops_cnt, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < t->ops_cnt; i++)
		v[i] = (struct op_id){.id = t->ops[i].id, .i = (uint32_t)i};
	qsort(v, t->ops_cnt, sizeof(*v), id_cmp);
	*ret = (struct op_index){.v = v, .cnt = t->ops_cnt};
	return 0;
}

void op_index_free(struct op_index *x)
{
	free(x->v);
}

uint32_t op_index_find(const struct op_index *x, uint64_t id)
{
	struct op_id key = {.id = id};
	const struct op_id *hit = bsearch(&key, x->v, x->cnt, sizeof(key), id_cmp);

	return hit ? hit->i : SCOPE_NONE;
}

bool op_scored(const struct truth *t, const struct truth_op *op)
{
	return op->has_begin && window_scored(t, &op->begin) &&
	       (!op->has_end || window_scored(t, &op->end));
}

bool op_wall(const struct truth *t, const struct truth_op *op, long double *ret_lo,
	     long double *ret_hi)
{
	if (!op_scored(t, op) || !op->has_end || op->open)
		return false;
	*ret_lo = (long double)op->end.t0 - (long double)op->begin.t1;
	*ret_hi = (long double)op->end.t1 - (long double)op->begin.t0;
	return true;
}
