/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thresholds from runs.
 *
 * Of each test, over all runs but those of the class that is left out (base, mutant and twin):
 *
 *   valid       (violations + FIT_SURPRISE × runs) / (checks + FIT_SURPRISE × runs), where no
 *               descriptor of the resource is invalid: one more violation in every tenth run would
 *               be no surprise
 *   stale       the middle between valid and always, √valid; less where a quarter of those rules
 *               that name an invalid descriptor, and are violated at FIT_TELLS × valid or more, are
 *               violated less often; never below FIT_TELLS × valid
 *   at_suspect  ln(checks a run / share), share = FIT_ALARMS / 2 / tests a resource: a CUSUM of
 *               log likelihood ratios passes h within n checks with probability n·e^-h at most
 *               (each start over passes it with e^-h at most: Wald, "Sequential Analysis", 1947);
 *               and above whatever a valid run came to, by FIT_MARGIN
 *   at_stale    ln 10 more: ten times as rare
 *
 * A test that was never made keeps the row that is shipped.
 *
 * Probabilities of beliefs are the shares that came true over the same runs, at the moments at
 * which they are scored (contracts §5.5). The runs of one form of one mutation count as one
 * together; to them come FIT_PRIOR descriptors of which what was believed before any training is
 * true.
 *
 * Where nothing speaks against a descriptor (UNSEEN, START, CLEAN) that would count a class whose
 * faults show nothing for what it has in runs, and say nought where there is none yet. There it is
 * P(invalid) · P(believed so | invalid) / P(believed so), the middle one over classes: the sum of
 * each class's share of its invalid descriptors, and 1, over the classes and 3 (Laplace's rule of
 * succession: a class to come may be one that shows nothing). Told as the nearest of 1, 3, 10, 30…:
 * a dozen classes know it no better. Pure.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_TRAIN_FIT_H
#define ASSAY_PROFILERS_CAUSAL_TRAIN_FIT_H

#include "profilers/causal/train/corpus.h"

#define FIT_SURPRISE 0.1
#define FIT_TELLS    4.0
#define FIT_ALARMS   0.01 /* share of the valid resources of a run that may raise an alarm */
#define FIT_MARGIN   1.0
#define FIT_PRIOR    2.0

/* What a row rests on. */
struct fitted {
	size_t valid_runs, stale_runs; /* stale: rules that told */
	uint64_t checks, violations;   /* of valid ones */
	double top;		       /* the highest sum of a valid one */
};

/* Rates and levels; without: a class, NULL for none. -ENOMEM. about: TEST_CNT of them. */
int fit_tests(const struct corpus *c, const char *without, struct thresholds *ret,
	      struct fitted *about);

/* Probabilities, from joins with *t. */
int fit_beliefs(const struct corpus *c, const char *without, struct thresholds *t, struct diag *d);

#endif
