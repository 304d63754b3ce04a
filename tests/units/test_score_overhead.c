/* SPDX-License-Identifier: BSD-2-Clause */
/* What watching costs: effects by hand, and pairs of which one is missing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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
	const struct overhead o = {.runs = v, .cnt = 5, .says = {-1, -1, -1, -1, -1}};

	cr_expect(fabs(figure(&o, "overhead.cpu_plain", "all") - 10000) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_added", "all") - 3500) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_added", "system") - 2000) < 1e-6);
	cr_expect(fabs(figure(&o, "overhead.cpu_share", "all") - 0.35) < 1e-9);
	cr_expect(isnan(figure(&o, "overhead.records", "all")), "nobody said how many");
	cr_expect(isnan(figure(&o, "overhead.truth_share", "all")), "there is no third arm");
}

Test(score_overhead, says_nothing_of_one_pair)
{
	struct overhead_run v[] = {{.arm = ARM_PLAIN, .ops = 10, .user = 1},
				   {.arm = ARM_WATCHED, .ops = 10, .user = 2}};
	const struct overhead o = {.runs = v, .cnt = 2, .says = {-1, -1, -1, -1, -1}};

	cr_expect(isnan(figure(&o, "overhead.cpu_added", "all")));
	cr_expect(isnan(figure(&o, "overhead.cpu_added_mde", "all")));
}

/* A profiler that works only where truth is: 4, 5, 6 µs an operation more. */
Test(score_overhead, flags_who_costs_more_where_truth_is)
{
	struct overhead_run v[9];
	struct overhead o = {.runs = v, .says = {-1, -1, -1, -1, -1}};

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
