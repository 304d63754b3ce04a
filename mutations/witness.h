/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evidence witnesses: does a mutant show on records that a profiler can see?
 *
 * A witness is a figure over the hits of one to three descriptors of the old manifest, as the one
 * collector recorded them (or over io_uring submissions and futex wakes), with bounds between which
 * it stays on base and twin. It knows nothing of truth. Figures, of hits a and b in the order of
 * the record's `of`:
 *
 *   count        hits of a per 1,000 operations of the run
 *   ratio        hits of a per hit of b
 *   units        units of a per unit of b
 *   outstanding  share of instances that a acquired and b has not released at the end
 *   unpaired     share of the hits of b whose instance is not live by then
 *   overlap      share of the hits of a whose instance is still live
 *   moved        share of the hits of b on another thread than the hit of a that it follows
 *   delay        median ns from a hit of a to the next hit of b of the same instance
 *   mean, max    units of a
 *   stray        share of the hits of c whose instance is not live (a takes, b gives back)
 *   peak         most units in use at one time (a takes, b gives back) per unit of c
 *   unequal      share of the hits of b whose units are not those that its instance has: units of a
 *                less units of b so far
 *   unused       share of the hits of a by which the former hit of a of the instance has not been
 *                followed by one of b
 *   miscount     share of the hits of c whose units are not the hits of a less those of b of the
 *                instance: c reads a count of the application's own
 *
 * Live means: more units of a than of b so far, in hits. Hits in the first twentieth of the run are
 * used to learn what is live and are not judged. Pure.
 */
#ifndef ASSAY_MUTATIONS_WITNESS_H
#define ASSAY_MUTATIONS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/formats/evidence.h"
#include "mutations/record.h"

struct seen {
	uint64_t t, instance, units;
	uint32_t tid, descriptor;
	uint8_t kind; /* enum seen_kind */
};

struct seen_list {
	struct seen *v;
	size_t cnt;
};

/* Hits, submissions and wakes, by time. -ENOMEM. */
int seen_read(const struct evidence *e, struct seen_list *ret, struct diag *d);
void seen_free(struct seen_list *l);

/* The figure; NAN where it cannot be computed (no hits of what it divides by). ops: of the run. */
int witness_measure(const struct witness_spec *w, const struct seen_list *l, uint64_t ops,
		    double *ret, struct diag *d);

#endif
