/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plots of a run, drawn by gnuplot into RUN/plots.
 *
 * gnuplot is optional: without it, or where it fails, the list says so in `trouble` and holds what
 * was drawn so far. Owned by the caller.
 */
#ifndef ASSAY_RESULTS_PLOTS_H
#define ASSAY_RESULTS_PLOTS_H

#include <stdio.h>

#include "results/view.h"

/* The first two are of a group, the third of a profiler over all its quads, the last of a workload
 * and division. */
enum plot_kind {
	PLOT_PRECISION_RECALL = 0,
	PLOT_OUTCOMES = 1,
	GROUP_PLOT_CNT = 2,
	PLOT_RELIABILITY = 2,
	PLOT_FRONTIER = 3,
	PLOT_KIND_CNT = 4,
};

struct cost_row;

struct plot {
	char *name; /* plots/NAME.svg */
	char *alt;  /* the same in words */
	enum plot_kind kind;
	const struct view_group *group;	 /* of the first two */
	const char *profiler;		 /* of PLOT_RELIABILITY */
	const char *workload, *division; /* of PLOT_FRONTIER */
	const struct cost_row *rows;	 /* of the same, while it is drawn */
	size_t row_cnt;
};

struct plots {
	struct plot *v;
	size_t cnt;
	char trouble[256]; /* one sentence, or "" */
};

/* Negative errno only where memory or the disk fails. */
int plots_draw(struct view *v, struct plots *ret, struct diag *d);
void plots_free(struct plots *p);

/* NULL where this plot was not drawn. */
const struct plot *plots_find(const struct plots *p, const struct view_group *g, enum plot_kind k);

/*
 * Copies plots/NAME.svg into an HTML page: no XML prologue, ids made unique by the name, labelled
 * with alt. -errno where it cannot be read.
 */
int plot_inline(const struct plot *p, const char *run_dir, FILE *out);

#endif
