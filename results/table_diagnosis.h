/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of diagnoses, for the terminal. Internal to results/. */
#ifndef ASSAY_RESULTS_TABLE_DIAGNOSIS_H
#define ASSAY_RESULTS_TABLE_DIAGNOSIS_H

#include <stdio.h>

#include "results/view.h"

/* Who named what ails, over all cases and case by case; nothing if the run has neither ill programs
 * nor lookalikes, or nobody diagnoses. -ENOMEM. */
int table_diagnosis(struct view *v, FILE *out);

#endif
