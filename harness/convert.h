/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims from one form into the other, record by record. */
#ifndef ASSAY_HARNESS_CONVERT_H
#define ASSAY_HARNESS_CONVERT_H

#include "lib/diag.h"
#include "lib/formats/claims.h"

/* A writer in whose claims every strN of c means what it means there. */
struct claims_writer *convert_open(const struct claims *c, const char *to, enum claims_form form,
				   struct diag *d);

int convert_write(const struct claims *c, const char *to, enum claims_form form, struct diag *d);

/* Loads (either form), checks, writes. -EINVAL: malformed. */
int convert_claims(const char *from, const char *to, enum claims_form form, struct diag *d);

#endif
