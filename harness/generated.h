/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of the quads of a seed: drawn.tsv in their folder, a line each, written at once.
 *
 * "id template step reason" with tabs between; step is "certified", or where the quad was left. The
 * first line says the seed. So a command that was stopped goes on where it was. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_GENERATED_H
#define ASSAY_HARNESS_GENERATED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"
#include "mutations/record.h"

struct generated_line {
	char id[RECORD_WORD];
	bool certified;
};

struct generated {
	FILE *f;
	struct generated_line *v; /* as it was when it was opened */
	size_t cnt;
};

/* -EINVAL where the folder is another seed's. */
int generated_open(const char *folder, uint64_t seed, struct generated *ret, struct diag *d);
/* The error of the disk, if there was one. Fine on zeros. */
int generated_close(struct generated *g, struct diag *d);

const struct generated_line *generated_find(const struct generated *g, const char *id);
void generated_add(struct generated *g, const char *id, const char *template, const char *step,
		   const char *reason);

#endif
