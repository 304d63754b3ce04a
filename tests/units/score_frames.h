/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of one class on one thread, as they happened and as they were claimed, for tests of
 * contracts §5.2. Everything is inline; scores are freed by the caller.
 */
#ifndef ASSAY_TESTS_SCORE_FRAMES_H
#define ASSAY_TESTS_SCORE_FRAMES_H

#include <criterion/criterion.h>

#include "scoring/events.h"
#include "tests/units/score_world.h"

#define FRAME "pool.frame"

static inline void happened(struct world *w, unsigned kind, uint64_t t0, uint64_t t1, uint64_t life)
{
	add_event(w, (struct truth_event){.kind = (uint8_t)kind,
					  .tid = 101,
					  .t = {t0, t1},
					  .class_str = said(w, FRAME),
					  .life = life,
					  .instance = 0x55,
					  .units = 1,
					  .desc = 1});
}

static inline struct claim *saw(struct world *w, unsigned kind, uint64_t t, uint64_t gen)
{
	return add_claim(w, (struct claim){.kind = CLAIM_EVENT,
					   .type = (uint8_t)kind,
					   .has = HAS_INSTANCE | HAS_GEN | HAS_UNITS | HAS_DESC,
					   .event = {.t = t,
						     .tid = 101,
						     .class_str = claimed(w, FRAME),
						     .instance = 0x55,
						     .gen = gen,
						     .units = 1,
						     .desc = 1}});
}

static inline struct event_score score(struct world *w)
{
	struct sealed x = seal(w);
	struct event_score s;
	struct words words;

	cr_assert_eq(words_map(&x.t, &x.c, &words), 0);
	cr_assert_eq(score_events(&x.t, &x.c, &words, &s), 0);
	free(words.of);
	unseal(&x);
	return s;
}

#endif
