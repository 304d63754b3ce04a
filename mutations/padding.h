/* SPDX-License-Identifier: BSD-2-Clause */
/* Neutral functions and constants that a salt puts between the objects of a variant. */
#ifndef ASSAY_MUTATIONS_PADDING_H
#define ASSAY_MUTATIONS_PADDING_H

#include <stdint.h>
#include <stdio.h>

#include "mutations/record.h"

/* How many padding files a salt makes: 2 … 5. */
unsigned padding_files(uint64_t salt);

/* The name of the i-th, such as "pages.c"; different for each i. */
void padding_name(uint64_t salt, unsigned i, char ret[RECORD_WORD]);

/* Its text: functions that compute, are never called, and cannot be told from others by name. */
void padding_write(uint64_t salt, unsigned i, FILE *out);

#endif
