/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of each profiler when records were taken away: the same recordings under every
 * regime, side by side, for the page and the terminal.
 *
 * Borrowed from the view but for the arrays; made once, then immutable.
 */
#ifndef ASSAY_RESULTS_LOSS_VIEW_H
#define ASSAY_RESULTS_LOSS_VIEW_H

#include "results/view.h"

/* One profiler on one workload; lines of one workload follow one another. */
struct loss_line {
	const char *workload;
	const struct view_row **rows; /* a regime each, in the view's order; NULL: no such cell */
};

struct loss_view {
	const char **regimes; /* "clean" first, then by word and by the number behind it */
	size_t regime_cnt;    /* 0: the run has no regime but clean */
	struct loss_line *lines;
	size_t line_cnt;
};

int loss_view_make(const struct view *v, struct loss_view *ret); /* -ENOMEM */
void loss_view_free(struct loss_view *x);

/* Any row of a line: its profiler. */
const struct view_row *loss_line_who(const struct loss_view *x, const struct loss_line *l);

/* Whether it claims handoffs at all, under any regime. Marks figures as shown. */
bool loss_line_joins(struct view *v, const struct loss_view *x, const struct loss_line *l);

/* Nobody told the joiner of this loss: only then is it worth something to own up to it. */
bool loss_is_silent(const char *regime);

/* 80 columns wide: how often joins were false, and how much of what was lost was owned up to. */
int table_loss(struct view *v, FILE *out); /* -ENOMEM */

#endif
