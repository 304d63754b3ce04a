/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of truth into a file of claims. */
#ifndef ASSAY_HARNESS_FROM_TRUTH_H
#define ASSAY_HARNESS_FROM_TRUTH_H

#include "groundtruth/to_claims.h"
#include "lib/diag.h"
#include "lib/formats/claims.h"

/* -EINVAL: the truth is malformed or fails a self-check (broken). */
int from_truth(const char *truth, enum truth_claims mode, const char *claims, enum claims_form form,
	       struct diag *d);

#endif
