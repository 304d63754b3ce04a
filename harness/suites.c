/* SPDX-License-Identifier: BSD-2-Clause */
/* The suites, as tables. */
#include <errno.h>
#include <string.h>

#include "harness/suite.h"
#include "lib/suggest.h"
#include "mutations/record.h"

/* Where threads, or functions, say all that there is to say. */
static const char *const sampled[] = {"affine", "flat", NULL};
static const char *const ceilings[] = {"oracle", "liar", NULL};
static const char *const readers[] = {"causal", "attach-only", "changed", NULL};
static const char *const binders[] = {"causal", "attach-only", NULL};
/* All handoffs in one, and resources: whoever attaches has something to say there. */
static const char *const shows_all[] = {"pipeline", "pool", NULL};
/* Tools that find sites by their names alone. */
static const char *const by_name[] = {"bpftrace-sites", "uftrace", NULL};
/* What has its cells elsewhere: is wrong on purpose, for an acceptance case, or is in by_name. */
static const char *const nowhere[] = {NULL};
static const struct suite_live everywhere[] = {
	{"causal", NULL, 0}, {"cpu", sampled, 0}, {NULL, NULL, 0}};
/* Half the operations are 5,000 handoffs (pool) and 30,000 (pipeline), enough for a row of a table.
 */
static const struct suite_live everywhere_and[] = {
	{"causal", NULL, 0},	       {"cpu", sampled, 0},
	{"sched-wakeup", nowhere, 0},  {"bpftrace-sites", nowhere, 0},
	{SUITE_OTHERS, shows_all, 50}, {NULL, NULL, 0}};
/* Loss that every workload's evidence is put through, by the profiler that must stay honest and by
 * the floors that cannot. Nobody tells: who is told of a loss need only say so again. */
static const char *const drops[] = {"drop:5:silent", "drop:20:silent", NULL};
static const char *const lossy[] = {"causal", "fifo", "pointer", NULL};
static const char *const guesses[] = {"fifo", "nearest", "pointer", "random", "thread", NULL};
/* A sampler, off-CPU time and all of it, where threads say all there is to say and where nothing
 * does: few and short runs, so that the least effect found is large, and said. */
static const char *const compared[] = {"causal", "cpu", "offcpu", NULL};
static const char *const compared_on[] = {"affine", "pool", NULL};
static const struct suite_overhead briefly = {
	.profilers = compared, .on = compared_on, .pairs = 4, .ms = 250};
static const struct suite_overhead at_length = {.pairs = 12, .closed = 4, .ms = 500, .bare = true};

static const struct suite smoke = {
	.name = "smoke",
	.summary = "every workload, a tenth of its operations: does everything work?",
	.op_percent = 10,
	.live = everywhere,
	.truth = ceilings,
	.quads = readers,
	.classes = 4,
	.quad_ops = 300,
};

static const struct suite standard = {
	.name = "default",
	.summary = "every workload joined by everything, causal live; a quad of each class",
	.op_percent = 100,
	.live = everywhere_and,
	.truth = ceilings,
	.quads = readers,
	.bound = binders,
	.regimes = drops,
	.lossy = lossy,
	.ill = binders,
	.overhead = &briefly,
	.hard = true,
	.classes = CLASS_CNT,
	.quad_ops = 800,
};

static const struct suite every_quad = {
	.name = "quads",
	.summary = "base, mutant and twin of every quad, and every workload unchanged: what is "
		   "known of stale contracts?",
	.op_percent = 40,
	.quads = readers,
	.renamed = by_name,
	.quad_ops = 800,
	.unchanged = true,
	.whole = true,
};

static const struct suite diagnoses = {
	.name = "diagnosis",
	.summary = "every workload, healthy and with all that it can suffer from, and every mutant "
		   "that only looks ill",
	.op_percent = 100,
	.quads = binders,
	.ill = binders,
	.every_lookalike = true,
	.quad_ops = 2000,
	.unchanged = true,
};

static const struct suite floors = {
	.name = "floors",
	.summary = "every workload joined by those who guess: what does guessing reach?",
	.op_percent = 100,
	.joins = guesses,
};

static const struct suite acceptance = {
	.name = "acceptance",
	.summary = "both versions of every acceptance case: is the naive reading wrong, and who "
		   "else is?",
	.op_percent = 40,
	.quads = readers,
	.quad_ops = 1200,
	.acceptance = true,
};

static const struct suite costs = {
	.name = "overhead",
	.summary = "every profiler that attaches, on every workload: what does watching cost?",
	.op_percent = 100,
	.overhead = &at_length,
	.overhead_only = true,
};

const struct suite *const suites[] = {&smoke,  &standard,   &every_quad, &diagnoses,
				      &floors, &acceptance, &costs,	 NULL};

const struct suite *suite_find(const char *name, struct diag *d)
{
	const char *names[16], *near;
	char cure[256] = "assay list suites";
	size_t cnt = 0;

	for (size_t i = 0; suites[i]; i++) {
		if (!strcmp(suites[i]->name, name))
			return suites[i];
		names[cnt++] = suites[i]->name;
	}
	near = suggest(name, names, cnt);
	if (near)
		snprintf(cure, sizeof(cure), "did you mean %s? (assay list suites)", near);
	diag_set(d, -ENOENT, NULL, 0, cure, "no suite is called %.64s", name);
	return NULL;
}
