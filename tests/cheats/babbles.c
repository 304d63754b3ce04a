/* SPDX-License-Identifier: BSD-2-Clause */
/* Names 100,000 kinds of cost, each of which would have eight lines in every table of scores. */
#include <stdio.h>

#include "tests/cheats/cheat.h"

enum { KINDS = 100000 };

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = cheat_put_all(out, honest);

	(void)r;
	for (unsigned i = 0; !rc && i < KINDS; i++) {
		struct claim c = {.kind = CLAIM_COST, .cost = {.v = 1}};
		char name[16];
		int64_t kind;

		snprintf(name, sizeof(name), "kind%u", i);
		kind = claims_writer_str(out, name);
		c.cost.kind_str = kind > 0 ? (uint32_t)kind : 0;
		rc = kind < 0 ? (int)kind : claims_writer_put(out, &c);
	}
	return rc;
}

const struct cheat cheat = {.honest = "fifo",
			    .declares = DECLARES_HANDOFFS | DECLARES_COST,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
