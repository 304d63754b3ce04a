/* SPDX-License-Identifier: BSD-2-Clause */
/* Arms of an audit: what is a difference, and what is not. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "harness/audit.h"

enum { RUNS = 5 };

static struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX];
static struct audit_difference found[AUDIT_ARM_CNT];
static bool has[AUDIT_ARM_CNT];

/* All arms alike: 1,000 joins a run, give or take. */
static void setup(void)
{
	static const double give[RUNS] = {-8, 3, 0, 5, -2};

	memset(runs, 0, sizeof(runs));
	for (unsigned arm = 0; arm < AUDIT_ARM_CNT; arm++) {
		has[arm] = true;
		for (unsigned i = 0; i < RUNS; i++) {
			struct audit_run *r = &runs[arm][i];

			r->v[FIGURE_HANDOFFS + HANDOFF_WAKE] = 1000 + give[(i + arm) % RUNS];
			r->v[FIGURE_KINDS + CLAIM_HANDOFF] = 1000 + give[(i + arm) % RUNS];
			r->v[FIGURE_BUSIEST] = 0.5 + give[i] / 1000;
			r->v[FIGURE_WELL] = 1;
			r->v[FIGURE_F1] = arm == AUDIT_OFF ? NAN : 0.9 + give[i] / 1000;
			r->v[FIGURE_EVENTS] = arm == AUDIT_OFF ? NAN : 0;
		}
	}
}

static void compare(void)
{
	cr_assert_eq(audit_compare(runs, RUNS, has, found), 0);
}

TestSuite(audit, .init = setup);

Test(audit, finds_nothing_where_arms_are_alike)
{
	compare();
	for (unsigned arm = AUDIT_OFF; arm < AUDIT_ARM_CNT; arm++) {
		cr_assert(!found[arm].found);
		cr_assert_eq(found[arm].p, 1);
		cr_assert_eq(found[arm].figure, FIGURE_CNT);
	}
}

Test(audit, finds_claims_that_vanish_with_truth)
{
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_OFF][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] = 0;
	compare();
	cr_assert(found[AUDIT_OFF].found);
	cr_assert_eq(found[AUDIT_OFF].figure, FIGURE_HANDOFFS + HANDOFF_WAKE);
	cr_assert_eq(found[AUDIT_OFF].here, 0);
	cr_assert_float_eq(found[AUDIT_OFF].usual, 999.6, 1e-9);
	/* two ways of 252 are as extreme, of three comparisons */
	cr_assert_float_eq(found[AUDIT_OFF].p, 3 * 2.0 / 252, 1e-12);
	cr_assert(!found[AUDIT_DECOYED].found);
	cr_assert(!found[AUDIT_SHIFTED].found);
}

Test(audit, finds_a_score_that_falls_with_the_times_of_truth)
{
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_SHIFTED][i].v[FIGURE_F1] = 0.001 * i;
	compare();
	cr_assert(found[AUDIT_SHIFTED].found);
	cr_assert_eq(found[AUDIT_SHIFTED].figure, FIGURE_F1);
	cr_assert(!found[AUDIT_OFF].found);
}

Test(audit, leaves_alone_what_differs_always_but_does_not_matter)
{
	for (unsigned i = 0; i < RUNS; i++) {
		runs[AUDIT_OFF][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] += 90; /* below a tenth */
		runs[AUDIT_DECOYED][i].v[FIGURE_BUSIEST] += 0.04;
		runs[AUDIT_SHIFTED][i].v[FIGURE_ORPHANS] = 4;
	}
	compare();
	for (unsigned arm = AUDIT_OFF; arm < AUDIT_ARM_CNT; arm++)
		cr_assert(!found[arm].found);
}

Test(audit, leaves_alone_what_comes_and_goes_in_both_arms)
{
	for (unsigned i = 0; i < RUNS; i++) {
		runs[AUDIT_TRUTH][i].v[FIGURE_ORPHANS] = i % 2 ? 300 : 0;
		runs[AUDIT_OFF][i].v[FIGURE_ORPHANS] = i % 2 ? 0 : 300;
	}
	compare();
	cr_assert(!found[AUDIT_OFF].found);
	cr_assert_gt(found[AUDIT_OFF].p, 0.5);
}

Test(audit, compares_what_was_run_alone)
{
	has[AUDIT_SHIFTED] = false;
	memset(found, 0, sizeof(found));
	memset(runs[AUDIT_SHIFTED], 0, sizeof(runs[AUDIT_SHIFTED]));
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_OFF][i].v[FIGURE_WELL] = 0;
	compare();
	cr_assert_eq(found[AUDIT_SHIFTED].p, 0);
	cr_assert(!found[AUDIT_SHIFTED].found);
	cr_assert_float_eq(found[AUDIT_OFF].p, 2 * 2.0 / 252, 1e-12);
	cr_assert_eq(found[AUDIT_OFF].figure, FIGURE_WELL);
}

Test(audit, measures_what_claims_are_about_and_not_where_they_are)
{
	struct claim v[] = {
		{.kind = CLAIM_HANDOFF,
		 .type = HANDOFF_IO,
		 .has = HAS_SRC | HAS_DST,
		 .handoff = {.src_tid = 7, .dst_tid = 8}},
		{.kind = CLAIM_HANDOFF,
		 .type = HANDOFF_IO,
		 .has = HAS_DST | HAS_CONF,
		 .handoff = {.dst_tid = 8, .conf = 0.5}},
		{.kind = CLAIM_EVENT, .event = {.tid = 9}},
		{.kind = CLAIM_HEALTH, .type = HEALTH_STALE},
		{.kind = CLAIM_HEALTH, .type = HEALTH_VALIDATED},
	};
	struct claims c = {.v = v, .cnt = sizeof(v) / sizeof(v[0])};
	struct audit_run r;

	cr_assert_eq(audit_measure(&c, &r), 0);
	cr_assert_eq(r.v[FIGURE_HANDOFFS + HANDOFF_IO], 1);
	cr_assert_eq(r.v[FIGURE_ORPHANS], 1);
	cr_assert_eq(r.v[FIGURE_KINDS + CLAIM_HANDOFF], 2);
	cr_assert_eq(r.v[FIGURE_KINDS + CLAIM_HEALTH], 2);
	cr_assert_eq(r.v[FIGURE_DOWNCAST], 1);
	cr_assert_eq(r.v[FIGURE_THREADS], 3);
	cr_assert_eq(r.v[FIGURE_BUSIEST], 0.5); /* 8: two of four ends */
	cr_assert_float_eq(r.v[FIGURE_SURE], 2.0 / 3, 1e-12);
	cr_assert(isnan(r.v[FIGURE_F1]));
}
