/* SPDX-License-Identifier: BSD-2-Clause */
/* A certificate from nothing, and what it rests on. */
#include "harness/certify.h"

#include <sys/resource.h>

#include "harness/certify_run.h"
#include "harness/certify_static.h"
#include "lib/hash.h"
#include "mutations/build.h"

/* The steps look at this: raise it where they look at something else. */
static const uint64_t CERTIFY_VERSION = 4;

int certify_hash(const struct certifier *c, const struct mutation *m, uint64_t *ret, struct diag *d)
{
	uint64_t sum, inputs = 0;
	int rc = mutation_hash(m, &sum, d);

	sum = hash_u64(c->repeats * 1000003 + c->least, rc ? 0 : sum + CERTIFY_VERSION);
	for (uint32_t i = 0; !rc && i < m->workloads_cnt; i++) {
		rc = build_inputs_hash(c->house, m->workloads[i], &inputs, d);
		sum = hash_u64(inputs, sum);
	}
	if (!rc)
		*ret = sum;
	return rc;
}

/* Who may not go back stays where it is: it is no root and runs nothing under a collector. */
static int build_and_look(const struct certifier *c, const struct mutation *m, const char *workload,
			  struct certificate *v, struct diag *d)
{
	int usual = getpriority(PRIO_PROCESS, 0), rc;

	setpriority(PRIO_PROCESS, 0, usual + c->build_nice);
	rc = certify_static(c, m, workload, v, d);
	setpriority(PRIO_PROCESS, 0, usual);
	return rc;
}

/* On one workload, as far as it gets. */
static int certify_on(const struct certifier *c, const struct mutation *m, const char *workload,
		      struct certificate *v, struct diag *d)
{
	int rc = 0;

	if (certificate_failed(v) != STEP_CNT || v->state[STEP_COMPILES] == STEP_UNCHECKED)
		return 0;
	v->state[STEP_LEAKS] = STEP_OPEN; /* of another workload */
	rc = build_and_look(c, m, workload, v, d);
	if (rc || certificate_failed(v) != STEP_CNT || v->state[STEP_COMPILES] == STEP_UNCHECKED)
		return rc;
	return certify_runs(c, m, workload, v, d);
}

int certify(const struct certifier *c, const struct mutation *m, struct certificate *ret,
	    struct diag *d)
{
	struct certificate v = {.hash = 0};
	int rc = certify_hash(c, m, &v.hash, d);

	for (uint32_t i = 0; !rc && i < m->workloads_cnt; i++)
		rc = certify_on(c, m, m->workloads[i], &v, d);
	if (!rc)
		*ret = v;
	return rc;
}
