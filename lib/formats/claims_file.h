/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole claims files: counting and converting, for `assay claims check` and `convert`.
 *
 * Thread-safe; the files must not change meanwhile.
 */
#ifndef ASSAY_LIB_FORMATS_CLAIMS_FILE_H
#define ASSAY_LIB_FORMATS_CLAIMS_FILE_H

#include "lib/formats/claims.h"

struct claims_counts {
	uint64_t all;
	uint64_t kind[CLAIM_KIND_CNT];	    /* by enum claim_kind */
	uint64_t handoff[HANDOFF_TYPE_CNT]; /* by enum handoff_type */
	uint64_t orphans;		    /* handoffs with one end */
	uint64_t undeclared; /* claims of a kind or type that the header does not declare */
};

void claims_count(const struct claims *c, struct claims_counts *ret);

/* Loads, and so checks, either form. ret_header may be NULL. Errors as claims_load. */
int claims_check_file(const char *path, struct claims_counts *ret, struct claims_header *ret_header,
		      struct diag *d);

/*
 * Reads either form and writes the named one; `to` appears whole or not at all (but a device or
 * pipe, which is written as it is: /dev/stdout). The result depends on what the claims say alone,
 * so that converting there and back gives the same bytes.
 */
int claims_convert_file(const char *from, const char *to, enum claims_form form, struct diag *d);

/* The name of a kind: "handoff" … "diagnosis". */
const char *claim_kind_name(unsigned kind);

#endif
