/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scoring a run: every cell with claims against its truth, into scores.csv and scores.sqlite.
 *
 * A cell that ended in another state than ok counts as nothing claimed (contracts §5.8): its truth,
 * where there is one, is scored against an empty file of claims, and the status column says what
 * happened. Every planned cell, recordings too, has a line `cell.scored`: 1, or 0 where no figures
 * follow, so that the file alone says how every cell ended. Splits of handoffs by type, mark and
 * source are written of unchanged programs in the headline binding alone. Behind the cells stand
 * the figures over them (harness/summary.h). Both files appear whole or not at all; the same run
 * gives the same scores.csv.
 */
#ifndef ASSAY_HARNESS_SCORE_RUN_H
#define ASSAY_HARNESS_SCORE_RUN_H

#include <stddef.h>

#include "harness/plan.h"
#include "harness/programs.h"
#include "lib/diag.h"

/* step is called after each cell; NULL is fine. -EINVAL if cells have not ended. */
int score_run(const char *run, const struct plan *p, struct programs *programs,
	      void (*step)(void *arg, size_t done, size_t of), void *arg, struct diag *d);

/* scores.csv into a table `scores` and the cells' states into `cells`. */
int scores_to_sqlite(const char *run, const struct plan *p, struct diag *d);

#endif
