/* SPDX-License-Identifier: BSD-2-Clause */
/* What the importers of JSON share: a parser, lines, times. */
#ifndef ASSAY_HARNESS_IMPORT_JSON_H
#define ASSAY_HARNESS_IMPORT_JSON_H

#include "harness/import.h"
#include "lib/formats/json.h"

/*
 * Calls fn for the whole text if it is one JSON value, else for every line that is not empty. The
 * line is 0 where that takes several. Values live for the length of the call.
 */
int import_each_value(struct import *x, char *text, size_t len,
		      int (*fn)(struct import *, uint64_t line, const struct json_value *, void *),
		      void *arg);

/* t plus the offset of the options; -EINVAL with the diag where that is before 0. */
int import_time(struct import *x, uint64_t line, uint64_t t, uint64_t *ret);

/* A number as JSON integer, hex or decimal string. */
bool import_u64(const struct json_value *v, uint64_t *ret);

#endif
