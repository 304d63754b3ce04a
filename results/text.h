/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting numbers and strangers' words on paper: CSV, terminal, HTML, LaTeX.
 *
 * Words come from files that others wrote. Each writer emits valid UTF-8 (a byte that is none
 * becomes U+FFFD), no control characters, and nothing that its format would take for markup.
 * All functions are pure or write to the stream only; thread-safe.
 */
#ifndef ASSAY_RESULTS_TEXT_H
#define ASSAY_RESULTS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NUMBER_LEN 48 /* room for any number below, its NUL included */

/* Shortest decimal that strtod reads back as v, which is finite. Returns buf. */
char *number_exact(char buf[static NUMBER_LEN], double v);

/*
 * A ratio with four decimals that never rounds to 0 or to 1 unless it is: 0.99997 is 0.9999. Values
 * outside 0…1 get four decimals.
 */
char *number_ratio(char buf[static NUMBER_LEN], double v);

/* The same with two decimals; what lies just below 0 is -0.01. */
char *number_score(char buf[static NUMBER_LEN], double v);

/* A count; group (at most 3 bytes, may be "") is put between groups of three digits. */
char *number_count(char buf[static NUMBER_LEN], uint64_t v, const char *group);

/* Next code point of *s, U+FFFD for a byte that is no UTF-8; 0 at the end. Advances *s. */
uint32_t utf8_next(const char **s);

/* UTF-8 without control characters; at most columns code points, the last being … if cut. */
size_t text_plain(FILE *out, const char *s, size_t columns);

/* The same with tail (ASCII, never cut) behind it, and blanks up to width, at least one. */
void text_padded(FILE *out, const char *s, const char *tail, size_t width);

void text_html(FILE *out, const char *s);
void text_latex(FILE *out, const char *s);
/* A relative URL's path: everything but unreserved characters and / is percent-encoded. */
void text_url(FILE *out, const char *s);

#endif
