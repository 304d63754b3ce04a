/* SPDX-License-Identifier: BSD-2-Clause */
/* Floods: beside each claim ten that are surely wrong, of which it says so, to move a mean. */
#include "tests/cheats/cheat.h"

enum { JUNK = 10 };

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = cheat_put_all(out, honest);

	(void)r;
	for (size_t i = 0; i < honest->cnt; i++)
		for (unsigned k = 0; !rc && k < JUNK; k++) {
			struct claim c = honest->v[i];

			c.handoff.dst_t = c.handoff.src_t;
			c.handoff.dst_tid = c.handoff.src_tid;
			c.handoff.conf = 0.001;
			c.has |= HAS_CONF;
			if (c.kind == CLAIM_HANDOFF && c.has & HAS_SRC && c.has & HAS_DST)
				rc = cheat_put(out, honest, &c);
		}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
