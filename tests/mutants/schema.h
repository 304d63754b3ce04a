/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutant schemata: one program that holds every mutant and becomes the one that it is told to be.
 * Source: Untch, Offutt, Harrold 1993, "Mutation analysis using mutant schemata", ISSTA.
 *
 * `a < b` is written as `(M(7) ? a <= b : a < b)`, so that a program is compiled and linked once
 * for all mutants, and notes which of them it comes by. What must be constant is written with
 * MF(7), which a compilation of its own decides. tests/mutants/switch.h defines both.
 */
#ifndef ASSAY_TESTS_MUTANTS_SCHEMA_H
#define ASSAY_TESTS_MUTANTS_SCHEMA_H

#include "tests/mutants/sites.h"

/* Writes each file below `folder`, by its own path; leaves what is as it should be. */
int schema_write(const struct sites *s, const char *folder, struct diag *d);

#endif
