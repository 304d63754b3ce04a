/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells that are made hard while they run: small buffers, late attach, pressure, candidates. */
#include <stdio.h>
#include <string.h>

#include "harness/suite_parts.h"

/* Those on which every installed profiler runs live, and one whose joins need more than the clock
 * of one CPU; candidates where the manifest has resources to copy. Half the operations are 5,000
 * handoffs of pool and 30,000 of pipeline, enough for a row of a table. */
static const struct {
	const char *regime, *workloads[4];
	unsigned op_percent; /* whoever comes late needs a run to come to */
} hard[] = {
	{"small-buffers", {"pool", "pipeline", NULL}, 50},
	{"late-attach", {"pool", "pipeline", NULL}, 100},
	{"pressure", {"pool", "pipeline", NULL}, 50},
	{"candidates:0.5", {"pool", "calls", "cache", NULL}, 100},
};
enum { HARD = sizeof(hard) / sizeof(hard[0]) };

static const char *const joiners[] = {"causal", "fifo", "pointer", NULL};
static const char *const believers[] = {"causal", "attach-only", NULL};

static void hard_cell(const struct filling *f, const struct workload *w, size_t i,
		      enum cell_kind kind, uint64_t seed, struct cell *ret)
{
	struct workload some = *w;

	some.ops = (some.ops * hard[i].op_percent + 99) / 100;
	suite_cell(f, &some, kind, seed, ret);
	snprintf(ret->regime, sizeof(ret->regime), "%s", hard[i].regime);
}

static int add_recording(struct filling *f, const struct workload *w, size_t i, uint64_t seed)
{
	bool candidates = !strncmp(hard[i].regime, "candidates", 10);
	char from[CELL_NAME_LEN];
	struct cell c;
	int rc;

	hard_cell(f, w, i, KIND_RECORD, seed, &c);
	strcpy(c.profiler, "collector");
	rc = plan_add(f->plan, &c, f->d);
	if (rc)
		return rc;
	memcpy(from, f->plan->v[f->plan->cnt - 1].name, CELL_NAME_LEN);
	return suite_joins(f, &c, candidates ? believers : joiners, NULL, from);
}

/* Those who run on everything. */
static bool is_everywhere(const struct suite_live *row)
{
	return !row->on;
}

static int add_lives(struct filling *f, const struct workload *w, size_t i, uint64_t seed)
{
	struct cell c;

	hard_cell(f, w, i, KIND_LIVE, seed, &c);
	return suite_lives(f, &c, is_everywhere);
}

int suite_hard(struct filling *f, uint64_t seed)
{
	int rc = 0;

	if (f->o->reference)
		return 0;
	for (size_t i = 0; !rc && i < HARD; i++)
		for (size_t k = 0; !rc && hard[i].workloads[k]; k++) {
			const struct workload *w;

			if (programs_workload(f->programs, hard[i].workloads[k], &w, NULL) ||
			    w->trouble.err)
				continue;
			rc = add_recording(f, w, i, seed);
			if (!rc && strncmp(hard[i].regime, "candidates", 10) != 0)
				rc = add_lives(f, w, i, seed);
		}
	return rc;
}
