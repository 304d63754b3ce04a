/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings inside a mutation record; private to its reader. */
#ifndef ASSAY_MUTATIONS_RECORD_PARTS_H
#define ASSAY_MUTATIONS_RECORD_PARTS_H

#include "lib/formats/manifest_fields.h"
#include "mutations/record.h"

typedef int read_fn(struct reading *r, const struct field *f, const struct node *n, void *slot);

/* A list of equal items: where they go, and how one is read. */
struct items {
	void *v;
	size_t size; /* of one */
	uint32_t max;
	uint32_t *cnt;
	read_fn *read;
};
int read_list(struct reading *r, const struct field *f, const struct node *n,
	      const struct items *to);

/* Readers for the root's table; the slot of changes and invalid is the mutation. */
read_fn read_form, read_changes, read_reached, read_invalid, read_witness, read_reading;

#endif
