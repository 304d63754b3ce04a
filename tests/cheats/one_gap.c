/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims one gap over the whole run: whatever it missed is explained. */
#include <sys/param.h>

#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	struct claim gap = {
		.kind = CLAIM_GAP, .has = HAS_LOST, .gap = {.from = UINT64_MAX, .lost = 1}};
	int rc = cheat_put_all(out, honest);

	(void)r;
	for (size_t i = 0; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_HANDOFF && honest->v[i].has & HAS_SRC) {
			gap.gap.from = MIN(gap.gap.from, honest->v[i].handoff.src_t);
			gap.gap.to = MAX(gap.gap.to, honest->v[i].handoff.dst_t);
		}
	return rc ? rc : cheat_put(out, honest, &gap);
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS | DECLARES_GAP,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
