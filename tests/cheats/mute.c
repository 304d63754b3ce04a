/* SPDX-License-Identifier: BSD-2-Clause */
/* Never diagnoses and never doubts, so as never to be wrong. */
#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = 0;

	(void)r;
	for (size_t i = 0; !rc && i < honest->cnt; i++)
		if (honest->v[i].kind != CLAIM_DIAGNOSIS && honest->v[i].kind != CLAIM_HEALTH)
			rc = cheat_put(out, honest, &honest->v[i]);
	return rc;
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_EVENT | DECLARES_HEALTH | DECLARES_DIAGNOSIS,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
