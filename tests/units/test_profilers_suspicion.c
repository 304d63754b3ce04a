/* SPDX-License-Identifier: BSD-2-Clause */
/* causal: a sequential test says the same however many checks are judged at once. */
#include <criterion/criterion.h>

#include "profilers/causal/suspicion.h"

static const struct threshold t = {0.0001, 0.01, 14, 16};

/* One violation after `held` checks that hold, so many times, judged so many of them at once. */
static enum suspicion_level judged(unsigned held, unsigned times, unsigned at_once, double loss)
{
	struct suspicion s = {.score = 0};

	for (unsigned i = 0; i < times; i++) {
		for (unsigned k = 0; k < held; k++)
			suspicion_add(&s, false);
		suspicion_add(&s, true);
		if (i % at_once == at_once - 1)
			suspicion_judge(&s, &t, loss);
	}
	cr_expect_eq(s.violations, times);
	cr_expect_eq(s.checks, (held + 1) * times);
	return s.level;
}

Test(profilers_suspicion, takes_violations_that_loss_explains_for_no_row_of_them)
{
	cr_expect_eq(judged(20, 400, 1, 0.1), LEVEL_CLEAR);
	cr_expect_eq(judged(20, 400, 16, 0.1), LEVEL_CLEAR);
	cr_expect_eq(judged(20, 400, 100, 0.1), LEVEL_CLEAR);
	cr_expect_eq(judged(20, 400, 400, 0.1), LEVEL_CLEAR);
}

Test(profilers_suspicion, sees_more_than_loss_explains_however_seldom_it_looks)
{
	cr_expect_eq(judged(1, 400, 1, 0.1), LEVEL_STALE);
	cr_expect_eq(judged(1, 400, 100, 0.1), LEVEL_STALE);
	cr_expect_eq(judged(1, 400, 400, 0.1), LEVEL_STALE);
	cr_expect_eq(judged(50, 400, 400, 0), LEVEL_STALE);
}
