/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's mutants and twins arranged by quad, for the page and the terminal.
 *
 * Borrowed from the view but for the arrays; made once, then immutable.
 */
#ifndef ASSAY_RESULTS_STALE_VIEW_H
#define ASSAY_RESULTS_STALE_VIEW_H

#include "results/view.h"

/* One quad of one workload, under the headline binding and without loss. */
struct stale_quad {
	const char *workload;
	const char *variant;	      /* of the mutant or, where there is none, the twin */
	size_t id_len;		      /* of the mutation's id, at the start of variant */
	const struct run_quad *known; /* NULL: the tree knew it not */
	const struct view_group *mutant, *twin; /* NULL: not in the run */
};

struct stale_view {
	struct stale_quad *quads; /* witnessed first, then by workload and id */
	size_t quad_cnt, witnessed_cnt;
	/* who joined variants: names as in the plan, " live" behind those that ran live */
	const char **contestants;
	size_t contestant_cnt;
};

int stale_view_make(const struct view *v, struct stale_view *ret); /* -ENOMEM */
void stale_view_free(struct stale_view *x);

/* The row of a contestant in a group; NULL: none, or no group. */
const struct view_row *stale_row(const struct view_group *g, const char *contestant);

/* What was said of one form of a quad: counts of resources, summed over seeds. */
struct stale_said {
	double valid[3], stale[3]; /* kept, suspect, stale */
	double detected, localised, alarms;
	enum cell_state state; /* the worst */
};

struct stale_said stale_said_of(struct view *v, const struct view_row *row);

/* The worst that was said of the stale resources: kept, suspect, stale; "quiet" where none is. */
const char *stale_worst(const struct stale_said *s);

#endif
