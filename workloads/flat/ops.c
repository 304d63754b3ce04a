/* SPDX-License-Identifier: BSD-2-Clause */
/* The operator: one part of a request. */
#include "workloads/driver/call.h"
#include "workloads/flat/flat.h"

/* Functions drawn anew each time, until the part's share of what an operation costs is used up. */
OPERATOR void flat_part(struct worker *w, const struct sent *s, unsigned parts)
{
	uint64_t left = w->run->rounds_us * w->run->options->cost_us / parts;
	/* a stream of its own: how many are drawn depends on how fast the machine is */
	struct rng rng = rng_stream(rng_next(&w->rng), 0);
	uint32_t *calls = w->priv;

	call_entered(w, s);
	while (left >= FLAT_LEAST) {
		unsigned n = rng_below(&rng, FLAT_FUNCTIONS);
		uint64_t cost = FLAT_ROUNDS(n);

		w->sink += flat_functions[n](w->sink);
		calls[n]++;
		left -= cost < left ? cost : left;
	}
}
