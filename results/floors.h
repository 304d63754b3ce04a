/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does guessing work? The profilers of division none look at nothing that would tell, so a workload
 * on which one of them does well measures nothing. The limit is a rule of this suite, no theorem.
 * Marks figures of the view as shown; not thread-safe.
 */
#ifndef ASSAY_RESULTS_FLOORS_H
#define ASSAY_RESULTS_FLOORS_H

#include "results/view.h"

/* F1 on declared types, context level. */
#define FLOOR_LIMIT 0.7

/* By design: everything happens on one thread. */
bool floors_may_work(const char *workload);

struct floor_best {
	const struct view_group *group;
	const struct view_row *row;
	double f1;    /* the greatest of its seeds */
	double least; /* the least */
};

/* Whoever has the greatest F1 of those who guess; false: none has any. */
bool floors_best(struct view *v, const struct view_group *g, struct floor_best *ret);

#endif
