/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, and what its threads do: short functions, one after another. */
#include <errno.h>
#include <link.h>
#include <stdlib.h>

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

/* How far the program was moved from where it was linked; it is the first that is listed. */
static int moved(struct dl_phdr_info *info, size_t size, void *ret)
{
	*(uint64_t *)ret = size ? info->dlpi_addr : 0;
	return 1;
}

/* What each function has cost: its calls by this thread, at the speed that was found out. */
static void tell_costs(struct worker *w, const uint32_t *calls)
{
	uint64_t bias = 0;

	dl_iterate_phdr(moved, &bias);
	for (unsigned n = 0; n < FLAT_FUNCTIONS; n++)
		if (calls[n])
			recorder_function(&w->rec, (uintptr_t)flat_functions[n] - bias,
					  (uint64_t)calls[n] * FLAT_ROUNDS(n) * 1000 /
						  w->run->rounds_us);
}

static void body(struct worker *w)
{
	uint32_t *calls = calloc(FLAT_FUNCTIONS, sizeof(*calls));
	uint64_t arrival;

	if (!calls)
		run_fail(-ENOMEM, "counts of calls");
	w->priv = calls;
	while (arrivals_next(&w->arrivals, &arrival))
		request(w, arrival);
	tell_costs(w, calls);
	free(calls);
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
