/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Diagnoses that rest on nothing doubtful: the reading of adapter/diagnosis.h, as far as every
 * descriptor of the resource is still validated when the rules were last judged and none of its
 * rules has seen a violation that is not yet judged.
 *
 * What is withheld is said at the end in terms of health: one claim a label of a resource that
 * repeats what is believed of its most doubtful descriptor, why "withheld-LABEL", evidence so many
 * readings. Of one that was refused, or doubted from the start, nothing more is said.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_DIAGNOSES_H
#define ASSAY_PROFILERS_CAUSAL_DIAGNOSES_H

#include "profilers/causal/health.h"
#include "profilers/causal/rules.h"

struct diagnoses;

/* All are lent. NULL: no memory. */
struct diagnoses *diagnoses_new(const struct manifest *m, const struct health *h,
				const struct rules *rules, struct outlet *out);
void diagnoses_free(struct diagnoses *x);

void diagnoses_event(struct diagnoses *x, uint32_t desc, const struct ev_rec *r);
void diagnoses_record(struct diagnoses *x, const struct ev_rec *r);
void diagnoses_lost(struct diagnoses *x);

/* The rules have just been judged. */
int diagnoses_settle(struct diagnoses *x);
int diagnoses_finish(struct diagnoses *x, uint64_t t);

#endif
