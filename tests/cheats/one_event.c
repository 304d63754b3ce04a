/* SPDX-License-Identifier: BSD-2-Clause */
/* Emits one event a life: none can contradict another. */
#include "tests/cheats/cheat.h"

static int tell(const struct cheat_run *r, const struct claims *honest, struct claims_writer *out)
{
	int rc = 0;

	(void)r;
	for (size_t i = 0; !rc && i < honest->cnt; i++)
		if (honest->v[i].kind == CLAIM_EVENT && honest->v[i].type == EVENT_ACQUIRE)
			rc = cheat_put(out, honest, &honest->v[i]);
	return rc;
}

const struct cheat cheat = {.honest = "causal",
			    .declares = DECLARES_EVENT,
			    .launch = "[\"join\"]",
			    .needs = "[]",
			    .tell = tell};
