/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where C source can be mutated: operators and bounds, one token at a time.
 *
 *   <  ↔ <=    >  ↔ >=    == ↔ !=    && ↔ ||    + ↔ -    += ↔ -=    true ↔ false
 *   a decimal constant: one more, and one less unless it is 0
 *
 * Comments, strings, preprocessor lines, enumerators, widths of bit fields, the sizes of declared
 * arrays, static assertions and what sizeof only looks at are left alone; signs are no operators. A
 * comment "mutant: equivalent because …" on a line, or on a line of its own above it, excuses what
 * survives there; "mutant <= 2: equivalent because …" only the mutants that write `<=` or `2`.
 */
#ifndef ASSAY_TESTS_MUTANTS_SITES_H
#define ASSAY_TESTS_MUTANTS_SITES_H

#include <stdint.h>

#include "lib/diag.h"
#include "tests/mutants/tokens.h"

enum { SITE_PATH = 128, SITE_TOKEN = 24, SITE_BYTES_MAX = 1 << 20 };

/* Numbers of mutants: those of file f begin at 1 + f * SITES_A_FILE, whatever the others hold. */
enum { SITES_A_FILE = 1024, SITES_FILES = 128 };

struct site {
	uint32_t id;
	uint32_t file;	 /* its place in sites.files */
	size_t token;	 /* which is replaced */
	size_t from, to; /* of an operator: all its operands, as tokens */
	unsigned line, column;
	char old[SITE_TOKEN], new[SITE_TOKEN];
	bool fixed; /* the compiler must know its value: a table, a case */
	bool excused;
};

struct source {
	char path[SITE_PATH];
	bool header; /* its constants are left alone: they would be fixed in many files at once */
	char *text;
	struct tokens tokens;
	uint64_t hash;	   /* of path and tokens: comments do not count */
	size_t first, cnt; /* its sites */
};

struct sites {
	struct site *v;
	size_t cnt, room;
	struct source *files;
	size_t files_cnt;
};

/* Appends the sites of one file. 0, or negative errno; -E2BIG if it has too many of them. */
int sites_scan(struct sites *s, const char *path, struct diag *d);
void sites_free(struct sites *s);

#endif
