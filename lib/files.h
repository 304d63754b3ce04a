/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files and folders: whole or not at all.
 *
 * A result appears under its name only when it is complete: it is written to PATH.part beside it
 * and renamed. Every error of the disk, that of the last flush and close included, is reported with
 * the path; a file that could not be finished is removed. Thread-safe but for one struct file_out.
 */
#ifndef ASSAY_LIB_FILES_H
#define ASSAY_LIB_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"

/* "a/b", or "a" where b is "", or b where it is absolute. -ENAMETOOLONG; buf untouched then. */
int path_join(char *buf, size_t cap, const char *a, const char *b);

/* The folder and all above it; fine if it is there. */
int dir_make(const char *path, struct diag *d);

/*
 * A whole file, NUL-terminated (the NUL not counted); the caller frees. -EFBIG beyond max bytes.
 * ret_len may be NULL if the content may not hold NUL.
 */
int file_read(const char *path, size_t max, char **ret, size_t *ret_len, struct diag *d);

/* Replaces the file by these bytes. */
int file_write(const char *path, const void *bytes, size_t len, struct diag *d);

/* A file that is being written; plain data, not to be copied while open. */
struct file_out {
	FILE *f;
	char path[PATH_MAX];
	char part[PATH_MAX];
};

/* -EINVAL where path is a device, pipe or socket, which a rename would replace. */
int file_out_open(struct file_out *o, const char *path, struct diag *d);
/* Flushes, closes, renames; on failure nothing is left behind. o is closed in any case. */
int file_out_commit(struct file_out *o, struct diag *d);
/* Closes and removes. Does nothing if o is closed or all zero. */
void file_out_abort(struct file_out *o);

/* Whether something is there that is no regular file: a device, pipe, socket or folder. */
bool file_is_special(const char *path);

/* diag_set for a failed system call on a path: the reason is "cannot VERB: STRERROR", the cure
 * fits the error where there is one (full disk, missing folder, rights). Returns err. */
int file_error(struct diag *d, int err, const char *path, const char *verb);

#endif
