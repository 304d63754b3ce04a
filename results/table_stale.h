/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of resource events, profiles and stale contracts, for the terminal. Internal to
 * results/. */
#ifndef ASSAY_RESULTS_TABLE_STALE_H
#define ASSAY_RESULTS_TABLE_STALE_H

#include <stdio.h>

#include "results/view.h"

/* Resource events on unchanged programs, a row a profiler that claims any; nothing if none does. */
void table_events(struct view *v, FILE *out);

/* Profiles on unchanged programs, a row a profiler and key; 0 equals the true one, 1 has nothing in
 * common with it. -ENOMEM. In table_profiles.c. */
int table_profiles(struct view *v, FILE *out);

/* What each profiler said of contracts, over all quads and quad by quad; nothing if the run has no
 * variants. -ENOMEM. */
int table_stale(struct view *v, FILE *out);

#endif
