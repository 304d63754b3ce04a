/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions cost: what the workload says, summed over its threads, under their names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "groundtruth/collect_join.h"

struct sum {
	uint64_t addr, ns;
};

static int by_addr(const void *pa, const void *pb)
{
	const struct sum *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int emit(struct collect *x, const struct sum *s)
{
	const char *name = x->info->function_at(x->info->program, s->addr);
	struct truth_cost c = {.v = s->ns, .of = COST_OF_FUNCTION};
	int64_t function, kind;

	if (!name)
		return diag_set(x->d, -EINVAL, "", 0,
				"do not strip the program; else its recording is at fault",
				"no function of the program lies at 0x%llx, which costs",
				(unsigned long long)s->addr);
	function = truth_build_str(&x->b, name, strlen(name));
	kind = truth_build_str(&x->b, "cpu", 3);
	if (function < 0 || kind < 0)
		return collect_fault(x, -ENOMEM);
	c.name_str = (uint32_t)function;
	c.kind_str = (uint32_t)kind;
	return truth_build_record(&x->b, ARRAY_COSTS, REC_COST, &c) ? collect_fault(x, -ENOMEM) : 0;
}

static int emit_all(struct collect *x, struct sum *v, size_t cnt)
{
	int err = 0;

	qsort(v, cnt, sizeof(*v), by_addr);
	for (size_t i = 0, next; !err && i < cnt; i = next) {
		struct sum all = {.addr = v[i].addr};

		for (next = i; next < cnt && v[next].addr == all.addr; next++)
			all.ns += v[next].ns;
		err = emit(x, &all);
	}
	return err;
}

int collect_functions(struct collect *x)
{
	struct sum *v = x->known_cnt ? malloc(x->known_cnt * sizeof(*v)) : NULL;
	size_t cnt = 0;
	int err = 0;

	if (x->known_cnt && !v)
		return collect_fault(x, -ENOMEM);
	for (size_t i = 0; i < x->known_cnt; i++)
		if (x->known[i]->type == LOG_COST_FUNCTION)
			v[cnt++] = (struct sum){x->known[i]->scope, x->known[i]->v};
	if (cnt && x->info->function_at)
		err = emit_all(x, v, cnt);
	free(v);
	return err;
}
