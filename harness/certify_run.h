/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a certificate that run programs: canon, reached, witness, reading. */
#ifndef ASSAY_HARNESS_CERTIFY_RUN_H
#define ASSAY_HARNESS_CERTIFY_RUN_H

#include "harness/certify.h"

struct certify_run {
	const struct certifier *certifier;
	const struct mutation *mutation;
	const char *workload;
	uint64_t salt;
	struct certificate *certificate;
};

/* Fills the last four steps as far as they get; negative errno only for trouble of the machine. */
int certify_runs(const struct certify_run *r, struct diag *d);

#endif
