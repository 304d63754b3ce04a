/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which function of a program an instruction of one of its processes belongs to.
 *
 * Where the program was loaded is read once, at attach; processes that it forks have it at the same
 * place. Not thread-safe.
 */
#ifndef ASSAY_PROFILERS_CPU_SYMBOLS_H
#define ASSAY_PROFILERS_CPU_SYMBOLS_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/diag.h"

struct symbols;

/* exe NULL: what the process runs. Errors are those of reading the file or /proc. */
int symbols_open(pid_t pid, const char *exe, struct symbols **ret, struct diag *d);
void symbols_free(struct symbols *s); /* NULL is fine */

/* The function's name, or NULL: code of another file, or without a symbol. Owned by s. */
const char *symbols_at(const struct symbols *s, uint64_t ip);

#endif
