/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of the evidence is lost: what is told, and what the tallies of sites show.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_LOSSES_H
#define ASSAY_PROFILERS_CAUSAL_LOSSES_H

#include <stdint.h>

struct losses {
	uint64_t records, lost;	  /* since rules were last judged; lost: as is told */
	uint64_t missing, passed; /* and hits, by the tallies */
	uint64_t all_records, all_lost;
	double before; /* share, of the time before */
};

/* The share that was lost, now or all in all: what was lost before may show only now. Begins the
 * time until rules are judged the next time. */
double losses_share(struct losses *l);

#endif
