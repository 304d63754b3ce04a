/* SPDX-License-Identifier: BSD-2-Clause */
/* The builds that a certificate rests on. */
#ifndef ASSAY_HARNESS_CERTIFY_BUILD_H
#define ASSAY_HARNESS_CERTIFY_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "mutations/build.h"
#include "mutations/record.h"

/* Compilers and levels, the usual one first. */
enum { CERTIFY_BUILDS = 4 };
extern const struct certify_build {
	enum compiler compiler;
	unsigned level;
} certify_builds[CERTIFY_BUILDS];

/* Whether the record asks for this one, and the first that it asks for. */
bool certify_wants(const struct mutation *m, unsigned build);
unsigned certify_first(const struct mutation *m);

/* One salt a workload, so that its base is built and run once for all. */
uint64_t certify_salt(const char *workload);

#endif
