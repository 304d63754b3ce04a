/* SPDX-License-Identifier: BSD-2-Clause */
/* What watching costs: effects by hand, and pairs of which one is missing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lib/vocab.h"
#include "scoring/overhead.h"
#include "scoring/statistics.h"

/* Student's table: t(0.975, 3) = 3.182446, t(0.80, 3) = 0.978472, t(0.975, 1) = 12.7062. */
Test(score_overhead, knows_students_table)
{
	cr_expect(fabs(student_quantile(0.975, 3) - 3.182446) < 1e-5);
	cr_expect(fabs(student_quantile(0.80, 3) - 0.978472) < 1e-5);
	cr_expect(fabs(student_quantile(0.975, 1) - 12.7062) < 1e-3);
	cr_expect(fabs(student_quantile(0.025, 3) + 3.182446) < 1e-5);
}

/* 1, 2, 3, 6: mean 3, s² = (4 + 1 + 0 + 9)/3 = 14/3, s/√4 = 1.080123. */
Test(score_overhead, reckons_an_effect_with_what_could_have_been_seen)
{
	const double v[] = {1, 2, 3, 6};
	struct effect e;

	cr_assert(effect_of(v, 4, &e));
	cr_expect(fabs(e.mean - 3) < 1e-12);
	cr_expect(fabs(e.hi - e.mean - (3.182446 * 1.080123)) < 1e-4);
	cr_expect(fabs(e.mean - e.lo - (3.182446 * 1.080123)) < 1e-4);
	cr_expect(fabs(e.mde - ((3.182446 + 0.978472) * 1.080123)) < 1e-4);
	cr_expect(fabs(e.p - (2.0 / 16)) < 1e-12, "all of one sign: one pattern and its mirror");
	cr_expect(!effect_of(v, 1, &e), "one pair has no effect");
}

struct wanted {
	const char *metric, *scope;
	bool has;
	double value;
};

static int keep(const struct overhead_figure *f, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(f->metric, w->metric) || strcmp(f->scope, w->scope))
		return 0;
	w->has = f->has;
	w->value = f->value;
	return 0;
}

static double figure(const struct overhead *o, const char *metric, const char *scope)
{
	struct wanted w = {.metric = metric, .scope = scope};

	cr_assert(!overhead_each(o, keep, &w));
	return w.has ? w.value : NAN;
}

/* 100 operations of 10 µs; watched they take 11 and 13 µs, and the profiler 2 and 1 of its own. */
Test(score_overhead, adds_what_the_workload_and_the_profiler_use_more)
{
	struct overhead_run v[] = {
		{.arm = ARM_PLAIN, .pair = 0, .ops = 100, .user = 1e-3},
		{.arm = ARM_WATCHED,
		 .pair = 0,
		 .ops = 100,
		 .user = 1e-3,
		 .system = 1e-4,
		 .watch = 2e-4},
		{.arm = ARM_WATCHED,
		 .pair = 1,
		 .ops = 100,
		 .user = 1e-3,
		 .system = 3e-4,
		 .watch = 1e-4},
		{.arm = ARM_PLAIN, .pair = 1, .ops = 100, .user = 1e-3},
		{.arm = ARM_WATCHED, .pair = 2, .ops = 100, .user = 9}, /* has no partner */
	};
	const struct overhead o = {.runs = v, .cnt = 5, .seen = OVERHEAD_SEEN_NOTHING};

	cr_expect(fabs(figure(&o, "overhead.cpu_plain", "all") - 10000) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_added", "all") - 3500) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_added", "system") - 2000) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_share", "all") - 0.35) < 1e-9);
	cr_expect(isnan(figure(&o, "overhead.lost", "all")), "nobody looked");
	cr_expect(isnan(figure(&o, "overhead.sites_share", "all")), "of no sites");
	cr_expect(isnan(figure(&o, "overhead.truth_share", "all")), "there is no third arm");
}

Test(score_overhead, says_nothing_of_one_pair)
{
	struct overhead_run v[] = {{.arm = ARM_PLAIN, .ops = 10, .user = 1},
				   {.arm = ARM_WATCHED, .ops = 10, .user = 2}};
	const struct overhead o = {.runs = v, .cnt = 2, .seen = OVERHEAD_SEEN_NOTHING};

	cr_expect(isnan(figure(&o, "overhead.cpu_added", "all")));
	cr_expect(isnan(figure(&o, "overhead.cpu_added_mde", "all")));
}

/* A profiler that works only where truth is: 4, 5, 6 µs an operation more. */
Test(score_overhead, flags_who_costs_more_where_truth_is)
{
	struct overhead_run v[9];
	struct overhead o = {.runs = v, .seen = OVERHEAD_SEEN_NOTHING};

	for (uint32_t i = 0; i < 3; i++) {
		v[o.cnt++] = (struct overhead_run){.pair = i, .ops = 100, .user = 1e-3};
		v[o.cnt++] = (struct overhead_run){.arm = ARM_WATCHED,
						   .pair = i,
						   .ops = 100,
						   .user = 1e-3,
						   .watch = (5 + i) * 1e-4};
		v[o.cnt++] = (struct overhead_run){
			.arm = ARM_BARE, .pair = i, .ops = 100, .user = 1e-3, .watch = 1e-4};
	}
	cr_expect(fabs(figure(&o, "overhead.flagged", "all") - 1) < 1e-12);
	for (size_t i = 0; i < o.cnt; i++)
		v[i].watch = v[i].arm == ARM_PLAIN ? 0 : (1 + v[i].pair) * 1e-4;
	cr_expect(fabs(figure(&o, "overhead.flagged", "all") - 0) < 1e-12);
}

static struct overhead_run two_pairs[] = {
	{.pair = 0, .ops = 100, .user = 1e-3, .kernel = 1e-4, .p50_ns = 100, .p99_ns = 1000},
	{.pair = 1, .ops = 100, .user = 1e-3, .kernel = 1e-4, .p50_ns = 100, .p99_ns = 1000},
	{.arm = ARM_WATCHED,
	 .pair = 0,
	 .ops = 100,
	 .user = 1.2e-3,
	 .system = 1e-4,
	 .kernel = 2e-4,
	 .watch = 2e-4,
	 .drain = 1e-4,
	 .attach = 0.5,
	 .load = 0.25,
	 .p50_ns = 150,
	 .p99_ns = 1300,
	 .peak_bytes = 1000},
	{.arm = ARM_WATCHED,
	 .pair = 1,
	 .ops = 100,
	 .user = 1.4e-3,
	 .system = 3e-4,
	 .kernel = 4e-4,
	 .watch = 4e-4,
	 .drain = 3e-4,
	 .attach = 0.7,
	 .load = 0.35,
	 .p50_ns = 250,
	 .p99_ns = 1500,
	 .peak_bytes = 3000},
	{.arm = ARM_BARE, .pair = 0, .ops = 100, .user = 1.1e-3, .watch = 2e-4, .drain = 1e-4},
	{.arm = ARM_BARE, .pair = 1, .ops = 100, .user = 1.3e-3, .watch = 4e-4, .drain = 3e-4},
	{.pair = 0, .closed = true, .ops = 100, .wall = 1},
	{.pair = 1, .closed = true, .ops = 100, .wall = 1},
	{.arm = ARM_WATCHED, .pair = 0, .closed = true, .ops = 100, .wall = 1.25},
	{.arm = ARM_WATCHED, .pair = 1, .closed = true, .ops = 100, .wall = 1.25},
};

static const struct wanted by_hand[] = {
	{"overhead.cpu_plain", "all", true, 10000},
	{"overhead.cpu_added", "all", true, 10000},
	{"overhead.cpu_added", "application", true, 3000},
	{"overhead.cpu_added", "system", true, 2000},
	{"overhead.cpu_added", "kernel-threads", true, 2000},
	{"overhead.cpu_added", "profiler", true, 3000},
	{"overhead.cpu_added", "drain", true, 2000},
	{"overhead.cpu_share", "all", true, 1},
	{"overhead.latency_plain", "p50", true, 100},
	{"overhead.latency_plain", "p99", true, 1000},
	{"overhead.latency_added", "p50", true, 100},
	{"overhead.latency_added", "p99", true, 400},
	{"overhead.capacity_plain", "all", true, 100},
	{"overhead.capacity_lost", "all", true, 0.2},
	{"overhead.capacity_lost_mde", "all", true, 0},
	{"overhead.truth_share", "all", true, 0.3},
	{"overhead.arms_differ", "profiler", true, 0},
	{"overhead.flagged", "all", true, 0},
	{"overhead.programs", "uprobe", true, 2},
	{"overhead.hits", "uprobe", true, 2},
	{"overhead.hits_of_others", "uprobe", true, 0.5},
	{"overhead.ns_a_hit", "uprobe", true, 800},
	{"overhead.hits", "sample", false, 0},
	{"overhead.uncounted", "all", true, 0},
	{"overhead.empty_ns", "uprobe", true, 600},
	{"overhead.empty_ns", "sample", false, 0},
	{"overhead.empty_ns", "other", false, 0},
	{"overhead.hits", "other", true, 1},
	{"overhead.counted", "entering", true, 1200},
	{"overhead.counted", "programs", true, 400},
	{"overhead.counted", "profiler", true, 5000},
	{"overhead.counted", "all", true, 6600},
	{"overhead.counted_share", "all", true, 0.66},
	{"overhead.load_ns", "all", true, 0.3e9},
	{"overhead.attach_cpu_ns", "all", true, 0.6e9},
	{"overhead.peak_bytes", "all", true, 2000},
	{"overhead.sites", "all", true, 10},
	{"overhead.sites_attached", "all", true, 9},
	{"overhead.declares", "handoff:wake", true, 1},
	{"overhead.declares", "profile", false, 0},
	{"overhead.sites_share", "all", true, 0.9},
	{"overhead.probes", "all", true, 12},
	{"overhead.ring_bytes", "all", true, 32},
	{"overhead.kernel_bytes", "all", true, 4096},
	{"overhead.claims", "all", true, 7},
	{"overhead.claims_bytes", "all", true, 700},
	{"overhead.lost", "all", true, 6},
};

Test(score_overhead, gives_every_figure_of_two_pairs_by_hand)
{
	struct overhead o = {.runs = two_pairs,
			     .cnt = sizeof(two_pairs) / sizeof(two_pairs[0]),
			     .declares = 1u << HANDOFF_WAKE,
			     .counted = true,
			     .counted_ops = 100,
			     .seen = {12, 10, 9, 3200, 4096, 7, 700, 6}};

	for (unsigned i = 0; i < OVERHEAD_CLASS_CNT; i++)
		o.hits[i].empty_ns = -1;
	o.hits[CLASS_UPROBE] = (struct overhead_hits){2, 200, 40000, 50, 600};
	o.hits[CLASS_OTHER] = (struct overhead_hits){1, 100, 5e6, 0, 0};
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		struct wanted w = {.metric = by_hand[i].metric, .scope = by_hand[i].scope};

		cr_assert(!overhead_each(&o, keep, &w));
		cr_expect(w.has == by_hand[i].has, "%s %s", w.metric, w.scope);
		cr_expect(fabs(w.value - by_hand[i].value) < 1e-6 * (1 + by_hand[i].value),
			  "%s %s: %g", w.metric, w.scope, w.value);
	}
	o.hits[CLASS_UPROBE].empty_ns = -1;
	cr_expect(fabs(figure(&o, "overhead.uncounted", "all") - 1) < 1e-12);
	cr_expect(fabs(figure(&o, "overhead.counted", "all") - 5400) < 1e-9);
	o.hits[CLASS_UPROBE] = (struct overhead_hits){.empty_ns = -1};
	cr_expect(fabs(figure(&o, "overhead.uncounted", "all") - 1) < 1e-12, "nothing was seen");
}

static int keep_range(const struct overhead_figure *f, void *arg)
{
	double *ret = arg;

	if (!strcmp(f->metric, "overhead.peak_bytes")) {
		ret[0] = f->lo;
		ret[1] = f->hi;
	}
	return 0;
}

static int stop(const struct overhead_figure *f, void *arg)
{
	(void)f;
	++*(int *)arg;
	return 7;
}

Test(score_overhead, tells_ranges_and_stops_when_told)
{
	const struct overhead o = {.runs = two_pairs, .cnt = 4, .seen = OVERHEAD_SEEN_NOTHING};
	double range[2] = {0, 0};
	int calls = 0;

	cr_assert(!overhead_each(&o, keep_range, range));
	cr_expect(fabs(range[0] - 1000) < 1e-9 && fabs(range[1] - 3000) < 1e-9);
	cr_expect(overhead_each(&o, stop, &calls) == 7);
	cr_expect(calls == 1);
}

Test(score_overhead, knows_its_words)
{
	cr_expect(overhead_arm_parse("bare") == ARM_BARE);
	cr_expect(overhead_class_parse("sample") == CLASS_SAMPLE);
	cr_expect(overhead_arm_parse("x") == -1);
	cr_expect(!strcmp(overhead_arm_name(ARM_WATCHED), "watched"));
	cr_expect(!strcmp(overhead_arm_name(ARM_CNT), "?"));
	cr_expect(!strcmp(overhead_class_name(CLASS_OTHER), "other"));
	cr_expect(!strcmp(overhead_class_name(OVERHEAD_CLASS_CNT), "?"));
}
