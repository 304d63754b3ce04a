/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reports of a run: a table for the terminal, a page for the browser, plots, LaTeX.
 *
 * All read RUN_DIR/{run.json,plan.tsv,scores.csv,cells/…/status.json} and nothing else, so a report
 * can be written again at any time, anywhere. The same folder gives the same bytes. A run whose
 * cells do not reconcile gets no report (-EINVAL, contracts §5.8).
 */
#ifndef ASSAY_RESULTS_REPORT_H
#define ASSAY_RESULTS_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "lib/diag.h"

/* At most 80 columns; coloured only if out is a terminal and NO_COLOR is not set. */
int report_table(const char *run_dir, FILE *out, struct diag *d);

/*
 * Writes report.html, tables/scores.tex, where there are variants tables/stale.tex, and, where
 * gnuplot is installed, plots/NAME.svg with the script NAME.gp that drew it. Each file appears
 * whole or not at all.
 */
int report_write(const char *run_dir, struct diag *d);

/* Acceptance cases of the run in which the naive reference is not wrong as the report says. */
int report_unreproduced(const char *run_dir, size_t *ret, struct diag *d);

#endif
