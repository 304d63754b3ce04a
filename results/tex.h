/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline tables as LaTeX (booktabs), for papers. */
#ifndef ASSAY_RESULTS_TEX_H
#define ASSAY_RESULTS_TEX_H

#include <stdio.h>

#include "results/view.h"

int tex_scores(struct view *v, FILE *out); /* 0 */
int tex_stale(struct view *v, FILE *out);  /* a row a profiler; -ENOMEM */

#endif
