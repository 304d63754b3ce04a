/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs compilers and patch programs, and reads what they print.
 *
 * The program is looked up on PATH, gets no input and its own descriptors only; what it prints, on
 * both outputs, is kept (at most 1 MiB). Not thread-safe: it waits for the child that it started
 * and no other.
 */
#ifndef ASSAY_MUTATIONS_TOOL_H
#define ASSAY_MUTATIONS_TOOL_H

#include "lib/diag.h"

/*
 * Runs argv in folder cwd. Returns the exit code, or a negative errno with *d: -ENOPKG where the
 * program is not installed (the cure names the package), -EINTR where a signal ended it. *ret_text
 * (may be NULL) is what it printed, the caller's to free; untouched on a negative return.
 */
int tool_run(char *const *argv, const char *cwd, char **ret_text, struct diag *d);

/* The same where any exit code but 0 is an error: the last line that it printed is the reason. */
int tool_must(char *const *argv, const char *cwd, const char *cure, struct diag *d);

/* Applies a patch in folder cwd, by every line of its context. -EINVAL where it does not apply. */
int tool_patch(const char *patch, const char *cwd, const char *cure, struct diag *d);

#endif
