/* SPDX-License-Identifier: BSD-2-Clause */
/* Arms of an audit: what is a difference, and what is not. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "harness/audit.h"

enum { RUNS = 5 };

static struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX];
static struct audit_difference found[COMPARED_CNT];
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
	for (unsigned k = 0; k < COMPARED_CNT; k++) {
		cr_assert(!found[k].found);
		cr_assert_eq(found[k].p, 1);
		cr_assert_eq(found[k].figure, FIGURE_CNT);
	}
}

Test(audit, finds_claims_that_vanish_with_truth)
{
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_OFF][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] = 0;
	compare();
	cr_assert(found[COMPARED_OFF].found);
	cr_assert_eq(found[COMPARED_OFF].figure, FIGURE_HANDOFFS + HANDOFF_WAKE);
	cr_assert_eq(found[COMPARED_OFF].here, 0);
	cr_assert_float_eq(found[COMPARED_OFF].usual, 999.6, 1e-9);
	/* two ways of 252 are as extreme, of four comparisons */
	cr_assert_float_eq(found[COMPARED_OFF].p, 4 * 2.0 / 252, 1e-12);
	cr_assert(!found[COMPARED_DECOYED].found);
	cr_assert(!found[COMPARED_SHIFTED].found);
}

Test(audit, finds_a_score_that_falls_with_the_times_of_truth)
{
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_SHIFTED][i].v[FIGURE_F1] = 0.001 * i;
	compare();
	cr_assert(found[COMPARED_SHIFTED].found);
	cr_assert_eq(found[COMPARED_SHIFTED].figure, FIGURE_F1);
	cr_assert(!found[COMPARED_OFF].found);
}

Test(audit, leaves_alone_what_differs_always_but_does_not_matter)
{
	for (unsigned i = 0; i < RUNS; i++) {
		runs[AUDIT_OFF][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] += 90; /* below a tenth */
		runs[AUDIT_DECOYED][i].v[FIGURE_BUSIEST] += 0.04;
		runs[AUDIT_SHIFTED][i].v[FIGURE_ORPHANS] = 4;
	}
	compare();
	for (unsigned k = 0; k < COMPARED_CNT; k++)
		cr_assert(!found[k].found);
}

Test(audit, leaves_alone_what_comes_and_goes_in_both_arms)
{
	for (unsigned i = 0; i < RUNS; i++) {
		runs[AUDIT_TRUTH][i].v[FIGURE_ORPHANS] = i % 2 ? 300 : 0;
		runs[AUDIT_OFF][i].v[FIGURE_ORPHANS] = i % 2 ? 0 : 300;
	}
	compare();
	cr_assert(!found[COMPARED_OFF].found);
	cr_assert_gt(found[COMPARED_OFF].p, 0.5);
}

Test(audit, compares_what_was_run_alone)
{
	has[AUDIT_SHIFTED] = false;
	memset(found, 0, sizeof(found));
	memset(runs[AUDIT_SHIFTED], 0, sizeof(runs[AUDIT_SHIFTED]));
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_OFF][i].v[FIGURE_WELL] = 0;
	compare();
	cr_assert_eq(found[COMPARED_SHIFTED].p, 0);
	cr_assert(!found[COMPARED_SHIFTED].found);
	cr_assert_float_eq(found[COMPARED_OFF].p, 3 * 2.0 / 252, 1e-12);
	cr_assert_eq(found[COMPARED_OFF].figure, FIGURE_WELL);
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

/* ---- agreement ---- */

static struct claim join_of(uint32_t src, uint64_t from, uint32_t dst, uint64_t to)
{
	return (struct claim){
		.kind = CLAIM_HANDOFF,
		.type = HANDOFF_MSG,
		.has = HAS_SRC | HAS_DST,
		.handoff = {.src_tid = src, .src_t = from, .dst_tid = dst, .dst_t = to}};
}

static struct claim keyed(struct claim c, uint64_t key)
{
	c.has |= HAS_KEY;
	c.ns = KEY_UADDR;
	c.handoff.key_v = key;
	return c;
}

static double agreement(const struct claim *v, size_t cnt, const struct claim *reference,
			size_t reference_cnt)
{
	struct claims c = {.header = {.declares = 1u << HANDOFF_MSG}, .v = v, .cnt = cnt};
	struct claims r = {.v = reference, .cnt = reference_cnt};
	double ret = -1;

	cr_assert_eq(audit_agree(&c, &r, &ret), 0);
	return ret;
}

#define CNT(v) (sizeof(v) / sizeof((v)[0]))

Test(audit, agrees_where_both_ends_are_nearest_to_those_of_one_join)
{
	const struct claim r[] = {join_of(1, 100, 2, 200), join_of(1, 300, 2, 400),
				  join_of(3, 150, 2, 300)};
	const struct claim same[] = {join_of(3, 149, 2, 303), join_of(1, 130, 2, 190),
				     join_of(1, 299, 2, 401)};
	const struct claim crossed[] = {join_of(1, 100, 2, 400), join_of(1, 300, 2, 200),
					join_of(3, 150, 2, 300)};

	cr_assert_float_eq(agreement(same, CNT(same), r, CNT(r)), 1, 1e-12);
	cr_assert_float_eq(agreement(crossed, CNT(crossed), r, CNT(r)), 1.0 / 3, 1e-12);
	cr_assert_float_eq(agreement(same, 1, r, CNT(r)), 2 * 1.0 / 4, 1e-12);
	cr_assert_float_eq(agreement(same, 0, r, CNT(r)), 0, 1e-12);
}

Test(audit, agrees_once_with_each_join)
{
	const struct claim r[] = {join_of(1, 100, 2, 200)};
	const struct claim twice[] = {join_of(1, 100, 2, 200), join_of(1, 101, 2, 199)};

	cr_assert_float_eq(agreement(twice, CNT(twice), r, CNT(r)), 2.0 / 3, 1e-12);
}

Test(audit, agrees_with_any_of_several_taken_at_one_moment)
{
	const struct claim r[] = {join_of(1, 100, 2, 500), join_of(1, 200, 2, 500),
				  join_of(1, 300, 2, 500)};
	const struct claim same[] = {join_of(1, 300, 2, 501), join_of(1, 100, 2, 499),
				     join_of(1, 200, 2, 500)};

	cr_assert_float_eq(agreement(same, CNT(same), r, CNT(r)), 1, 1e-12);
}

Test(audit, agrees_by_key_where_the_reference_has_it)
{
	const struct claim r[] = {keyed(join_of(1, 100, 2, 200), 7),
				  keyed(join_of(1, 110, 2, 210), 8)};
	/* late by more than the next is away */
	const struct claim same[] = {keyed(join_of(1, 109, 2, 209), 7),
				     keyed(join_of(1, 119, 2, 219), 8)};
	const struct claim strange[] = {keyed(join_of(1, 100, 2, 200), 9), join_of(1, 110, 2, 210)};

	cr_assert_float_eq(agreement(same, CNT(same), r, CNT(r)), 1, 1e-12);
	cr_assert_float_eq(agreement(strange, CNT(strange), r, CNT(r)), 1, 1e-12);
}

Test(audit, agrees_by_order_where_both_have_as_many)
{
	const struct claim r[] = {join_of(1, 100, 2, 200), join_of(1, 110, 2, 210),
				  join_of(1, 120, 2, 220)};
	/* later than the next is of the reference */
	const struct claim late[] = {join_of(1, 115, 2, 215), join_of(1, 125, 2, 225),
				     join_of(1, 135, 2, 235)};
	const struct claim crossed[] = {join_of(1, 115, 2, 225), join_of(1, 125, 2, 215),
					join_of(1, 135, 2, 235)};

	cr_assert_float_eq(agreement(late, CNT(late), r, CNT(r)), 1, 1e-12);
	cr_assert_float_eq(agreement(crossed, CNT(crossed), r, CNT(r)), 1.0 / 3, 1e-12);
	cr_assert_float_eq(agreement(late, 1, r, CNT(r)), 0.5, 1e-12); /* the nearest of all */
}

Test(audit, agrees_on_nothing_of_other_threads_sides_and_types)
{
	const struct claim r[] = {join_of(1, 100, 2, 200)};
	struct claim other[] = {join_of(2, 200, 1, 100), join_of(1, 100, 3, 200),
				join_of(1, 100, 2, 200), join_of(1, 100, 2, 200)};

	other[2].type = HANDOFF_WAKE;
	other[3].has = HAS_DST;
	cr_assert_float_eq(agreement(other, CNT(other), r, CNT(r)), 0, 1e-12);
}

Test(audit, is_asked_of_the_types_that_are_declared_alone)
{
	struct claim r[] = {join_of(1, 100, 2, 200), join_of(1, 100, 2, 200)};

	r[1].type = HANDOFF_WAKE;
	cr_assert_float_eq(agreement(r, 1, r, CNT(r)), 1, 1e-12);
}

Test(audit, finds_a_poor_profiler_that_claims_as_much_without_truth)
{
	for (unsigned i = 0; i < RUNS; i++) {
		runs[AUDIT_DECOYED][i].v[FIGURE_AGREES] = 0.99 + 0.001 * i;
		runs[AUDIT_OFF][i].v[FIGURE_AGREES] = 0.9 + 0.001 * i;
		runs[AUDIT_TRUTH][i].v[FIGURE_AGREES] = NAN;
		runs[AUDIT_SHIFTED][i].v[FIGURE_AGREES] = NAN;
	}
	compare();
	cr_assert(found[COMPARED_WITHOUT].found);
	cr_assert_eq(found[COMPARED_WITHOUT].figure, FIGURE_AGREES);
	cr_assert_float_eq(found[COMPARED_WITHOUT].usual, 0.992, 1e-9);
	for (unsigned k = 0; k < COMPARED_WITHOUT; k++)
		cr_assert(!found[k].found);
}

/* As of one that loses a third of its records where a second one looks on. */
static void lose_where_the_collector_is(void)
{
	for (unsigned i = 0; i < RUNS; i++)
		for (unsigned arm = AUDIT_OFF; arm <= AUDIT_DECOYED; arm++)
			runs[arm][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] -= 300;
}

Test(audit, does_not_accuse_who_differs_beside_the_collector_alone)
{
	lose_where_the_collector_is();
	compare();
	cr_assert(found[COMPARED_OFF].found && found[COMPARED_DECOYED].found);
	cr_assert(!found[COMPARED_SHIFTED].found && !found[COMPARED_WITHOUT].found);
	cr_expect(!audit_depends(found, true));
	cr_expect(audit_depends(found, false), "who is alone in all arms");
}

Test(audit, accuses_who_differs_by_truth_whoever_is_beside_him)
{
	lose_where_the_collector_is();
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_OFF][i].v[FIGURE_HANDOFFS + HANDOFF_WAKE] = 0;
	compare();
	cr_expect(audit_depends(found, true));
	setup();
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_SHIFTED][i].v[FIGURE_F1] = 0.1;
	compare();
	cr_expect(audit_depends(found, true));
}

Test(audit, is_unsteady_where_one_run_is_far_better)
{
	cr_expect(!audit_is_unsteady(runs, RUNS, false));
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_DECOYED][i].v[FIGURE_AGREES] = runs[AUDIT_OFF][i].v[FIGURE_AGREES] = 0.5;
	runs[AUDIT_DECOYED][3].v[FIGURE_AGREES] = 0.8;
	cr_expect(!audit_is_unsteady(runs, RUNS, false), "nobody to agree with");
	cr_expect(audit_is_unsteady(runs, RUNS, true));
	setup();
	for (unsigned i = 0; i < RUNS; i++)
		runs[AUDIT_DECOYED][i].v[FIGURE_F1] = 0.6;
	cr_expect(audit_is_unsteady(runs, RUNS, false));
}
