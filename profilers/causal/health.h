/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is believed of each descriptor: validated, suspect, stale, refused. Only ever down.
 *
 * A change of state is a claim that names the invariant, with the number of violations and the
 * probability that the descriptor is invalid. A probability that moves by P_STEP or more within a
 * state is claimed as well.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_HEALTH_H
#define ASSAY_PROFILERS_CAUSAL_HEALTH_H

#include "lib/formats/manifest.h"
#include "profilers/adapter/joiner.h"
#include "profilers/causal/thresholds.h"

struct health_of {
	uint8_t state;	  /* enum health_state */
	uint8_t belief;	  /* enum belief */
	uint32_t why_str; /* of whom p is; 0: of no rule */
	uint32_t checked; /* events that rules looked at */
	bool clean_claimed;
};

struct health {
	const struct manifest *m;
	struct outlet *out;
	const double *p;		  /* by belief */
	const struct causal_trace *trace; /* NULL: none */
	struct health_of *of;		  /* one a descriptor */
};

struct verdict {
	uint8_t state;	   /* enum health_state */
	uint32_t why_str;  /* the invariant, or 0 */
	uint64_t evidence; /* violations */
	uint8_t belief;	   /* enum belief */
};

int health_open(struct health *h, const struct join_setup *s, struct outlet *out,
		const struct causal_tuning *tuning);
void health_close(struct health *h);

/* The states at attach, as claims. */
int health_begin(struct health *h, uint64_t t);
/* Never raises: a better state leaves things as they are. */
int health_lower(struct health *h, uint32_t desc, const struct verdict *v, uint64_t t);
/* An event of the descriptor was looked at by a rule and found right. */
int health_right(struct health *h, uint32_t desc, uint64_t t);

/* How sure one is of an event of this descriptor. */
double health_confidence(const struct health *h, uint32_t desc);

#endif
