/* SPDX-License-Identifier: BSD-2-Clause */
/* What the service does with the library: requests, some inside others. */
#include <errno.h>

#include "workloads/calls/calls.h"

/* Shares of what an operation costs, in hundredths: before its first call, in
 * its calls. */
enum { SHARE_BEFORE = 10, SHARE_CALLS = 90, SHARES = 100 };
enum { WALK_DEPTH = 3, TRIES = 3, READ_BYTES = 96 };

static void burn_piece(struct client *c)
{
	act_burn(c->w, SHARE_CALLS, SHARES * c->pieces);
}

static uint32_t draw_name(struct client *c)
{
	return rng_below(&c->w->rng, CALLS_NAMES);
}

/* An entry that is cold is warm the next time; one that is missing stays so. */
static struct handle *open_entry(struct client *c, uint32_t name)
{
	struct handle *h = NULL;

	for (unsigned i = 0; i < TRIES && !h; i++)
		h = watch_open(c, name);
	return h;
}

/* As much as can be had, from `bytes` down. */
static struct buffer *alloc_buffer(struct client *c, uint32_t bytes)
{
	struct buffer *b = NULL;

	for (; bytes >= 64 && !b; bytes /= 2)
		b = watch_alloc(c, bytes);
	return b;
}

/* Asks the library until it does not refuse. */
static void call(struct client *c, struct request *r)
{
	while (watch_call(c, r) == -EAGAIN)
		burn_piece(c);
}

/* ---- the functions of requests ---- */

/* Opens, reads and closes one entry, with a buffer that is given back on every
 * path. */
static void run_lookup(struct request *r)
{
	struct client *c = r->client;
	struct buffer *b;
	struct handle *h;

	watch_enter(r);
	b = alloc_buffer(c, 256 + rng_below(&c->w->rng, 3072));
	h = open_entry(c, r->name);
	if (h) {
		watch_read(c, h, READ_BYTES);
		watch_close(c, h);
	}
	burn_piece(c);
	if (b)
		watch_free(c, b);
	watch_leave(r);
}

/* Holds an entry while it visits those below it. */
static void run_walk(struct request *r)
{
	struct client *c = r->client;
	struct handle *h;

	watch_enter(r);
	h = open_entry(c, r->name);
	burn_piece(c);
	for (unsigned side = 1; side <= 2 && r->depth + 1 < WALK_DEPTH; side++) {
		struct request below = {.run = run_walk,
					.client = c,
					.name = (2 * r->name + side) % CALLS_NAMES,
					.depth = r->depth + 1};

		call(c, &below);
	}
	if (h) {
		watch_read(c, h, READ_BYTES);
		watch_close(c, h);
	}
	watch_leave(r);
}

/* Has several entries at a time, one of which may be missing; closes them in
 * the order of opening. */
static void run_batch(struct request *r)
{
	struct client *c = r->client;
	unsigned n = c->w->run->options->fanout;
	struct handle *h[8];

	watch_enter(r);
	for (unsigned i = 0; i < n; i++) {
		h[i] = open_entry(c, r->name + 13 * i);
		burn_piece(c);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!h[i])
			continue;
		watch_read(c, h[i], READ_BYTES);
		watch_close(c, h[i]);
	}
	watch_leave(r);
}

/* Has an entry open and asks for the same one again, inside. */
static void run_reenter(struct request *r)
{
	struct client *c = r->client;
	struct request inner = {
		.run = run_lookup, .client = c, .name = r->name, .depth = r->depth + 1};
	struct handle *h;

	watch_enter(r);
	h = open_entry(c, r->name);
	burn_piece(c);
	call(c, &inner);
	if (h) {
		watch_read(c, h, READ_BYTES);
		watch_close(c, h);
	}
	watch_leave(r);
}

/* ---- operations ---- */

static const struct {
	void (*run)(struct request *r);
	unsigned below; /* share, cumulated, in hundredths */
} kinds[] = {
	[KIND_LOOKUP] = {run_lookup, 35}, [KIND_WALK] = {run_walk, 60},
	[KIND_BATCH] = {run_batch, 80},	  [KIND_REENTER] = {run_reenter, 90},
	[KIND_MISS] = {run_lookup, 100},
};

static unsigned draw_kind(struct client *c)
{
	unsigned x = rng_below(&c->w->rng, 100), kind = 0;

	while (x >= kinds[kind].below)
		kind++;
	return kind;
}

static unsigned pieces_of(const struct client *c, unsigned kind)
{
	switch (kind) {
	case KIND_WALK:
		return (1u << WALK_DEPTH) - 1;
	case KIND_BATCH:
		return c->w->run->options->fanout;
	case KIND_REENTER:
		return 2;
	default:
		return 1;
	}
}

/* Should it ail: one in eight opens its entry once more, and forgets about it. */
static void forget(struct client *c, uint32_t name)
{
	if (settings_ail(DIAGNOSIS_LEAK) && rng_below(&c->w->rng, 8) == 0)
		watch_open(c, name);
}

static void serve(struct client *c, uint64_t arrival)
{
	unsigned kind = draw_kind(c);
	struct request r = {.run = kinds[kind].run, .client = c, .name = draw_name(c)};

	if (kind == KIND_MISS)
		r.name += CALLS_NAMES;
	c->pieces = pieces_of(c, kind);
	op_begin(c->w, &c->op, kind, arrival);
	act_burn(c->w, SHARE_BEFORE, SHARES);
	forget(c, r.name);
	call(c, &r);
	op_end(c->w, &c->op);
	histogram_add(&c->w->latency, arrivals_clock() - arrival);
	arrivals_done(&c->w->arrivals);
}

void client_body(struct client *c)
{
	uint64_t arrival;

	while (arrivals_next(&c->w->arrivals, &arrival))
		serve(c, arrival);
}
