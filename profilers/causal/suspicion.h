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

enum { SUSPICION_RUNS = 16 }; /* where there are more, the last is mixed */

struct suspicion_run {
	uint32_t held, bad; /* checks that held, then violations */
	bool mixed;	    /* evenly, in an order that is not known */
};

enum suspicion_level { LEVEL_CLEAR = 0, LEVEL_SUSPECT = 1, LEVEL_STALE = 2 };

struct suspicion {
	double score;				  /* log likelihood ratio, from 0 */
	uint64_t checks, violations;		  /* all that were judged */
	enum suspicion_level level;		  /* the highest so far */
	struct suspicion_run run[SUSPICION_RUNS]; /* not yet judged, in order */
	uint32_t runs;
};

void suspicion_add(struct suspicion *s, bool violated);
/* Violations that have not been judged. */
bool suspicion_waits(const struct suspicion *s);

/* loss: share of records lost in the time of the fresh checks. */
void suspicion_judge(struct suspicion *s, const struct threshold *t, double loss);

#endif
