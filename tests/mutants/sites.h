/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where C source can be mutated: operators and bounds, one token at a time.
 *
 *   <  ↔ <=    >  ↔ >=    == ↔ !=    && ↔ ||    + ↔ -    += ↔ -=    true ↔ false
 *   a decimal constant: one more, and one less unless it is 0
 *
 * Comments, strings, preprocessor lines, enumerators and the sizes of declared arrays are left
 * alone; signs are no operators. A line, or the line below a line of its own, that says
 * "mutant: equivalent because …" in a comment excuses what survives on it.
 */
#ifndef ASSAY_TESTS_MUTANTS_SITES_H
#define ASSAY_TESTS_MUTANTS_SITES_H

#include <stdbool.h>
#include <stddef.h>

enum { SITE_PATH = 128, SITE_TOKEN = 24 };

struct site {
	char file[SITE_PATH];
	const char *text;   /* of the whole file as it was scanned; owned by the sites */
	size_t offset, len; /* of the token, in bytes */
	unsigned line, column;
	char from[SITE_TOKEN], to[SITE_TOKEN];
	bool excused;
};

struct sites {
	struct site *v;
	size_t cnt, room;
	char **texts;
	size_t texts_cnt;
};

/* Appends the sites of one file. 0, or negative errno. */
int sites_scan(struct sites *s, const char *path);
void sites_free(struct sites *s);

/* Writes the file as it was scanned, but mutated, to another path. 0, or negative errno. */
int site_apply(const struct site *x, const char *to_path);

#endif
