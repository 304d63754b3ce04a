/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file is, by how it begins: for whoever gave one in place of another.
 *
 * Looks at the first bytes alone and promises nothing of the rest. Thread-safe.
 */
#ifndef ASSAY_HARNESS_FILE_KIND_H
#define ASSAY_HARNESS_FILE_KIND_H

/* "truth", "claims", "evidence", "a manifest", "a program", "packed by zstd"; NULL: none of them,
 * or it cannot be read. */
const char *file_kind(const char *path);

/* A line on standard error where the file is known to be something else than that word. */
void file_kind_note(const char *path, const char *wanted);

#endif
