/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a quad can be generated: descriptors with events of truth, of workloads whose operators do
 * not care through what they are called.
 *
 * A shelf is a workload's sources, its manifest and the spots in it; it owns all of them, and spots
 * point into it, so that it must not be moved.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_SPOTS_H
#define ASSAY_MUTATIONS_GENERATE_SPOTS_H

#include "mutations/generate/template.h"

enum { SPOTS_MAX = 24 };

struct shelf {
	char workload[RECORD_WORD];
	struct texts texts;
	struct manifest manifest;
	char *manifest_text;
	struct spot spots[SPOTS_MAX];
	unsigned cnt;
};

/* Workloads that have one, in order; ends with NULL. */
extern const char *const shelf_workloads[];

int shelf_open(const struct house *h, const char *workload, struct shelf *ret, struct diag *d);
void shelf_close(struct shelf *s); /* fine on zeros */

/* Ids of the descriptors that a template makes wrong at a spot, by their order in the manifest. */
unsigned spot_wrong(const struct shelf *h, const struct spot *s, enum wrong w,
		    uint32_t ret[RECORD_INVALID_MAX]);

#endif
