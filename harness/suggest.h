/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest known word to a mistyped one. Pure and thread-safe. */
#ifndef ASSAY_HARNESS_SUGGEST_H
#define ASSAY_HARNESS_SUGGEST_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours) between two words; longer than 63: 64. */
unsigned suggest_distance(const char *a, const char *b);

/* The word of words[0 … cnt) nearest to `word`, or NULL where none is near enough (more than a
 * third of its letters, at least 2, would change). The first wins a tie. */
const char *suggest(const char *word, const char *const *words, size_t cnt);

#endif
