/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a compiler can make code from: two preprocessed sources of one essence become one object.
 *
 * A patch of a header touches every source that includes it, and few that use what it changed.
 * From the text that `cc -E -P` prints (macros, comments and line numbers are gone) everything is
 * kept but declarations of functions, and definitions of `static inline` ones, whose names occur
 * nowhere else in what is kept, strings included: neither makes code (C17 6.9 p5: a function with
 * internal linkage that no expression names need not be defined; gcc and clang emit none unless an
 * attribute such as `used` asks for it, and such definitions are kept). What cannot be told apart
 * from these with certainty is kept, so that the worst is a needless compile.
 *
 * Pure, thread-safe.
 */
#ifndef ASSAY_MUTATIONS_ESSENCE_H
#define ASSAY_MUTATIONS_ESSENCE_H

#include <stddef.h>
#include <stdint.h>

/* Adds the essence of a text to a hash. -ENOMEM. */
int essence_hash(const char *text, size_t len, uint64_t *h);

#endif
