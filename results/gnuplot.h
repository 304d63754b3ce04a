/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs gnuplot on a script; the one place that starts a program in this folder. */
#ifndef ASSAY_RESULTS_GNUPLOT_H
#define ASSAY_RESULTS_GNUPLOT_H

#include <stddef.h>

/*
 * Runs `gnuplot NAME.gp` inside dir, which makes NAME.svg there. 0, or -1 and one sentence in
 * trouble; NAME.svg does not exist then.
 */
int gnuplot_run(const char *dir, const char *name, char *trouble, size_t len);

#endif
