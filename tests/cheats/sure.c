/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims everything: each taker with the last eight senders, all of them for sure. */
#include "tests/cheats/cheat.h"

enum { SENDERS = 8 };

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = 0;

	(void)r;
	for (size_t i = 0; i < honest->cnt; i++)
		for (size_t back = 0; !rc && back <= i && back < SENDERS; back++) {
			const struct claim *from = &honest->v[i - back];
			struct claim c = honest->v[i];

			c.handoff.src_tid = from->handoff.src_tid;
			c.handoff.src_t = from->handoff.src_t;
			c.handoff.conf = 1;
			c.has |= HAS_CONF;
			if (c.kind == CLAIM_HANDOFF && from->kind == CLAIM_HANDOFF &&
			    (from->has & c.has & HAS_SRC) && from->type == c.type)
				rc = cheat_put(out, honest, &c);
		}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
