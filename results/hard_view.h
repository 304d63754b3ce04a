/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profilers under regimes that apply while a cell runs, and with planted candidates: one list of
 * columns for the terminal and the page.
 */
#ifndef ASSAY_RESULTS_HARD_VIEW_H
#define ASSAY_RESULTS_HARD_VIEW_H

#include "results/figures.h"
#include "results/view.h"

struct hard_column {
	const char *head, *metric, *scope;
	enum figure_kind kind;
	bool least; /* of several seeds the lowest is the one to show, else the highest */
};

enum { HARD_COLUMNS = 6, CANDIDATE_COLUMNS = 2 };

extern const struct hard_column hard_columns[HARD_COLUMNS];
extern const struct hard_column candidate_columns[CANDIDATE_COLUMNS];

/* Whether a row belongs into such a table: it claims something there. */
bool hard_row_shows(const struct view_group *g, const struct view_row *row);

/* 80 columns wide each, nothing where the run has no such cells. */
void table_hard(struct view *v, FILE *out);

#endif
