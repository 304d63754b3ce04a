/* SPDX-License-Identifier: BSD-2-Clause */
/* A certificate from nothing, and what it rests on. */
#include "harness/certify.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/certify_run.h"
#include "harness/certify_static.h"
#include "lib/files.h"
#include "lib/hash.h"
#include "mutations/build.h"

/* The steps look at this: raise it where they look at something else. */
static const uint64_t CERTIFY_VERSION = 5;

static int hash_file(const char *path, uint64_t *sum, struct diag *d)
{
	char *bytes;
	size_t len;
	int rc = file_read(path, 64 << 20, &bytes, &len, d);

	if (rc == -ENOENT)
		return 0;
	if (rc)
		return rc;
	*sum = hash_bytes(bytes, len, *sum);
	free(bytes);
	return 0;
}

int certify_tools(struct certifier *c, struct diag *d)
{
	static const char *const names[] = {"attach-only", "causal"};
	const struct profiler *p;
	uint64_t sum = 0;
	int rc = hash_file(c->house->library, &sum, d);

	if (!rc && c->programs->collector[0])
		rc = hash_file(c->programs->collector, &sum, d);
	for (size_t i = 0; !rc && i < sizeof(names) / sizeof(names[0]); i++)
		if (!programs_profiler(c->programs, names[i], &p, NULL))
			rc = hash_file(p->path, &sum, d);
	if (!rc)
		c->tools = sum;
	return rc;
}

int certify_hash(const struct certifier *c, const struct mutation *m, uint64_t *ret, struct diag *d)
{
	uint64_t sum, inputs = 0;
	int rc = mutation_hash(m, &sum, d);

	sum = hash_u64(c->repeats * 1000003 + c->least, rc ? 0 : sum + CERTIFY_VERSION);
	sum = hash_u64(c->tools, sum);
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
