/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profiler is given beside the process: the old manifest under a build-id.
 *
 * Stamped: that of the very program, mutant and twin alike, so that only run-time evidence can
 * tell. Best-effort and strict: that of the base, so that a changed binary shows.
 */
#ifndef ASSAY_HARNESS_BINDING_H
#define ASSAY_HARNESS_BINDING_H

#include "lib/diag.h"
#include "lib/resolve.h"

/*
 * Writes the manifest to `to` for a run of exe. base: the program that it was made for. "-" or an
 * unknown word for the binding is -EINVAL.
 */
int binding_write(const char *manifest, const char *binding, const char *exe, const char *base,
		  const char *to, struct diag *d);

#endif
