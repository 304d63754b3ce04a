/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, and what its threads do: short functions, one after another. */
#include "workloads/driver/call.h"
#include "workloads/flat/flat.h"

static const char *const kinds[] = {"request", NULL};

static unsigned threads(const struct run_options *o)
{
	return o->workers;
}

static void open_service(struct run *r)
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
	unsigned parts = draw_parts(w);
	struct op op;

	op_begin(w, &op, 0, arrival);
	for (unsigned i = 0; i < parts; i++) {
		struct sent s;

		call_begin(w, &op, &s);
		flat_part(w, &s, parts);
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

static void close_service(struct run *r)
{
}

const struct workload workload = {
	.name = "flat",
	.models = "thousands of short functions and no heavy hitter",
	.kinds = kinds,
	.handoffs = 1u << HANDOFF_CALL,
	.defaults = {.ops = 2000,
		     .rate = 2800,
		     .depth = 2,
		     .workers = 2,
		     .queue_depth = 1,
		     .fanout = 4,
		     .cost_us = 200,
		     .seed = 1,
		     .data = "."},
	.threads = threads,
	.open = open_service,
	.body = body,
	.close = close_service,
};
