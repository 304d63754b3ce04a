/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims a gap of 1 ns every 10 µs: each explains what it meets, and none holds a window. */
#include <sys/param.h>

#include "tests/cheats/cheat.h"

enum { STEP_NS = 10000 };

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	uint64_t first = UINT64_MAX, last = 0;
	int rc = cheat_put_all(out, honest);

	(void)r;
	for (size_t i = 0; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_HANDOFF && honest->v[i].has & HAS_SRC) {
			first = MIN(first, honest->v[i].handoff.src_t);
			last = MAX(last, honest->v[i].handoff.dst_t);
		}
	for (uint64_t t = first; !rc && t < last; t += STEP_NS) {
		struct claim gap = {.kind = CLAIM_GAP, .gap = {.from = t, .to = t}};

		rc = cheat_put(out, honest, &gap);
	}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS | DECLARES_GAP,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
