/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs scored in ways that must make no difference.
 *
 * `assay score` asks for no verdicts, and the scorer goes ways of its own then; also where memory
 * ends. What a test scores with verdicts is to be scored without them as well, or half of the
 * scorer goes untested. Not thread-safe; asserts. In line, for the programs of other tests link
 * tests/naive/ and no scorer.
 */
#ifndef ASSAY_TESTS_SCORE_WAYS_H
#define ASSAY_TESTS_SCORE_WAYS_H

#include <criterion/criterion.h>
#include <string.h>

#include "scoring/handoff.h"

/* Bytes where hardly an array fits: most go to disk. */
enum { WAYS_NO_ROOM = 512 };

/* Scores without verdicts and demands these figures. */
static inline void score_blind(const struct truth *t, const struct claims *c,
			       const struct score_options *o, const struct score_shape *shape,
			       const struct handoff_score *expected)
{
	static struct handoff_score s;

	cr_assert_eq(score_handoffs_shaped(t, c, o, shape, &s, NULL), 0);
	cr_assert_eq(memcmp(&s, expected, sizeof(s)), 0,
		     "without verdicts (%u threads, %lu bytes, epoch %u, stretch %u) counts differ",
		     o ? o->threads : 0, o ? o->memory : 0, shape->epoch, shape->stretch);
}

/* Scores as it is asked for, with verdicts, and demands the same figures without. */
static inline void score_and_again(const struct truth *t, const struct claims *c,
				   const struct score_options *o, const struct score_shape *shape,
				   struct handoff_score *ret, struct handoff_verdicts *v)
{
	cr_assert_eq(score_handoffs_shaped(t, c, o, shape, ret, v), 0);
	score_blind(t, c, o, shape, ret);
}

#endif
