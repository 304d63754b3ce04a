/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored runs: truth and evidence of a workload, kept in the tree for machines without BPF.
 *
 * REFERENCE/WORKLOAD/{truth.bin,evidence.bin}, each plain or as FILE.zst (zstd).
 */
#ifndef ASSAY_HARNESS_REFERENCE_H
#define ASSAY_HARNESS_REFERENCE_H

#include <stdbool.h>

#include "lib/diag.h"

/* Does the folder hold both files for this workload? */
bool reference_has(const char *reference, const char *workload);

/* Puts truth.bin and evidence.bin into folder `to`, unpacked. */
int reference_unpack(const char *reference, const char *workload, const char *to, struct diag *d);

/* Stores a file under its name with .zst added; the plain file stays. */
int reference_pack(const char *path, struct diag *d);

#endif
