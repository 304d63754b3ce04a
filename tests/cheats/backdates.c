/* SPDX-License-Identifier: BSD-2-Clause */
/* Says that it knew at once: every doubt is dated back to the first thing that it saw. */
#include <sys/param.h>

#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	uint64_t first = UINT64_MAX;
	int rc = 0;

	(void)r;
	for (size_t i = 0; i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_EVENT)
			first = MIN(first, honest->v[i].event.t);
	for (size_t i = 0; !rc && i < honest->cnt; i++) {
		struct claim c = honest->v[i];

		if (c.kind == CLAIM_HEALTH && c.type != HEALTH_VALIDATED)
			c.health.t = MIN(first, c.health.t);
		rc = cheat_put(out, honest, &c);
	}
	return rc;
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_EVENT | DECLARES_HEALTH,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
