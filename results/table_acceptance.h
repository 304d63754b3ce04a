/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of acceptance cases, for the terminal.
 */
#ifndef ASSAY_RESULTS_TABLE_ACCEPTANCE_H
#define ASSAY_RESULTS_TABLE_ACCEPTANCE_H

#include <stdio.h>

#include "results/acceptance.h"

/* Nothing where the run has none. */
void table_acceptance(const struct acceptance *a, FILE *out);

#endif
