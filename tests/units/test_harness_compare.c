/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs, p-values and the noise floor of two runs whose figures are known. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare.h"
#include "harness/plan.h"
#include "results/scores_csv.h"

static const struct compare_metric metrics[] = {{"handoff.context.f1", "declared"},
						{"stale.detection_rate", "all"}};

#define METRIC_CNT (sizeof(metrics) / sizeof(metrics[0]))

struct run {
	char dir[64];
	struct plan plan;
	struct scores_csv *csv;
};

static void run_open(struct run *r)
{
	char path[128];
	struct diag d = {0};

	*r = (struct run){.dir = "/tmp/assay-compare-XXXXXX"};
	cr_assert(ne(ptr, mkdtemp(r->dir), NULL));
	snprintf(path, sizeof(path), "%s/scores.csv", r->dir);
	cr_assert(zero(int, scores_csv_create(path, &r->csv, &d)));
}

static void put(struct run *r, enum cell_kind kind, const char *variant, const char *profiler,
		uint64_t seed, size_t metric, double value)
{
	struct cell c = {.kind = kind, .seed = seed};
	struct figure_row row = {.run = "r",
				 .workload = "pool",
				 .variant = variant,
				 .profiler = profiler,
				 .division = "attach",
				 .regime = "clean",
				 .binding = "stamped",
				 .seed = seed,
				 .metric = metrics[metric].metric,
				 .scope = metrics[metric].scope,
				 .has_value = true,
				 .value = value,
				 .n = 1,
				 .status = "ok"};
	struct diag d = {0};

	strcpy(c.workload, "pool");
	snprintf(c.variant, sizeof(c.variant), "%s", variant);
	snprintf(c.profiler, sizeof(c.profiler), "%s", profiler);
	strcpy(c.division, "attach");
	strcpy(c.regime, "clean");
	strcpy(c.binding, "stamped");
	strcpy(c.from, "-");
	strcpy(c.params, "-");
	cr_assert(zero(int, plan_add(&r->plan, &c, &d)), "%s", d.reason);
	row.cell = r->plan.v[r->plan.cnt - 1].name;
	cr_assert(zero(int, scores_csv_put(r->csv, &row, &d)), "%s", d.reason);
}

static void run_close(struct run *r)
{
	char path[128];
	struct diag d = {0};

	snprintf(path, sizeof(path), "%s/plan.tsv", r->dir);
	cr_assert(zero(int, plan_save(&r->plan, path, &d)), "%s", d.reason);
	cr_assert(zero(int, scores_csv_close(r->csv, &d)), "%s", d.reason);
	plan_free(&r->plan);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void run_remove(struct run *r)
{
	nftw(r->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A run of one profiler; its F1 is `base` and a wobble that every run has alike, plus `shift`. */
static void make_run(struct run *r, unsigned seeds, double shift, double jitter)
{
	run_open(r);
	for (unsigned s = 1; s <= seeds; s++)
		put(r, KIND_LIVE, "base", "p", s, 0,
		    0.5 + 0.01 * (s % 5) + shift + jitter * (s % 2 ? 1 : -1));
	run_close(r);
}

static void load(const char *word, struct compare_side *ret)
{
	struct diag d = {0};

	cr_assert(zero(int, compare_load(word, metrics, METRIC_CNT, ret, &d)), "%s", d.reason);
}

static void compare_runs(const struct run *a, const struct run *b, const struct run *noise,
			 struct comparisons *ret)
{
	struct compare_side x, y, z;
	struct diag d = {0};

	load(a->dir, &x);
	load(b->dir, &y);
	if (noise)
		load(noise->dir, &z);
	cr_assert(zero(int, compare_sides(&x, &y, noise ? &z : NULL, ret, &d)), "%s", d.reason);
	compare_side_free(&x);
	compare_side_free(&y);
	if (noise)
		compare_side_free(&z);
}

Test(harness_compare, tests_twelve_seeds_pair_by_pair)
{
	struct run a, b;
	struct comparisons c;

	make_run(&a, 12, 0, 0);
	make_run(&b, 12, -0.002, 0);
	compare_runs(&a, &b, NULL, &c);
	cr_assert(eq(sz, c.cnt, 1));
	cr_expect(eq(str, c.v[0].row, "pool p live"));
	cr_expect(eq(sz, c.v[0].pairs, 12));
	/* Far less than seeds differ among themselves, but in every pair: 2 of 2^12 patterns. */
	cr_assert(c.v[0].has_p);
	cr_expect(fabs(c.v[0].p - 2.0 / 4096) < 1e-12);
	cr_expect(fabs(c.v[0].b - c.v[0].a + 0.002) < 1e-12);
	cr_expect(comparison_differs(&c.v[0]));
	comparisons_free(&c);
	run_remove(&a);
	run_remove(&b);
}

Test(harness_compare, gives_ranges_alone_below_twelve_seeds)
{
	struct run a, b;
	struct comparisons c;

	make_run(&a, 11, 0, 0);
	make_run(&b, 12, -0.2, 0);
	compare_runs(&a, &b, NULL, &c);
	cr_assert(eq(sz, c.cnt, 1));
	cr_expect(eq(sz, c.v[0].pairs, 11));
	cr_expect(not(c.v[0].has_p));
	cr_expect(not(comparison_differs(&c.v[0])));
	cr_expect(fabs(c.v[0].a_lo - 0.5) < 1e-12 && fabs(c.v[0].a_hi - 0.54) < 1e-12);
	comparisons_free(&c);
	run_remove(&a);
	run_remove(&b);
}

Test(harness_compare, says_nothing_below_the_noise_of_a_second_run)
{
	struct run a, again, b, far;
	struct comparisons c;

	make_run(&a, 12, 0, 0);
	make_run(&again, 12, 0.004, 0.002);
	make_run(&b, 12, -0.003, 0);
	make_run(&far, 12, -0.05, 0);
	compare_runs(&a, &b, &again, &c);
	cr_assert(c.v[0].has_noise);
	cr_expect(gt(dbl, c.v[0].noise, 0.004));
	cr_expect(lt(dbl, c.v[0].noise, 0.006));
	cr_expect(lt(dbl, c.v[0].holm, 0.05));
	cr_expect(not(comparison_differs(&c.v[0])), "a gate would fire on what chance does");
	comparisons_free(&c);
	compare_runs(&a, &far, &again, &c);
	cr_expect(comparison_differs(&c.v[0]));
	comparisons_free(&c);
	run_remove(&a);
	run_remove(&again);
	run_remove(&b);
	run_remove(&far);
}

/* Who asks for a floor and has none of it must not have a gate fire on chance. */
Test(harness_compare, finds_no_difference_where_the_noise_is_not_known)
{
	for (unsigned seeds = 11; seeds <= 12; seeds++) {
		struct run a, again, far;
		struct comparisons c;

		make_run(&a, 12, 0, 0);
		make_run(&again, seeds, 0, 0);
		make_run(&far, 12, -0.05, 0);
		compare_runs(&a, &far, &again, &c);
		cr_assert(c.v[0].has_p);
		cr_expect(lt(dbl, c.v[0].holm, 0.05));
		cr_expect(eq(int, c.v[0].has_noise, seeds == 12));
		cr_expect(eq(int, comparison_differs(&c.v[0]), seeds == 12));
		comparisons_free(&c);
		run_remove(&a);
		run_remove(&again);
		run_remove(&far);
	}
}

/* Shares of a hundred quads can be tried exactly; a hundred that all differ cannot, and have
 * ranges, while the others keep their p. */
Test(harness_compare, tests_more_quads_than_patterns_could_be_counted_one_by_one)
{
	struct compare_side x, y;
	struct comparisons c;
	struct diag d = {0};
	char word[96];
	struct run r;

	run_open(&r);
	for (unsigned q = 1; q <= 100; q++) {
		snprintf(word, sizeof(word), "own-pool-%u-mutant", q);
		put(&r, KIND_LIVE, word, "wary", 1, 1, q <= 60);
		put(&r, KIND_LIVE, word, "trusting", 1, 1, 0);
		put(&r, KIND_LIVE, word, "graded", 1, 1, exp2(q / 101.0));
	}
	run_close(&r);
	for (unsigned graded = 0; graded < 2; graded++) {
		snprintf(word, sizeof(word), "%s:%s live", r.dir, graded ? "graded" : "wary");
		load(word, &x);
		snprintf(word, sizeof(word), "%s:trusting live", r.dir);
		load(word, &y);
		cr_assert(zero(int, compare_sides(&x, &y, NULL, &c, &d)), "%s", d.reason);
		cr_assert(eq(sz, c.cnt, 1));
		cr_expect(eq(sz, c.v[0].pairs, 100));
		cr_expect(eq(int, c.v[0].has_p, !graded));
		cr_expect(eq(int, c.v[0].too_many, graded));
		if (!graded)
			cr_expect(fabs(c.v[0].p * exp2(59) - 1) < 1e-9);
		comparisons_free(&c);
		compare_side_free(&x);
		compare_side_free(&y);
	}
	run_remove(&r);
}

/* A gate that took errors for gains would fire on the wrong side. */
Test(harness_compare, knows_which_figures_are_better_the_more_they_are)
{
	static const struct {
		const char *metric, *scope;
		int sense;
	} cases[] = {
		{"handoff.context.f1", "declared", 1},
		{"handoff.context.visible_recall", "declared", 1},
		{"handoff.context.false_join_rate", "declared", -1},
		{"handoff.context.spurious", "all", -1},
		{"handoff.context.claims", "all", 0},
		{"handoff.context.truth", "all", 0},
		{"event.identity.life_exactness", "all", 1},
		{"loss.explained_share", "all", 1},
		{"loss.in_gap_share", "all", -1},
		{"loss.missing", "all", -1},
		{"calibration.context.skill", "all", 1},
		{"calibration.context.reliability", "all", -1},
		{"calibration.context.resolution", "all", 1},
		{"calibration.context.uncertainty", "all", 0},
		{"cost.p99", "kind:cpu", -1},
		{"cost.unattributed_share", "kind:cpu", -1},
		{"profile.tv_distance", "thread:cpu", -1},
		{"profile.even_distance", "thread:cpu", 0},
		{"one_ended.joined", "all", -1},
		{"one_ended.named", "all", 1},
		{"event.identity.true_joins", "all", 0},
		{"stale.detection_rate", "all", 1},
		{"stale.false_alarm_rate", "all", -1},
		{"stale.matrix", "stale:kept", -1},
		{"stale.matrix", "stale:suspect", 1},
		{"stale.matrix", "valid:kept", 1},
		{"stale.matrix", "valid:stale", -1},
		{"diagnosis.coverage", "all", 1},
		{"diagnosis.time_to_label", "all", -1},
		{"handoff.cheating", "all", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(int, compare_sense(cases[i].metric, cases[i].scope), cases[i].sense),
			  "%s %s", cases[i].metric, cases[i].scope);
}

/* The unit is the mutation: three seeds of eleven quads are eleven pairs, not thirty-three. */
Test(harness_compare, takes_a_quad_for_one_pair_however_many_seeds_it_has)
{
	for (unsigned quads = 11; quads <= 12; quads++) {
		struct compare_side x, y;
		struct comparisons c;
		struct diag d = {0};
		char word[96];
		struct run r;

		run_open(&r);
		for (unsigned q = 1; q <= quads; q++)
			for (unsigned s = 1; s <= 3; s++) {
				snprintf(word, sizeof(word), "own-pool-%u-mutant", q);
				put(&r, KIND_LIVE, word, "wary", s, 1, s > 1);
				put(&r, KIND_LIVE, word, "trusting", s, 1, 0);
			}
		run_close(&r);
		snprintf(word, sizeof(word), "%s:wary live", r.dir);
		load(word, &x);
		snprintf(word, sizeof(word), "%s:trusting live", r.dir);
		load(word, &y);
		cr_assert(zero(int, compare_sides(&x, &y, NULL, &c, &d)));
		cr_assert(eq(sz, c.cnt, 1));
		cr_expect(eq(str, c.v[0].row, "mutants"));
		cr_expect(eq(sz, c.v[0].pairs, quads));
		cr_expect(eq(int, c.v[0].has_p, quads == 12));
		cr_expect(fabs(c.v[0].a - 2.0 / 3) < 1e-12);
		comparisons_free(&c);
		compare_side_free(&x);
		compare_side_free(&y);
		run_remove(&r);
	}
}

Test(harness_compare, says_what_is_not_there)
{
	struct compare_side x = {.cnt = 7};
	struct diag d = {0};
	char word[96];
	struct run r;

	make_run(&r, 2, 0, 0);
	snprintf(word, sizeof(word), "%s:nobody", r.dir);
	cr_expect(eq(int, compare_load(word, metrics, METRIC_CNT, &x, &d), -ENOENT));
	cr_expect(ne(chr, d.cure[0], '\0'));
	cr_expect(ne(ptr, strstr(d.reason, "p live"), NULL), "%s: who is there", d.reason);
	cr_expect(eq(int, compare_load("/nowhere", metrics, METRIC_CNT, &x, &d), -ENOENT));
	cr_expect(eq(sz, x.cnt, 7));
	snprintf(word, sizeof(word), "%s:p live", r.dir);
	load(word, &x);
	cr_expect(eq(sz, x.cnt, 2));
	compare_side_free(&x);
	run_remove(&r);
}
