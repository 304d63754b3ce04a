/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline table as LaTeX (booktabs), for papers. */
#ifndef ASSAY_RESULTS_TEX_H
#define ASSAY_RESULTS_TEX_H

#include <stdio.h>

#include "results/view.h"

void tex_scores(struct view *v, FILE *out);

#endif
