/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures over cells: what a quad is, who counts, what the intervals are over. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/summary.h"
#include "scoring/statistics.h"

static struct run_quad quads[] = {
	{"null-pool-1", "NULL", "certified", false}, {"own-pool-1", "OWN", "witnessed", true},
	{"own-pool-2", "OWN", "witnessed", true},    {"side-pool-1", "SIDE", "certified", false},
	{"unit-pool-1", "UNIT", "witnessed", true},
};

static const struct run_quads known = {.v = quads, .cnt = sizeof(quads) / sizeof(quads[0])};

/* What a cell scored: resources that are stale or valid and were kept or called stale. */
struct scored {
	const char *variant;
	uint64_t seed;
	double stale_kept, stale_stale, valid_kept, valid_stale;
	double detected, localised, alarms;
	double latency; /* of its stale resource, in events; < 0: there is none */
	bool censored;
	double forecast, came_true; /* ten forecasts of one value, the share that came true */
	enum cell_state state;
	const char *binding; /* NULL: stamped */
};

struct table {
	struct cell cells[64];
	size_t cnt;
	struct summary *summary;
	char path[64];
};

static void add(struct table *t, const struct cell *c, enum cell_state state, const char *metric,
		const char *scope, double value, uint64_t n)
{
	struct score_figure f = {.value = value, .has = true, .n = n};

	snprintf(f.metric, sizeof(f.metric), "%s", metric);
	snprintf(f.scope, sizeof(f.scope), "%s", scope);
	cr_assert(zero(int, summary_add(t->summary, c, state, &f)));
}

static void add_cell(struct table *t, const struct scored *s)
{
	const struct {
		const char *metric, *scope;
		double v;
	} figures[] = {
		{"stale.matrix", "stale:kept", s->stale_kept},
		{"stale.matrix", "stale:stale", s->stale_stale},
		{"stale.matrix", "valid:kept", s->valid_kept},
		{"stale.matrix", "valid:stale", s->valid_stale},
		{"stale.detected", "all", s->detected},
		{"stale.localised", "all", s->localised},
		{"stale.false_alarms", "all", s->alarms},
		{"handoff.context.f1", "declared", 0.5 + 0.01 * (double)s->seed},
	};
	struct cell *c = &t->cells[t->cnt++];
	char scope[32];

	*c = (struct cell){.kind = KIND_JOIN, .seed = s->seed};
	strcpy(c->workload, "pool");
	snprintf(c->variant, sizeof(c->variant), "%s", s->variant);
	strcpy(c->profiler, "wary");
	strcpy(c->division, "attach");
	strcpy(c->regime, "clean");
	snprintf(c->binding, sizeof(c->binding), "%s", s->binding ? s->binding : "stamped");
	snprintf(c->name, sizeof(c->name), "%s.%d", s->variant, (int)s->seed);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		add(t, c, s->state, figures[i].metric, figures[i].scope, figures[i].v, 1);
	if (s->latency >= 0 && s->stale_kept + s->stale_stale > 0) {
		add(t, c, s->state, "stale.resource.censored", "resource:r", s->censored, 1);
		add(t, c, s->state, "stale.resource.latency_events", "resource:r", s->latency, 1);
	}
	snprintf(scope, sizeof(scope), "forecast:%g", s->forecast);
	add(t, c, s->state, "calibration.p_stale.came_true", scope, s->came_true, 10);
}

static void make_of(struct table *t, const struct scored *v, size_t cnt, bool undated)
{
	struct scores_csv *csv;
	struct diag d = {0};

	*t = (struct table){.path = "/tmp/assay-summary-XXXXXX"};
	close(mkstemp(t->path));
	t->summary = summary_new();
	for (size_t i = 0; i < cnt; i++) {
		add_cell(t, &v[i]);
		if (undated)
			add(t, &t->cells[i], v[i].state, "cell.undated", "all", 1, 1);
	}
	cr_assert(zero(int, scores_csv_create(t->path, &csv, &d)));
	cr_assert(zero(int, summary_write(t->summary, &known, "r", csv, &d)), "%s", d.reason);
	cr_assert(zero(int, scores_csv_close(csv, &d)));
	summary_free(t->summary);
}

static void make(struct table *t, const struct scored *v, size_t cnt)
{
	make_of(t, v, cnt, false);
}

struct wanted {
	const char *metric, *scope, *workload;
	struct figure_row found;
	size_t cnt;
};

static int look(const struct figure_row *r, void *arg)
{
	struct wanted *w = arg;

	cr_expect(eq(str, (char *)r->cell, "-"));
	cr_expect(zero(ulong, r->seed));
	if (strcmp(r->metric, w->metric) || strcmp(r->scope, w->scope) ||
	    (w->workload && strcmp(r->workload, w->workload)))
		return 0;
	w->found = *r;
	w->cnt++;
	return 0;
}

/* The only line of that figure; cnt 0: there is none. */
static struct wanted line(const struct table *t, const char *metric, const char *scope)
{
	struct wanted w = {.metric = metric, .scope = scope};
	struct diag d = {0};

	cr_assert(zero(int, scores_csv_read(t->path, look, &w, &d)), "%s", d.reason);
	cr_assert(le(sz, w.cnt, 1));
	return w;
}

static void expect_share(const struct table *t, const char *metric, const char *scope, uint64_t k,
			 uint64_t n)
{
	struct wanted w = line(t, metric, scope);
	struct interval r = exact_interval(k, n, 0.95);

	cr_assert(eq(sz, w.cnt, 1), "%s %s is missing", metric, scope);
	cr_expect(eq(ulong, w.found.n, n), "%s %s", metric, scope);
	if (!n)
		return;
	cr_expect(fabs(w.found.value - (double)k / (double)n) < 1e-12, "%s %s is %g", metric, scope,
		  w.found.value);
	cr_expect(w.found.has_interval && fabs(w.found.lo - r.lo) < 1e-12 &&
			  fabs(w.found.hi - r.hi) < 1e-12,
		  "%s %s is %g..%g", metric, scope, w.found.lo, w.found.hi);
}

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct scored plain[] = {
	/* found and named in both seeds */
	{"own-pool-1-mutant", 1, 0, 1, 2, 0, 1, 1, 0, 10, false, 0.8, 0.8, CELL_OK, NULL},
	{"own-pool-1-mutant", 2, 0, 1, 2, 0, 1, 1, 0, 30, false, 0.8, 0.8, CELL_OK, NULL},
	{"own-pool-1-twin", 1, 0, 0, 3, 0, 0, 0, 0, -1, false, 0.1, 0, CELL_OK, NULL},
	/* found in one seed alone: not found */
	{"own-pool-2-mutant", 1, 0, 1, 2, 0, 1, 0, 0, 20, false, 0.8, 1, CELL_OK, NULL},
	{"own-pool-2-mutant", 2, 1, 0, 2, 0, 0, 0, 0, 500, true, 0.1, 0.3, CELL_OK, NULL},
	/* never noticed; its profiler crashed in the second seed: nothing claimed */
	{"unit-pool-1-mutant", 1, 1, 0, 2, 0, 0, 0, 0, 500, true, 0.1, 0.3, CELL_OK, NULL},
	{"unit-pool-1-mutant", 2, 1, 0, 2, 0, 0, 0, 0, 500, true, 0.1, 0.3, CELL_CRASHED, NULL},
	/* its run was broken: it counts nowhere */
	{"unit-pool-1-mutant", 3, 0, 1, 2, 0, 1, 1, 0, 1, false, 0.8, 1, CELL_BROKEN, NULL},
	/* without a witness, and an alarm on a control */
	{"side-pool-1-mutant", 1, 1, 0, 2, 0, 0, 0, 0, 7, true, 0.1, 0.3, CELL_OK, NULL},
	{"null-pool-1-mutant", 1, 0, 0, 2, 1, 0, 0, 1, -1, false, 0.1, 0, CELL_OK, NULL},
	{"null-pool-1-twin", 1, 0, 0, 3, 0, 0, 0, 0, -1, false, 0.1, 0, CELL_OK, NULL},
	{"base", 1, 0, 0, 3, 0, 0, 0, 0, -1, false, 0.1, 0, CELL_OK, NULL},
};

Test(harness_summary, counts_quads_and_not_seeds)
{
	struct table t;

	make(&t, plain, CNT(plain));
	expect_share(&t, "quads.detection", "all", 1, 3);
	expect_share(&t, "quads.detection", "class:OWN", 1, 2);
	expect_share(&t, "quads.detection", "class:UNIT", 0, 1);
	expect_share(&t, "quads.detection", "unwitnessed", 0, 1);
	expect_share(&t, "quads.localisation", "all", 1, 1);
	expect_share(&t, "quads.kept", "all", 2, 4);
	expect_share(&t, "quads.kept", "mutants", 2, 4);
	unlink(t.path);
}

Test(harness_summary, keeps_alarms_on_controls_apart)
{
	struct table t;

	make(&t, plain, CNT(plain));
	expect_share(&t, "quads.alarm", "form:base", 0, 1);
	expect_share(&t, "quads.alarm", "form:twin", 0, 1);
	expect_share(&t, "quads.alarm", "form:mutant", 0, 4);
	expect_share(&t, "quads.alarm", "class:NULL", 1, 2);
	cr_expect(zero(sz, line(&t, "quads.refused", "form:mutant").cnt));
	unlink(t.path);
}

Test(harness_summary, median_latency_counts_those_who_still_wait)
{
	struct wanted w;
	struct table t;

	/* 10, 20, 30 and three that were never found: half wait beyond 30, and 30 is where */
	make(&t, plain, CNT(plain));
	w = line(&t, "quads.latency_events", "all");
	cr_assert(eq(sz, w.cnt, 1));
	cr_expect(eq(ulong, w.found.n, 6));
	cr_expect(eq(dbl, w.found.value, 30));
	/* in many a resample most are never found: no upper bound is known */
	cr_expect(not(w.found.has_interval));
	w = line(&t, "quads.never", "all");
	cr_expect(eq(dbl, w.found.value, 3));
	unlink(t.path);
}

Test(harness_summary, counts_no_wait_whose_dates_are_not_known_to_hold)
{
	struct table t;

	make_of(&t, plain, CNT(plain), true);
	cr_expect(zero(sz, line(&t, "quads.latency_events", "all").cnt));
	unlink(t.path);
}

Test(harness_summary, tells_mutant_from_twin_or_guesses)
{
	const struct scored same[] = {
		{"own-pool-1-mutant", 1, 0, 1, 0, 2, 1, 0, 2, 1, false, 0.9, 0, CELL_OK, NULL},
		{"own-pool-1-twin", 1, 0, 0, 0, 3, 0, 0, 3, -1, false, 0.9, 0, CELL_OK, NULL},
	};
	struct table t;

	make(&t, plain, CNT(plain));
	cr_expect(eq(dbl, line(&t, "quads.apart", "all").found.value, 1));
	cr_expect(eq(ulong, line(&t, "quads.apart", "all").found.n, 1));
	unlink(t.path);
	/* who cries at everything finds everything, and tells nothing apart */
	make(&t, same, CNT(same));
	expect_share(&t, "quads.detection", "all", 1, 1);
	cr_expect(eq(dbl, line(&t, "quads.apart", "all").found.value, 0.5));
	unlink(t.path);
}

Test(harness_summary, asks_strict_who_refuses)
{
	static const struct scored strict[] = {
		{"own-pool-1-mutant", 1, 0, 1, 0, 2, 0, 0, 0, 5, true, 1, 0, CELL_OK, "strict"},
		{"own-pool-2-mutant", 1, 0, 1, 1, 1, 0, 0, 0, 5, true, 1, 0, CELL_OK, "strict"},
		{"own-pool-1-twin", 1, 0, 0, 0, 3, 0, 0, 0, -1, false, 1, 0, CELL_OK, "strict"},
		{"base", 1, 0, 0, 3, 0, 0, 0, 0, -1, false, 0.1, 0, CELL_OK, "strict"},
	};
	struct table t;

	make(&t, strict, CNT(strict));
	/* one resource of the second was kept: that is no refusal */
	expect_share(&t, "quads.refused", "form:mutant", 1, 2);
	expect_share(&t, "quads.refused", "form:twin", 1, 1);
	expect_share(&t, "quads.refused", "form:base", 0, 1);
	cr_expect(zero(sz, line(&t, "quads.detection", "all").cnt));
	cr_expect(zero(sz, line(&t, "quads.latency_events", "all").cnt));
	unlink(t.path);
}

Test(harness_summary, bins_hold_equal_mass_and_have_bands)
{
	struct wanted first, last;
	struct table t;

	make(&t, plain, CNT(plain));
	first = line(&t, "quads.p_stale.observed", "bin:01");
	last = line(&t, "quads.p_stale.observed", "bin:20");
	cr_assert(eq(sz, first.cnt + last.cnt, 2));
	cr_expect(zero(sz, line(&t, "quads.p_stale.observed", "bin:21").cnt));
	/* 110 forecasts: of 0.8, thirty, of which 26 came true */
	cr_expect(fabs(last.found.value - 26.0 / 30) < 1e-9);
	cr_expect(eq(dbl, line(&t, "quads.p_stale.forecast", "bin:20").found.value, 0.8));
	cr_expect(first.found.has_interval && first.found.lo <= first.found.value &&
		  first.found.value <= first.found.hi);
	cr_expect(last.found.lo < last.found.hi);
	/* Brier by hand: (26·0.04 + 4·0.64 + 80·0.01 + 12·(0.81 − 0.01)) / 110 */
	cr_expect(fabs(line(&t, "quads.p_stale.brier", "all").found.value -
		       (26 * 0.04 + 4 * 0.64 + 68 * 0.01 + 12 * 0.81) / 110) < 1e-9);
	unlink(t.path);
}

Test(harness_summary, means_over_seeds_have_an_interval)
{
	struct scored seeds[12];
	struct wanted w;
	struct table t;

	for (unsigned i = 0; i < 12; i++)
		seeds[i] = (struct scored){
			.variant = "base", .seed = i + 1, .valid_kept = 1, .latency = -1};
	make(&t, seeds, 12);
	w = line(&t, "handoff.context.f1", "declared");
	cr_assert(eq(sz, w.cnt, 1));
	cr_expect(fabs(w.found.value - 0.565) < 1e-12);
	cr_expect(eq(ulong, w.found.n, 12));
	cr_expect(w.found.lo > 0.53 && w.found.lo < 0.56 && w.found.hi > 0.57 && w.found.hi < 0.60);
	/* nothing was mutated: there is nothing to find out */
	cr_expect(zero(sz, line(&t, "quads.alarm", "form:base").cnt));
	unlink(t.path);
	make(&t, seeds, 1);
	cr_expect(zero(sz, line(&t, "handoff.context.f1", "declared").cnt),
		  "one seed has no spread");
	unlink(t.path);
}
