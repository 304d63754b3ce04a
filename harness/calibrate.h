/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tells a generated mutant from its base and twin, found by looking.
 *
 * Each form runs once, one operation after the other, under the collector: so the figures are the
 * same each time. Of all figures of hits at the descriptors of a resource the one is chosen that
 * the mutant leaves furthest, base and twin alike, and the bound is put between; and so of the
 * figures of the profiler that trusts everything. A certificate then has to bear that out in
 * ordinary runs.
 */
#ifndef ASSAY_HARNESS_CALIBRATE_H
#define ASSAY_HARNESS_CALIBRATE_H

#include "harness/certify.h"

struct calibrated {
	struct witness_spec witness;
	struct reading_spec reading; /* figure "": none tells */
};

/*
 * drawn: the descriptor that the mutation is about, of those that it calls invalid. 0 and *ret_why
 * filled (err != 0) where a form does not run soundly, or nothing tells; negative errno for trouble
 * of the machine.
 */
int calibrate_bounds(const struct certifier *c, const struct mutation *m, uint32_t drawn,
		     struct calibrated *ret, struct diag *ret_why, struct diag *d);

/* How far a figure of the mutant lies from one of the base, 0 to 1; `slack` is what small figures
 * are worth. Pure; exposed for tests. */
double calibrate_distance(double base, double mutant, double slack);
/* A bound between both, in two digits. */
double calibrate_bound(double base, double mutant);

#endif
