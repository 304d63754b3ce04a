/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sequential test of one rule's violation rate, against what loss can explain.
 *
 * Checks are gathered and judged together, some tens of milliseconds later, when it is known how
 * many records of that time were lost: a rate p of lost records makes up to LOSS_SPOILS·p of the
 * checks fail in a program that keeps its contract.
 * Source: E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954).
 */
#ifndef ASSAY_PROFILERS_CAUSAL_SUSPICION_H
#define ASSAY_PROFILERS_CAUSAL_SUSPICION_H

#include <stdbool.h>
#include <stdint.h>

#include "profilers/causal/thresholds.h"

enum suspicion_level { LEVEL_CLEAR = 0, LEVEL_SUSPECT = 1, LEVEL_STALE = 2 };

struct suspicion {
	double score;		     /* log likelihood ratio, from 0 */
	uint64_t checks, violations; /* all that were judged */
	uint32_t fresh, fresh_bad;   /* not yet judged */
	enum suspicion_level level;  /* the highest so far */
};

static inline void suspicion_add(struct suspicion *s, bool violated)
{
	s->fresh++;
	s->fresh_bad += violated;
}

/* loss: share of records lost in the time of the fresh checks. True if the level rose. */
bool suspicion_judge(struct suspicion *s, const struct threshold *t, double loss);

#endif
