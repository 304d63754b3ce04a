/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that write gnuplot scripts share. Internal to results/. */
#ifndef ASSAY_RESULTS_PLOTS_PARTS_H
#define ASSAY_RESULTS_PLOTS_PARTS_H

#include <stdio.h>

#include "results/cost_view.h"

/* The name of a row, inside gnuplot's quotes. */
void plot_label(FILE *gp, const struct view_row *row);

/* Point type and colour of a row, the same in all plots. */
void plot_style(const struct view_row *row, int *ret_type, unsigned *ret_colour);

/* Accuracy against cost: the data of frontier.gp, and the same in words. Returns the points
 * written. In plots_frontier.c. */
size_t plot_frontier(const struct cost_row *rows, size_t cnt, FILE *gp, FILE *alt);

#endif
