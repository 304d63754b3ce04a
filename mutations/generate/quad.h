/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generated quad before it is a folder: its record's words, its patches, its repaired manifest.
 *
 * Owned by the caller. Written, it is a mutation like any other: what a reader of records has to
 * know of it stands in its record.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_QUAD_H
#define ASSAY_MUTATIONS_GENERATE_QUAD_H

#include "lib/vocab.h"
#include "mutations/record.h"

struct quad {
	char id[RECORD_WORD], workload[RECORD_WORD];
	uint8_t class, kind;
	char template[RECORD_WORD];
	char what[RECORD_TEXT], naive[RECORD_TEXT], why[RECORD_TEXT];
	uint32_t drawn;			      /* the descriptor that was */
	uint32_t invalid[RECORD_INVALID_MAX]; /* it and others */
	unsigned invalid_cnt;
	uint64_t onset; /* 0: from the start */
	unsigned mode;	/* a setting decides: this one in the mutant; 0: none does */
	uint32_t share;
	bool symbols;
	uint8_t event;
	char resource[RECORD_WORD];
	char *mutant, *twin, *repaired; /* patches */
	/* found out by running it */
	struct witness_spec witness;
	struct reading_spec reading;
};

void quad_free(struct quad *q); /* fine on zeros */

/* TOP/ID with everything in it; what was there under these names is replaced. */
int quad_write(const struct quad *q, const char *top, struct diag *d);

#endif
