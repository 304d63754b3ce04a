/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored runs: truth and evidence of a workload, kept in the tree for machines without BPF.
 *
 * REFERENCE/WORKLOAD/{truth.bin,evidence.bin}, each plain or as FILE.zst (zstd), manifest.yaml
 * where sites of it were watched, and provenance.json: where and when they were recorded.
 */
#ifndef ASSAY_HARNESS_REFERENCE_H
#define ASSAY_HARNESS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"

/* Does the folder hold both files for this workload? */
bool reference_has(const char *reference, const char *workload);

/* Where a stored run comes from. Words are "" where the file does not say. */
struct reference_origin {
	char workload[64], recorded[32], kernel[128], cpu[256], assay[32], params[512];
	uint64_t seed;
};
int reference_origin_write(const char *path, const struct reference_origin *o, struct diag *d);
/* -ENOENT: there is none, as of older stored runs; -EINVAL: it is no JSON object. */
int reference_origin_read(const char *path, struct reference_origin *ret);

/* Puts truth.bin and evidence.bin into folder `to`, unpacked, and what else is there. */
int reference_unpack(const char *reference, const char *workload, const char *to, struct diag *d);

/* Stores a file under its name with .zst added; the plain file stays. */
int reference_pack(const char *path, struct diag *d);

#endif
