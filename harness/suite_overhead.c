/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that measure what watching costs. */
#include <stdio.h>
#include <string.h>

#include "harness/suite_parts.h"

static bool has(const char *const *list, const char *name)
{
	while (list && *list && strcmp(*list, name) != 0)
		list++;
	return !list || *list;
}

/* Strangers are measured wherever anybody is: somebody wants to know. A profiler whose describe
 * failed keeps its cell, which then says so. */
static bool is_measured(const struct filling *f, const struct profiler *p)
{
	bool attaches = p->launch & (LAUNCH_ATTACH | LAUNCH_ENV);

	if (!strcmp(p->division, "none")) /* floors */
		return false;
	return suite_is_stranger(f, p) ? attaches || p->trouble.err
				       : has(f->suite->overhead->profilers, p->name) && attaches;
}

static int add_cell(struct filling *f, const struct workload *w, const struct profiler *p,
		    uint64_t seed)
{
	const struct suite_overhead *o = f->suite->overhead;
	struct cell c;

	suite_cell(f, w, KIND_OVERHEAD, seed, &c);
	snprintf(c.profiler, sizeof(c.profiler), "%s", suite_is_stranger(f, p) ? p->path : p->name);
	memcpy(c.division, p->division, sizeof(c.division));
	snprintf(c.params, sizeof(c.params),
		 "pairs=%u closed=%u ms=%u bare=%u rate=%llu workers=%llu queue_depth=%llu "
		 "fanout=%llu",
		 o->pairs, o->closed, o->ms, o->bare, (unsigned long long)w->rate,
		 (unsigned long long)w->workers, (unsigned long long)w->queue_depth,
		 (unsigned long long)w->fanout);
	return plan_add(f->plan, &c, f->d);
}

int suite_overhead(struct filling *f, uint64_t seed)
{
	const struct programs *t = f->programs;
	int rc = 0;

	if (f->o->reference)
		return 0;
	for (size_t w = 0; !rc && w < t->workloads_cnt; w++) {
		if (!has(f->suite->overhead->on, t->workloads[w].name))
			continue;
		for (size_t i = 0; !rc && i < t->profilers_cnt; i++)
			if (is_measured(f, &t->profilers[i]))
				rc = add_cell(f, &t->workloads[w], &t->profilers[i], seed);
	}
	return rc;
}
