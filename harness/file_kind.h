/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file is, by how it begins: for whoever gave one in place of another.
 *
 * Looks at the first bytes alone and promises nothing of the rest. Thread-safe.
 */
#ifndef ASSAY_HARNESS_FILE_KIND_H
#define ASSAY_HARNESS_FILE_KIND_H

#include <stdbool.h>

/* Whether the file is known to be something else than that word ("truth", "claims", "evidence", "a
 * manifest", "a program"), which is an error then, on standard error; path NULL: no. */
bool file_kind_wrong(const char *path, const char *wanted);

/* The same below an error that has been printed. */
void file_kind_note(const char *path, const char *wanted);

#endif
