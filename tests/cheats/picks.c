/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares, when it has seen the run, the type alone of which it claimed least. */
#include "tests/cheats/cheat.h"

static uint32_t header(const struct claims *honest)
{
	size_t cnt[HANDOFF_TYPE_CNT] = {0};
	unsigned best = 0;

	for (size_t i = 0; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_HANDOFF)
			cnt[honest->v[i].type]++;
	for (unsigned type = 0; type < HANDOFF_TYPE_CNT; type++)
		if (cnt[type] && (!cnt[best] || cnt[type] < cnt[best]))
			best = type;
	return 1u << best;
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	(void)r;
	return cheat_put_all(out, honest);
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .header = header,
			    .tell = tell};
