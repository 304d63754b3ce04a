/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON Schemas (draft 7) of what a profiler writes, from the vocabularies that the readers use, so
 * that schema and reader cannot drift apart. A schema is weaker than the reader: from <= to, or
 * which key spaces a run lists, it cannot say.
 */
#ifndef ASSAY_HARNESS_SCHEMA_H
#define ASSAY_HARNESS_SCHEMA_H

#include <stdio.h>

/* One line of a claims file. */
void schema_claims(FILE *out);

/* The object that a profiler's `describe` prints. */
void schema_describe(FILE *out);

#endif
