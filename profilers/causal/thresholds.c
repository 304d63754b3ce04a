/* SPDX-License-Identifier: BSD-2-Clause */
/* The table that is shipped. */
#include "profilers/causal/thresholds.h"

const struct thresholds thresholds_shipped = {
#define TEST(name, valid, stale, suspect_at, stale_at)                                             \
	.test[TEST_##name] = {valid, stale, suspect_at, stale_at},
#define BELIEF(name, p) .p_stale[BELIEF_##name] = (p),
#include "profilers/causal/thresholds.def"
};
