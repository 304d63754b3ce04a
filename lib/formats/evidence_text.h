/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence as text: JSON Lines for whoever writes a joiner, the header first, then a record a line.
 *
 * `kind` and the fields behind `flags` are the names that bpf/evidence.h gives the kinds and what
 * their a … e hold; fields that a kind has no use for are left out. Addresses and packed values
 * are strings of hex digits, all others decimals. There is no way back: evidence is binary.
 */
#ifndef ASSAY_LIB_FORMATS_EVIDENCE_TEXT_H
#define ASSAY_LIB_FORMATS_EVIDENCE_TEXT_H

#include <stdio.h>

#include "lib/formats/evidence.h"

/* 0, or the first error of the stream as negative errno. Does not flush. */
int evidence_export(const struct evidence *e, FILE *out);

/* The JSON Schema of a line. */
void evidence_schema(FILE *out);

#endif
