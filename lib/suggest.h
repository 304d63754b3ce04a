/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What somebody probably meant who mistyped a word.
 *
 * Distance: insertions, deletions, replacements and swaps of neighbours, each 1 (optimal string
 * alignment). Pure, thread-safe, no allocation; words of more than 63 bytes are never near.
 */
#ifndef ASSAY_LIB_SUGGEST_H
#define ASSAY_LIB_SUGGEST_H

#include <stddef.h>

/*
 * The nearest of cnt words (NULL entries are skipped), the first among equals. NULL where none is
 * near: more than a third of the letters differ, and word is no beginning of one.
 */
const char *suggest(const char *word, const char *const *words, size_t cnt);

/* The distance; SIZE_MAX if a word has more than 63 bytes. */
size_t suggest_distance(const char *a, const char *b);

#endif
