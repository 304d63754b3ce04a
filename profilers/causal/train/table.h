/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of thresholds as files, in the form of thresholds.def: one word and its numbers a line. */
#ifndef ASSAY_PROFILERS_CAUSAL_TRAIN_TABLE_H
#define ASSAY_PROFILERS_CAUSAL_TRAIN_TABLE_H

#include "lib/diag.h"
#include "profilers/causal/thresholds.h"

const char *test_name(unsigned test);
const char *belief_name(unsigned belief);

/* What a file does not name is as shipped. -EINVAL with file and line; *ret untouched then. */
int table_load(const char *path, struct thresholds *ret, struct diag *d);

/* note: lines of where it comes from, for the top; each begins with " * ". */
int table_save(const char *path, const struct thresholds *t, const char *note, struct diag *d);

#endif
