/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calibration of forecasts of a yes or no (contracts §5.5).
 *
 * With forecasts f_i, outcomes o_i ∈ {0, 1}, and the distinct forecasts f_k that n_k forecasts
 * share, of which the fraction ō_k came true; ō is the base rate:
 *   Brier           (1/n) Σ (f_i − o_i)²                    Brier 1950, Mon. Weather Rev. 78(1)
 *   reliability     (1/n) Σ n_k (f_k − ō_k)²  ⎫
 *   resolution      (1/n) Σ n_k (ō_k − ō)²    ⎬ Murphy 1973, J. Appl. Meteorol. 12(4):
 *   uncertainty     ō (1 − ō)                 ⎭ Brier = reliability − resolution + uncertainty
 *   skill           1 − Brier / uncertainty                 Murphy 1973, against the base rate
 *   zero skill      1 − Σ (f_i − o_i)² / Σ o_i              the same, against always saying 0
 *   log loss        −(1/n) Σ [o ln f + (1 − o) ln(1 − f)]   Good 1952, J. R. Stat. Soc. B 14(1)
 *   AUC             P(f of a yes > f of a no) + ½ P(equal)  Mann & Whitney 1947, Ann. Math. Stat.
 * Logarithms are natural, of max(p, 1e-15). Skill is no number where every outcome is the same,
 * zero skill where none came true, AUC where one outcome never happened, all but n where there is
 * no forecast.
 *
 * Whoever forecasts chooses what there is to forecast. A claim that is surely wrong and says so
 * makes the base rate a worse guess and is one more pair in the right order: skill and AUC rise
 * with every claim that was made up. To zero skill it adds f², so that nobody gains by it.
 *
 * Forecasts of handoffs, at a level: claims with two ends and S or D not empty, that is those that
 * came out right, duplicate, false join or half; a missing conf is 1; the outcome is `right`.
 *
 * Risk–coverage (El-Yaniv & Wiener 2010, "On the Foundations of Noise-free Selective
 * Classification", JMLR 11): accept the surest share of the forecasts, ask how many of them fail.
 * Reliability bins hold equal counts of forecasts as ordered; ties may straddle a border, so a
 * tied group counts by its mean outcome on both sides and nothing depends on order.
 *
 * Sums run over distinct forecasts in order, so nothing depends on the order of claims.
 */
#ifndef ASSAY_SCORING_CALIBRATION_H
#define ASSAY_SCORING_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/formats/claims.h"
#include "scoring/scope.h"
#include "scoring/score.h"

/* A distinct forecast, how often it was made and how often it came true. n = 0: an empty slot. */
struct forecast {
	double f;
	uint64_t n, came_true;
};

/* A hash table of distinct forecasts while they are added; sorted and without gaps once merged. */
struct forecasts {
	struct forecast *v;
	size_t cnt, room;
	bool merged;
};

/* p lies in 0…1. -ENOMEM. Not after a merge. */
int forecasts_add(struct forecasts *f, double p, bool came_true);
void forecasts_merge(struct forecasts *f);
void forecasts_free(struct forecasts *f);

/* Adds the forecasts of both levels; outcome[level][i] is the enum outcome of claim i. -ENOMEM. */
int handoff_forecasts(const struct claims *c, uint8_t *const outcome[LEVEL_CNT],
		      struct forecasts f[LEVEL_CNT]);

struct calibration {
	uint64_t n;
	struct ratio base_rate, brier, skill, zero_skill, reliability, resolution, uncertainty,
		log_loss, auc;
};

/* Merges f. Pure otherwise. */
struct calibration calibrate(struct forecasts *f);

struct risk_point {
	double threshold; /* forecasts ≥ this are accepted */
	double coverage, risk;
};

struct reliability_bin {
	double forecast, observed; /* means */
	double n;		   /* forecasts in the bin; a tied group may be split */
};

/* One point a distinct forecast, surest first; merges f. Returns the number of points. */
size_t risk_coverage(struct forecasts *f, struct risk_point *ret, size_t room);

/* At most `bins` equal-mass bins; fewer where there are fewer forecasts. Merges f. */
size_t reliability_bins(struct forecasts *f, struct reliability_bin *ret, size_t bins);

#endif
