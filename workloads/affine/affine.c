/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the pool, and what its threads do. */
#include "workloads/affine/affine.h"

static const char *const kinds[] = {"hash", "pack", "sort", "scale", NULL};

static void (*const stages[KINDS])(struct worker *, const struct sent *, unsigned) = {
	affine_hash, affine_pack, affine_sort, affine_scale};

static unsigned threads(const struct run_options *o)
{
	return o->workers;
}

static void open_pool(struct run *r)
{
	recorder_spare(&r->channel, HANDOFF_CALL, KEY_NONE, false, 0, 0);
}

/* Half of `fanout` and up to as many more; what they cost together is the same. */
static unsigned draw_parts(struct worker *w)
{
	unsigned most = w->run->options->fanout;

	return most / 2 + 1 + rng_below(&w->rng, most);
}

static void request(struct worker *w, uint64_t arrival)
{
	unsigned kind = w->index % KINDS, parts = draw_parts(w);
	struct op op;

	op_begin(w, &op, kind, arrival);
	for (unsigned i = 0; i < parts; i++) {
		struct sent s;

		call_begin(w, &op, &s);
		stages[kind](w, &s, parts);
		call_end(w, &op);
	}
	op_end(w, &op);
	histogram_add(&w->latency, arrivals_clock() - arrival);
	arrivals_done(&w->arrivals);
}

static void body(struct worker *w)
{
	uint64_t arrival;

	while (arrivals_next(&w->arrivals, &arrival))
		request(w, arrival);
}

static void close_pool(struct run *r)
{
}

const struct workload workload = {
	.name = "affine",
	.models = "a CPU-bound pool whose requests never leave their thread",
	.kinds = kinds,
	.handoffs = 1u << HANDOFF_CALL,
	.defaults = {.ops = 2000,
		     .rate = 2200,
		     .depth = 2,
		     .workers = 2,
		     .queue_depth = 1,
		     .fanout = 4,
		     .cost_us = 200,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_pool,
	.body = body,
	.close = close_pool,
};
