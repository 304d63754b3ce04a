/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of each mutant, in a file: a long run can be broken off and goes on where it was.
 *
 * Tab-separated. A line "program" holds a hash of the program of all mutants that the lines below
 * it speak of. Then a line a mutant, in the order in which they were tried: verdict, file, line,
 * column, new token, old token, the test that caught it (or "-"), its CPU in ms, its number, a hash
 * of its file. The last line about a mutant counts.
 *
 * What was found out about another program is dropped; but if what survived is tried again, the
 * tests may have changed since: then all else holds, as long as its own file says the same
 * (comments do not count). That it holds after a change elsewhere is assumed, not shown.
 *
 * Functions but ledger_open and ledger_close may be called by several threads.
 */
#ifndef ASSAY_TESTS_MUTANTS_LEDGER_H
#define ASSAY_TESTS_MUTANTS_LEDGER_H

#include <stdio.h>

#include "tests/mutants/trial.h"

struct ledger;

/* path: NULL keeps no file. exe: the program of all mutants. again: what survived is tried again.
 * NULL and *d. */
struct ledger *ledger_open(const char *path, const char *exe, const struct sites *s, bool again,
			   struct diag *d);
/* 0, or negative errno if the file could not be written whole. */
int ledger_close(struct ledger *l);

/* Is it known from before? Only verdict and hung are restored. */
bool ledger_has(const struct ledger *l, const struct site *x, struct finding *ret);
/* test: the name of the one that caught it, or NULL. */
void ledger_add(struct ledger *l, const struct sites *s, const struct site *x,
		const struct finding *f, const char *test);

extern const char *const verdict_names[VERDICT_CNT];

#endif
