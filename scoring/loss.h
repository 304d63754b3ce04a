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
 *   told       of a missing one 1 if an orphan speaks of it, else what share of the losses in its
 *              src.t and dst.t lies in claimed gaps, both by their length in ns
 *   given up   of an intact one 1 if an orphan speaks of it, else what share of its src.t and dst.t
 *              lies in claimed gaps
 *   informedness  told / missing − given up / intact (Youden 1950, "Index for rating diagnostic
 *              tests", Cancer 3): 1 is best, 0 for who claims gaps at random, however long and how
 *              many, one over all, or orphans of all; no number where nothing is missing or nothing
 *              intact
 *
 * Explained and in a gap are generous to different gaps: a gap of 1 ns explains what it meets, and
 * none holds a window. So a gap every 10 µs explains everything and gives up nothing. Shares of
 * time are in step: who claims the share p of all time at random tells of p and gives up p.
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
	double told, given_up;		  /* sums over missing and intact */
};

/* spoken: handoff_verdicts.spoken of the context level. -ENOMEM. */
int score_loss(const struct truth *t, const struct claims *c, const uint8_t *spoken,
	       struct loss_score *ret);

struct ratio loss_informedness(const struct loss_score *s);

#endif
