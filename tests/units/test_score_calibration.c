/* SPDX-License-Identifier: BSD-2-Clause */
/* Calibration (contracts §5.5): by hand, against GSL, and against pairs counted one by one. */
#include <criterion/criterion.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "scoring/calibration.h"
#include "scoring/score.h"
#include "tests/units/score_world.h"

#define NEAR(x, y)                                                                                 \
	cr_assert_lt(fabs((x) - (y)), 1e-12, "%.17g is not %.17g", (double)(x), (double)(y))

static struct calibration of(const double *f, const bool *o, size_t cnt)
{
	struct forecasts x = {0};
	struct calibration r;

	for (size_t i = 0; i < cnt; i++)
		cr_assert_eq(forecasts_add(&x, f[i], o[i]), 0);
	r = calibrate(&x);
	forecasts_free(&x);
	return r;
}

Test(calibration, has_no_number_without_forecasts)
{
	struct calibration r = of(NULL, NULL, 0);

	cr_assert_eq(r.n, 0);
	cr_assert_not(r.base_rate.has || r.brier.has || r.skill.has || r.reliability.has ||
		      r.resolution.has || r.uncertainty.has || r.log_loss.has || r.auc.has ||
		      r.zero_skill.has);
}

/* 0.8: one right, one wrong; 0.5: two right. */
Test(calibration, is_right_by_hand)
{
	const double f[] = {0.8, 0.8, 0.5, 0.5};
	const bool o[] = {true, false, true, true};
	struct calibration r = of(f, o, 4);

	cr_assert_eq(r.n, 4);
	NEAR(r.base_rate.v, 0.75);
	NEAR(r.brier.v, 0.295);
	NEAR(r.reliability.v, 0.17);
	NEAR(r.resolution.v, 0.0625);
	NEAR(r.uncertainty.v, 0.1875);
	NEAR(r.skill.v, 1 - 0.295 / 0.1875);
	NEAR(r.zero_skill.v, 1 - 4 * 0.295 / 3);
	NEAR(r.log_loss.v, (-log(.8) - log(.2) - 2 * log(.5)) / 4);
	NEAR(r.auc.v, (1 + 0 + 0) / 3.0 * 0.5); /* 0.8 ties with the no, both 0.5 lie below it */
}

Test(calibration, has_no_skill_and_no_auc_where_all_outcomes_are_the_same)
{
	const double f[] = {0.9, 0.7};
	const bool yes[] = {true, true}, no[] = {false, false};
	struct calibration r = of(f, yes, 2);

	NEAR(r.uncertainty.v, 0);
	NEAR(r.brier.v, (0.01 + 0.09) / 2);
	cr_assert_not(r.skill.has);
	cr_assert_not(r.auc.has);
	r = of(f, no, 2);
	cr_assert_not(r.skill.has);
	cr_assert_not(r.auc.has);
	NEAR(r.base_rate.v, 0);
}

Test(calibration, has_no_zero_skill_where_nothing_came_true)
{
	const double f[] = {0.9, 0.7};
	const bool yes[] = {true, true}, no[] = {false, false};

	NEAR(of(f, yes, 2).zero_skill.v, 1 - 0.1 / 2);
	cr_assert_not(of(f, no, 2).zero_skill.has);
}

Test(calibration, gives_no_zero_skill_for_claims_that_were_made_up)
{
	const double f[] = {0.9, 0.6, 0.001, 0.001, 0.001, 0.001};
	const bool o[] = {true, false, false, false, false, false};
	struct calibration honest = of(f, o, 2), flooded = of(f, o, 6);

	cr_assert_gt(flooded.skill.v, honest.skill.v);
	cr_assert_lt(flooded.zero_skill.v, honest.zero_skill.v);
}

Test(calibration, floors_the_logarithm_at_1e_15_on_both_sides)
{
	const double f[] = {0, 1};
	const bool wrong[] = {true, false}, right[] = {false, true};

	NEAR(of(f, wrong, 2).log_loss.v, -log(1e-15));
	NEAR(of(f, right, 2).log_loss.v, 0);
	NEAR(of(f, wrong, 1).log_loss.v, -log(1e-15));
}

Test(calibration, is_perfect_for_perfect_forecasts)
{
	const double f[] = {1, 0, 1, 0};
	const bool o[] = {true, false, true, false};
	struct calibration r = of(f, o, 4);

	NEAR(r.brier.v, 0);
	NEAR(r.skill.v, 1);
	NEAR(r.auc.v, 1);
	NEAR(r.resolution.v, 0.25);
}

enum { MANY = 500 };

/* Forecasts on a grid, so that many are equal; they come true about as often as they say. */
static void random_run(unsigned seed, double *f, bool *o)
{
	for (size_t i = 0; i < MANY; i++) {
		f[i] = (double)((unsigned)rand_r(&seed) % 21) / 20;
		o[i] = (double)rand_r(&seed) / RAND_MAX < f[i] * 0.8 + 0.1;
	}
}

Test(calibration, agrees_with_gsl_on_brier_and_base_rate)
{
	double f[MANY], outcome[MANY], squares[MANY], base[MANY];
	bool o[MANY];

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct calibration r;
		double mean;

		random_run(seed, f, o);
		for (size_t i = 0; i < MANY; i++) {
			outcome[i] = o[i];
			squares[i] = (f[i] - outcome[i]) * (f[i] - outcome[i]);
		}
		mean = gsl_stats_mean(outcome, 1, MANY);
		for (size_t i = 0; i < MANY; i++)
			base[i] = (mean - outcome[i]) * (mean - outcome[i]);
		r = of(f, o, MANY);
		NEAR(r.base_rate.v, mean);
		NEAR(r.brier.v, gsl_stats_mean(squares, 1, MANY));
		NEAR(r.uncertainty.v, gsl_stats_variance_with_fixed_mean(outcome, 1, MANY, mean));
		NEAR(r.skill.v,
		     1 - gsl_stats_mean(squares, 1, MANY) / gsl_stats_mean(base, 1, MANY));
	}
}

Test(calibration, adds_up_as_murphy_says)
{
	double f[MANY];
	bool o[MANY];

	for (unsigned seed = 1; seed <= 50; seed++) {
		struct calibration r;

		random_run(seed, f, o);
		r = of(f, o, MANY);
		NEAR(r.brier.v, r.reliability.v - r.resolution.v + r.uncertainty.v);
	}
}

/* Reliability and resolution are weighted variances over the groups: GSL's weighted moments. */
Test(calibration, agrees_with_gsl_on_murphys_parts)
{
	double f[MANY], weight[21], gap[21], rate[21];
	bool o[MANY];

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct calibration r;

		random_run(seed, f, o);
		for (int k = 0; k <= 20; k++) {
			double yes = 0;

			weight[k] = 0;
			for (size_t i = 0; i < MANY; i++) {
				if (f[i] != (double)k / 20)
					continue;
				weight[k]++;
				yes += o[i];
			}
			rate[k] = weight[k] > 0 ? yes / weight[k] : 0;
			gap[k] = ((double)k / 20 - rate[k]) * ((double)k / 20 - rate[k]);
		}
		r = of(f, o, MANY);
		NEAR(r.reliability.v, gsl_stats_wmean(weight, 1, gap, 1, 21));
		NEAR(r.resolution.v,
		     gsl_stats_wvariance_with_fixed_mean(weight, 1, rate, 1, 21,
							 gsl_stats_wmean(weight, 1, rate, 1, 21)));
	}
}

Test(calibration, counts_auc_as_mann_and_whitney_do_with_ties_half)
{
	double f[MANY];
	bool o[MANY];

	for (unsigned seed = 1; seed <= 20; seed++) {
		double wins = 0, pairs = 0;

		random_run(seed, f, o);
		for (size_t i = 0; i < MANY; i++) {
			for (size_t j = 0; j < MANY; j++) {
				if (!o[i] || o[j])
					continue;
				pairs++;
				wins += f[i] > f[j] ? 1 : f[i] == f[j] ? 0.5 : 0;
			}
		}
		NEAR(of(f, o, MANY).auc.v, wins / pairs);
	}
}

/* AUC and Spearman's rank correlation of a binary outcome order runs alike: GSL gives the ranks. */
Test(calibration, agrees_with_gsl_ranks_on_auc)
{
	double f[MANY], outcome[MANY], work[2 * MANY], rank_sd, rho, p, auc;
	bool o[MANY];

	for (unsigned seed = 1; seed <= 20; seed++) {
		double ties = 0;

		random_run(seed, f, o);
		for (size_t i = 0; i < MANY; i++)
			outcome[i] = o[i];
		rho = gsl_stats_spearman(f, 1, outcome, 1, MANY, work);
		p = gsl_stats_mean(outcome, 1, MANY);
		for (int k = 0; k <= 20; k++) {
			double n = 0;

			for (size_t i = 0; i < MANY; i++)
				n += f[i] == (double)k / 20;
			ties += n * n * n - n;
		}
		/* Var of midranks; mean rank of the yeses less that of the noes is N (AUC − ½). */
		rank_sd = sqrt(((double)MANY * MANY * MANY - MANY - ties) / 12 / MANY);
		auc = 0.5 + rho * rank_sd / (MANY * sqrt(p * (1 - p)));
		cr_assert_lt(fabs(of(f, o, MANY).auc.v - auc), 1e-9);
	}
}

Test(calibration, depends_on_no_order)
{
	double f[MANY], g[MANY];
	bool o[MANY], q[MANY];
	struct calibration a, b;

	random_run(5, f, o);
	for (size_t i = 0; i < MANY; i++) {
		g[i] = f[MANY - 1 - i];
		q[i] = o[MANY - 1 - i];
	}
	a = of(f, o, MANY);
	b = of(g, q, MANY);
	cr_assert_eq(a.brier.v, b.brier.v);
	cr_assert_eq(a.log_loss.v, b.log_loss.v);
	cr_assert_eq(a.auc.v, b.auc.v);
}

Test(calibration, finds_a_forecast_in_whatever_slot)
{
	for (unsigned i = 0; i < 3000; i++) {
		struct forecasts f = {0};

		cr_assert_eq(forecasts_add(&f, i / 3000.0, true), 0);
		cr_assert_eq(forecasts_add(&f, 1, true), 0);
		forecasts_merge(&f);
		cr_assert_eq(f.cnt, 2);
		cr_assert_eq(f.v[0].n, 1);
		cr_assert_eq(f.v[0].f, i / 3000.0);
		cr_assert_eq(f.v[1].n, 1);
		cr_assert_eq(f.v[1].f, 1);
		forecasts_free(&f);
	}
}

Test(calibration, forecasts_with_claims_of_which_s_or_d_is_not_empty)
{
	uint8_t context[] = {OUT_NOT_SCORED, OUT_RIGHT,	   OUT_DUPLICATE, OUT_FALSE_JOIN,
			     OUT_HALF,	     OUT_SPURIOUS, OUT_ORPHAN,	  OUT_OF_SCOPE};
	uint8_t identity[8] = {[5] = OUT_RIGHT};
	uint8_t *const outcome[LEVEL_CNT] = {context, identity};
	struct world *w = world_new();
	struct forecasts f[LEVEL_CNT] = {0};
	struct sealed s;

	for (size_t i = 0; i < 8; i++) {
		struct claim *x = add_claim(w, (struct claim){.kind = CLAIM_HANDOFF});

		if (i == 1)
			continue; /* a missing conf counts as 1 */
		x->has |= HAS_CONF;
		x->handoff.conf = (double)i / 10;
	}
	s = seal(w);
	cr_assert_eq(handoff_forecasts(&s.c, outcome, f), 0);
	forecasts_merge(&f[LEVEL_CONTEXT]);
	forecasts_merge(&f[LEVEL_IDENTITY]);
	cr_assert_eq(f[LEVEL_CONTEXT].cnt, 4);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(f[LEVEL_CONTEXT].v[i].f, (double)(i + 2) / 10);
		cr_assert_eq(f[LEVEL_CONTEXT].v[i].n, 1);
		cr_assert_eq(f[LEVEL_CONTEXT].v[i].came_true, 0);
	}
	cr_assert_eq(f[LEVEL_CONTEXT].v[3].f, 1);
	cr_assert_eq(f[LEVEL_CONTEXT].v[3].came_true, 1);
	cr_assert_eq(f[LEVEL_IDENTITY].cnt, 1);
	cr_assert_eq(f[LEVEL_IDENTITY].v[0].f, 0.5);
	forecasts_free(&f[LEVEL_CONTEXT]);
	forecasts_free(&f[LEVEL_IDENTITY]);
	unseal(&s);
	world_free(w);
}

/* More distinct forecasts than the table first has room for, some of them in every slot. */
Test(calibration, keeps_many_distinct_forecasts_apart)
{
	struct forecasts f = {0};

	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i <= 5000; i++)
			cr_assert_eq(forecasts_add(&f, i / 5000.0, round == 1), 0);
	cr_assert_eq(forecasts_add(&f, -0.0, true), 0);
	forecasts_merge(&f);
	cr_assert_eq(f.cnt, 5001);
	cr_assert_eq(f.v[0].n, 4, "-0 is 0");
	for (unsigned i = 1; i <= 5000; i++) {
		cr_assert_eq(f.v[i].f, i / 5000.0);
		cr_assert_eq(f.v[i].n, 3);
		cr_assert_eq(f.v[i].came_true, 1);
	}
	forecasts_free(&f);
}

static struct forecasts some(void)
{
	const double f[] = {0.9, 0.9, 0.5, 0.5, 0.5, 0.1};
	const bool o[] = {true, true, true, false, false, false};
	struct forecasts x = {0};

	for (size_t i = 0; i < 6; i++)
		cr_assert_eq(forecasts_add(&x, f[i], o[i]), 0);
	return x;
}

Test(risk_coverage, accepts_the_surest_first)
{
	struct forecasts f = some();
	struct risk_point p[4];

	cr_assert_eq(risk_coverage(&f, p, 4), 3);
	NEAR(p[0].threshold, 0.9);
	NEAR(p[0].coverage, 2.0 / 6);
	NEAR(p[0].risk, 0);
	NEAR(p[1].coverage, 5.0 / 6);
	NEAR(p[1].risk, 2.0 / 5);
	NEAR(p[2].threshold, 0.1);
	NEAR(p[2].coverage, 1);
	NEAR(p[2].risk, 0.5);
	cr_assert_eq(risk_coverage(&f, p, 1), 1);
	forecasts_free(&f);
}

Test(reliability_bins, hold_equal_masses_and_split_ties_by_their_mean)
{
	struct forecasts f = some();
	struct reliability_bin b[20];

	cr_assert_eq(reliability_bins(&f, b, 2), 2);
	NEAR(b[0].n, 3); /* 0.1 and two of the three 0.5 */
	NEAR(b[0].forecast, 1.1 / 3);
	NEAR(b[0].observed, 2.0 / 9);
	NEAR(b[1].forecast, 2.3 / 3);
	NEAR(b[1].observed, (2 + 1.0 / 3) / 3);
	cr_assert_eq(reliability_bins(&f, b, 20), 6, "no more bins than forecasts");
	NEAR(b[0].forecast, 0.1);
	NEAR(b[5].observed, 1);
	cr_assert_eq(reliability_bins(&f, b, 4), 4); /* 1.5 forecasts a bin */
	NEAR(b[0].forecast, (0.1 + 0.25) / 1.5);
	NEAR(b[3].forecast, 0.9);
	forecasts_free(&f);
	f = (struct forecasts){0};
	cr_assert_eq(reliability_bins(&f, b, 4), 0);
}
