/* SPDX-License-Identifier: BSD-2-Clause */
/* One claim that weighs more than a double holds: no figure of it could be written, nor of others.
 */
#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	struct claim c = {
		.kind = CLAIM_COST, .has = HAS_IP, .cost = {.v = UINT64_MAX, .ip = 5e-324}};
	int64_t kind = claims_writer_str(out, "cpu");
	int rc = cheat_put_all(out, honest);

	(void)r;
	if (kind < 0)
		return (int)kind;
	c.cost.kind_str = (uint32_t)kind;
	return rc ? rc : claims_writer_put(out, &c);
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS | DECLARES_COST,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
