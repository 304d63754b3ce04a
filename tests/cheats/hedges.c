/* SPDX-License-Identifier: BSD-2-Clause */
/* Says of both ends of all that it joins that it does not know the other, too: orphans are no
 * errors. */
#include "tests/cheats/cheat.h"

static int put_orphan(struct claims_writer *out, const struct claims *honest, struct claim c,
		      unsigned without)
{
	c.has &= (uint16_t)~without;
	if (without & HAS_SRC)
		c.handoff.src_tid = 0, c.handoff.src_t = 0;
	else
		c.handoff.dst_tid = 0, c.handoff.dst_t = 0;
	return cheat_put(out, honest, &c);
}

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = cheat_put_all(out, honest);

	(void)r;
	for (size_t i = 0; !rc && i < honest->cnt; i++) {
		const struct claim *c = &honest->v[i];

		if (c->kind != CLAIM_HANDOFF || !(c->has & HAS_SRC) || !(c->has & HAS_DST))
			continue;
		rc = put_orphan(out, honest, *c, HAS_SRC | HAS_SRC_KERNEL);
		if (!rc)
			rc = put_orphan(out, honest, *c, HAS_DST | HAS_DST_KERNEL);
	}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
