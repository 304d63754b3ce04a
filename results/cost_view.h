/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What watching cost in a run: its overhead cells, arranged for the reader.
 *
 * A row is one cell: a profiler on a workload. The headline is what was counted (hits · ns a hit +
 * the profiler's CPU) where all of it could be; the paired difference, its
 * interval and the least effect that would have been found stand beside it (contracts §5.6). No
 * paired figure without the last. Accuracy is that of the same cell: handoffs by F1 over all types,
 * so that whoever declares little is not ahead for it, profiles by 1 - distance. Rows come by
 * workload, division and name. Owned by the view; not thread-safe.
 */
#ifndef ASSAY_RESULTS_COST_VIEW_H
#define ASSAY_RESULTS_COST_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "results/view.h"

struct cost_row {
	struct view_row as; /* the profiler as other tables name it; no cells */
	const struct run_cell *cell;
	bool has_paired, has_counted; /* counted: all of it */
	double paired, lo, hi, least; /* share of the unwatched run's CPU */
	double counted;
	bool joins; /* declares handoffs */
	bool has_f1, has_profile;
	double f1, profile; /* accuracy, 0…1 */
};

struct cost_view {
	struct cost_row *rows;
	size_t cnt;
};

/* -ENOMEM. Marks all figures of overhead cells as shown. */
int cost_view_make(struct view *v, struct cost_view *ret);
void cost_view_free(struct cost_view *x);

/* How many rows from `first` on are of its workload, or of its workload and division. */
size_t cost_view_workload(const struct cost_view *x, size_t first);
size_t cost_view_division(const struct cost_view *x, size_t first);

/* A figure of the row's cell; NULL: it has no value. */
const struct view_figure *cost_figure(const struct view *v, const struct cost_row *row,
				      const char *metric, const char *scope);

/* The headline, false where there is neither. */
bool cost_headline(const struct cost_row *row, double *ret);

/*
 * Accuracy per cost where one asks which thread used the CPU, on a workload (rows first … first +
 * cnt - 1): the nearest profile against each profiler that joins handoffs and claims such a
 * profile, too. Against those that claim none there is nothing to win. A is accuracy, 1 - distance,
 * c the paired cost: A1 / c1 > A2 / c2 where A2 c1 < A1 c2, and that is said where the difference
 * is beyond its 95 % interval, of half widths A2 h1 and A1 h2 added in quadrature (the costs are
 * independent means, accuracies are taken as they are).
 */
enum cost_verdict {
	COST_NOTHING = 0,   /* one of the two kinds is not there */
	COST_ALONE = 1,	    /* of those that join handoffs none claims a profile */
	COST_BEATS = 2,	    /* its ratio is above that of each that claims one */
	COST_UNDECIDED = 3, /* it cannot be told, or costs are not known */
	COST_BEATEN = 4,    /* its ratio is below that of one */
};
enum cost_verdict cost_compare(const struct cost_view *x, size_t first, size_t cnt,
			       const struct cost_row **ret_sampler);

/* 80 columns, nothing where the run has no such cells. -ENOMEM. In table_cost.c. */
int table_cost(struct view *v, FILE *out);

#endif
