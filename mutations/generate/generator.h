/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quads that nobody has seen, drawn from a seed.
 *
 * Class, template, workload, descriptor, share of the calls, onset, names and constants are drawn;
 * classes take turns, and so do workloads as far as a class has several. The same seed on the same
 * sources gives the same quads in the same order. Whether a quad is good is for its certificate to
 * say. Not thread-safe.
 */
#ifndef ASSAY_MUTATIONS_GENERATE_GENERATOR_H
#define ASSAY_MUTATIONS_GENERATE_GENERATOR_H

#include "mutations/generate/quad.h"
#include "mutations/house.h"

struct generator;

int generator_open(const struct house *h, uint64_t seed, struct generator **ret, struct diag *d);
void generator_close(struct generator *g); /* NULL is fine */

/* Templates at the spots that they fit: so many quads there can be. */
unsigned generator_chances(const struct generator *g);

/*
 * The next quad, the caller's to free; without witness and reading. -ENODATA, without *d: every
 * chance has been taken. -EINVAL: this one cannot be written, *d says why, and *ret has its id
 * and template alone; the next one may.
 */
int generator_next(struct generator *g, struct quad *ret, struct diag *d);

#endif
