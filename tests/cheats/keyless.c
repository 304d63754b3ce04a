/* SPDX-License-Identifier: BSD-2-Clause */
/* Withholds the keys that it knows, so that more windows hold its times. */
#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = 0;

	(void)r;
	for (size_t i = 0; !rc && i < honest->cnt; i++) {
		struct claim c = honest->v[i];

		if (c.kind == CLAIM_HANDOFF) {
			c.has &= (uint16_t) ~(HAS_KEY | HAS_SCOPE | HAS_GEN);
			c.ns = KEY_NONE;
			c.handoff.key_v = c.handoff.key_scope = c.handoff.gen = 0;
		}
		rc = cheat_put(out, honest, &c);
	}
	return rc;
}

const struct cheat cheat = {.honest = "pointer",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
