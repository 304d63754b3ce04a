/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The builds that a certificate rests on, made ahead on all processors.
 *
 * Builds are cached by content, so whoever asks for one afterwards finds it made; what does not
 * compile is found again by who asks for it, and reported there.
 */
#ifndef ASSAY_HARNESS_CERTIFY_BUILD_H
#define ASSAY_HARNESS_CERTIFY_BUILD_H

#include <stdbool.h>

#include "harness/certify.h"
#include "mutations/build.h"

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

/* Mutations of a list, by a mask of its length: their builds, under a progress bar, as far as they
 * can be begun before the deadline (CLOCK_MONOTONIC, ns; 0: none). -EINTR. */
int certify_prebuild(const struct house *h, const struct mutation_list *l, const bool *which,
		     uint64_t deadline, struct diag *d);

#endif
