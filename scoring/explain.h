/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a claim is wrong, and what was missed: text for `assay explain`.
 *
 * The verdicts are the scorer's own; the rules of contracts §5.1 are applied a second time, one
 * claim against every handoff of its type, in the plainest form, so that each candidate can be
 * shown with the reason why it matches or by how much it does not. Where the verdict cannot follow
 * from those sets, a rank batch decided, and the batch is shown. Cost: O(truth + claims) a claim.
 *
 * A struct explain is read-only once open and may be used by several threads.
 */
#ifndef ASSAY_SCORING_EXPLAIN_H
#define ASSAY_SCORING_EXPLAIN_H

#include <stddef.h>
#include <stdio.h>

#include "groundtruth/truth.h"
#include "lib/diag.h"
#include "lib/formats/claims.h"

struct explain; /* truth, claims and verdicts of one cell; owned */

/* Loads, checks and scores. NULL and *d: a file is unreadable, truth broken or claims invalid. */
struct explain *explain_open(const char *truth_path, const char *claims_path, struct diag *d);
void explain_free(struct explain *x);

size_t explain_claims_cnt(const struct explain *x);

/*
 * One claim, numbered from 1 in file order (line number + 1 of the JSON form): the claim, the
 * verdict at each level and the rule that decided, the candidates at both ends with their windows,
 * and truth around them. -ERANGE: no such claim; other negative errno: memory or the stream.
 */
int explain_claim(const struct explain *x, size_t number, FILE *out);

/* The cell: wrong claims by verdict and type, how many have no verdict, then missed handoffs by
 * kind, most first, each with one example. */
int explain_cell(const struct explain *x, FILE *out);

#endif
