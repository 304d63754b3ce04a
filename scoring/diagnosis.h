/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Diagnosis: label × subject, as far as one pair of files tells (contracts §5.7).
 *
 * A claimed diagnosis is right if truth has one of equal label and subject (a missing subject
 * equals an empty one) whose window holds the claim's time. Each true diagnosis is found if a
 * right claim names it; its time to label is the earliest such claim's t − t[0]. Coverage and the
 * share of right claims are null without truth or without claims: who never diagnoses scores
 * null. The confusion table counts, for each true (label, subject) or none, the claims made while
 * it held: a claim whose time lies in the windows of several true diagnoses counts under the one
 * it names, else under the first in truth. Only records in `scored` count.
 *
 * What needs more than one pair of files (base and twin, budget steps, wrong diagnoses avoided
 * against a reference) is left to whoever holds them.
 */
#ifndef ASSAY_SCORING_DIAGNOSIS_H
#define ASSAY_SCORING_DIAGNOSIS_H

#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/scope.h"

struct confusion {
	const char *true_label, *true_subject; /* "" "": nothing was wrong then */
	const char *label, *subject;	       /* as claimed */
	uint64_t claims;
};

struct labelled { /* true diagnoses of one label */
	const char *label;
	uint64_t truth, found;
	struct ratio time_to_label; /* ns, the longest of what was found */
};

struct sureness { /* claims of one confidence; a missing one counts as 1 */
	double conf;
	uint64_t claims, right;
};

struct diagnosis_score {
	uint64_t truth, found;
	uint64_t claims, right;
	struct ratio time_to_label;  /* ns, nearest-rank median over what was found */
	struct confusion *confusion; /* sorted; borrowed words */
	size_t confusion_cnt;
	struct labelled *labels; /* sorted by label; borrowed words */
	size_t label_cnt;
	struct sureness *sureness; /* the most sure first */
	size_t sureness_cnt;
};

int score_diagnoses(const struct truth *t, const struct claims *c, struct diagnosis_score *ret);
void diagnosis_score_free(struct diagnosis_score *s);

#endif
