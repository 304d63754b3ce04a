/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a certificate that look at programs and run none: compiles … leaks. */
#ifndef ASSAY_HARNESS_CERTIFY_STATIC_H
#define ASSAY_HARNESS_CERTIFY_STATIC_H

#include "harness/certify.h"

/* Fills the steps as far as they get; negative errno only for trouble of the machine. */
int certify_static(const struct certifier *c, const struct mutation *m, const char *workload,
		   struct certificate *ret, struct diag *d);

/* An error that is the machine's, not the mutation's. */
bool certify_fatal(int err);

#endif
