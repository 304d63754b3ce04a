/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Claims made of truth: what the scorer must call perfect, always wrong, and cheating.
 *
 *   oracle        everything that truth knows, as claims: handoffs at context level with key and
 *                 scope, one-ended ones as orphans, events with a generation a life, effects, costs
 *                 (and wall time), thread and op-kind profiles, gaps, diagnoses, health.
 *   liar          always wrong, always sure: see liar.c for why nothing of it can be right.
 *   liar-decoys   decoys taken for truth, as someone who reads the truth memory would.
 *
 * Truth must have passed its self-checks; the liar's guarantee rests on them. Same truth, same
 * claims.
 */
#ifndef ASSAY_GROUNDTRUTH_TO_CLAIMS_H
#define ASSAY_GROUNDTRUTH_TO_CLAIMS_H

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

enum truth_claims { TRUTH_ORACLE = 0, TRUTH_LIAR = 1, TRUTH_LIAR_DECOYS = 2, TRUTH_CLAIMS_CNT = 3 };

const char *truth_claims_name(enum truth_claims mode);
int truth_claims_parse(const char *name); /* mode or -1 */

/* What the claims' header says: the mode as profiler, and what it declares. */
void truth_claims_header(enum truth_claims mode, struct claims_header *ret);

/* Writes all claims; the writer stays the caller's to close. Negative errno: -ENOMEM, or what the
 * writer said (it says it again at close, with a diag). */
int truth_to_claims(const struct truth *t, enum truth_claims mode, struct claims_writer *w);

#endif
