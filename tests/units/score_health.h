/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A resource with a valid and an invalid descriptor, and health claims about them, for tests of
 * contracts §5.4. Everything is inline.
 */
#ifndef ASSAY_TESTS_SCORE_HEALTH_H
#define ASSAY_TESTS_SCORE_HEALTH_H

#include <criterion/criterion.h>

#include "scoring/stale.h"
#include "tests/units/score_world.h"

#define FRAME "pool.frame"

/* Descriptor 1 valid, 2 invalid since 1200, contradicted at 1500; scored over [1000, 2000]. */
static inline struct world *stale_world(void)
{
	struct world *w = world_new();

	w->t.scored = (struct window){1000, 2000};
	add_descriptor(w, (struct truth_descriptor){.id = 1, .valid = 1}, FRAME);
	add_descriptor(w, (struct truth_descriptor){.id = 2, .since = 1200, .contradicted = 1500},
		       FRAME);
	return w;
}

static inline struct world *valid_world(void)
{
	struct world *w = stale_world();

	w->descriptors[1].valid = 1;
	w->descriptors[1].has_since = w->descriptors[1].has_contradicted = 0;
	return w;
}

static inline struct claim *health(struct world *w, uint32_t desc, unsigned state, uint64_t t,
				   const char *why)
{
	return add_claim(
		w, (struct claim){
			   .kind = CLAIM_HEALTH,
			   .type = (uint8_t)state,
			   .health = {.t = t, .desc = desc, .why_str = why ? claimed(w, why) : 0}});
}

#endif
