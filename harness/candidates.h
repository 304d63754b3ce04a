/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The regime candidates:F: a manifest as discovery hands it over, of whose resources the share F
 * was never there.
 *
 * Each planted resource is a copy of one that has an ACQUIRE and a RELEASE, under a name of its own
 * and wrong in one way, drawn from a secret seed: its sites are those of other descriptors, its
 * ACQUIRE and RELEASE have changed places, the identity or the units of one of them are read from
 * another argument. All sites resolve. It brings copies of the invariants that speak of it, and
 * every descriptor, planted or not, is a candidate. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_CANDIDATES_H
#define ASSAY_HARNESS_CANDIDATES_H

#include <stdint.h>
#include <stdio.h>

#include "harness/regime.h"
#include "harness/variant.h"

enum candidate_wrong {
	CANDIDATE_SITE = 0,
	CANDIDATE_EVENT = 1,
	CANDIDATE_KEY = 2,
	CANDIDATE_UNIT = 3,
	CANDIDATE_WRONG_CNT = 4,
};

const char *candidate_wrong_name(unsigned wrong);

/*
 * Writes the manifest of v with what is planted to a file, and has v mean that from now on: its
 * manifest, and what truth says of descriptors. What was planted, and how it is wrong, goes to
 * log_fd, a line each. -ENOTSUP: nothing of it can be copied.
 */
int candidates_plant(struct variant *v, const struct regime *r, uint64_t seed, const char *to,
		     int log_fd, struct diag *d);

#endif
