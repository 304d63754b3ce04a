/* SPDX-License-Identifier: BSD-2-Clause */
/* Arranges the cells of a view's run into groups and rows; used by view.c alone. */
#ifndef ASSAY_RESULTS_VIEW_GROUPS_H
#define ASSAY_RESULTS_VIEW_GROUPS_H

#include "results/view.h"

int view_make_groups(struct view *v); /* -ENOMEM or 0 */
void view_free_groups(struct view *v);

#endif
