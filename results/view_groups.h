/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a view, used by view.c alone: groups and rows of cells, figures over cells. */
#ifndef ASSAY_RESULTS_VIEW_GROUPS_H
#define ASSAY_RESULTS_VIEW_GROUPS_H

#include "results/scores_csv.h"
#include "results/view.h"

int view_make_groups(struct view *v); /* -ENOMEM or 0 */
void view_free_groups(struct view *v);

const char *view_keep(struct view *v, const char *s);		    /* interned; NULL: -ENOMEM */
int view_add_summary(struct view *v, const struct figure_row *row); /* -ENOMEM or 0 */
void view_sort_summaries(struct view *v);

/* With at least SEEDS_MIN seeds: the interval of their mean. */
void view_put_interval(const struct view *v, const struct view_row *row, const char *metric,
		       const char *scope, struct span *s);

#endif
