/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One subsystem alone, by its requests: what is submitted under an address completes under it.
 *
 * That is how a tracer of io_uring's two tracepoints reads them: a table of requests in flight, by
 * their address, from submission to completion. A completion that names no request (the later ones
 * of a multishot request, messages) finds nothing in it and is passed over; nobody is told. The
 * submission stays until its address is submitted again.
 */
#include <stdlib.h>

#include "profilers/adapter/joiners.h"
#include "profilers/adapter/observe.h"
#include "profilers/adapter/table.h"

struct uring_only {
	struct observer *observer;
	struct table requests;
};

static struct table_key by_request(const struct observation *o)
{
	return (struct table_key){o->type, o->object, 0};
}

static int on_src(void *arg, const struct observation *o)
{
	struct uring_only *u = arg;

	if (o->type != HANDOFF_IO || o->bits & OBS_MESSAGE)
		return 0;
	return table_push(&u->requests, by_request(o), o);
}

static int on_dst(void *arg, const struct observation *o)
{
	struct uring_only *u = arg;
	const struct observation *src;

	if (o->type != HANDOFF_IO || !o->object)
		return 0;
	src = table_newest(&u->requests, by_request(o));
	return src ? observer_claim(u->observer, src, o, HOW_OBSERVED, 1, 0) : 0;
}

static const struct observer_ops ops = {.src = on_src, .dst = on_dst};

static void *uring_only_open(const struct joiner *j, const struct join_setup *setup,
			     struct outlet *out)
{
	struct uring_only *u = calloc(1, sizeof(*u));

	(void)j;
	(void)setup;
	if (u)
		u->observer = observer_new(&ops, u, out);
	if (u && u->observer)
		return u;
	free(u);
	return NULL;
}

static int uring_only_record(void *state, const struct ev_rec *r)
{
	struct uring_only *u = state;

	return observer_record(u->observer, r);
}

static int uring_only_finish(void *state)
{
	struct uring_only *u = state;
	int err = observer_finish(u->observer);

	observer_free(u->observer);
	table_clear(&u->requests);
	free(u);
	return err;
}

const struct joiner joiner_uring_only = {
	.name = "uring-only",
	.version = "1.0",
	.division = "attach",
	.declares = 1u << HANDOFF_IO,
	.open = uring_only_open,
	.record = uring_only_record,
	.finish = uring_only_finish,
};
