/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loss honesty: does the profiler say what it did not see? (contracts §5.5; the notion of data
 * missing with or without notice is Rubin 1976, "Inference and missing data", Biometrika 63.)
 *
 * Over the handoffs of §5.1's denominator (two ends, scored), at context level:
 *   hit        its src.t or dst.t meets a loss record of truth
 *   missing    hit and not credited
 *   explained  missing, and an orphan speaks of it or its src.t or dst.t meets a claimed gap
 *   intact     not hit
 *   in a gap   intact, and its src.t or dst.t lies wholly in one claimed gap
 *   informedness  explained / missing − in a gap / intact (Youden 1950, "Index for rating
 *              diagnostic tests", Cancer 3): 1 is best, 0 for who claims gaps at random, or one
 *              over all; no number where nothing is missing or nothing intact
 *
 * Readings taken: it is the handoffs that are scored, so loss records and claimed gaps that lie
 * only partly in `scored` (or not at all) still hit and explain what they meet and hold what lies
 * in them; the counts of lost records are figures of their own, and summed over the records and
 * gaps that lie in `scored` wholly, up to 2^64−1, where the sums stay.
 */
#ifndef ASSAY_SCORING_LOSS_H
#define ASSAY_SCORING_LOSS_H

#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/scope.h"

struct loss_score {
	uint64_t missing, explained;
	uint64_t intact, in_gap;
	uint64_t lost_true, lost_claimed; /* records */
};

/* spoken: handoff_verdicts.spoken of the context level. -ENOMEM. */
int score_loss(const struct truth *t, const struct claims *c, const uint8_t *spoken,
	       struct loss_score *ret);

struct ratio loss_informedness(const struct loss_score *s);

#endif
