/* SPDX-License-Identifier: BSD-2-Clause */
/* The embedded profiler: handoffs from kernel tracepoints, resources from descriptors. */
#include <errno.h>
#include <stdlib.h>

#include "profilers/adapter/ahead.h"
#include "profilers/adapter/joiners.h"
#include "profilers/adapter/observe.h"
#include "profilers/causal/costs.h"
#include "profilers/causal/effects.h"
#include "profilers/causal/io.h"
#include "profilers/causal/resources.h"
#include "profilers/causal/runtime.h"
#include "profilers/causal/streams.h"
#include "profilers/causal/threads.h"
#include "profilers/causal/timer.h"
#include "profilers/causal/wake.h"

struct causal {
	struct outlet *out;
	struct ahead *ahead;
	struct observer *observer;
	struct causal_io *io;
	struct causal_wake *wake;
	struct causal_streams *streams;
	struct effects *effects;
	struct threads *threads;
	struct resources *resources; /* NULL: no manifest */
	struct runtime *runtime;     /* the same */
	struct costs *costs;	     /* the same */
	const struct causal_tuning *tuning;
	uint64_t now; /* of the last record */
};

static int on_src(void *arg, const struct observation *o)
{
	struct causal *c = arg;

	switch (o->type) {
	case HANDOFF_IO:
		return causal_io_src(c->io, o);
	case HANDOFF_WAKE:
		return causal_wake_src(c->wake, o);
	case HANDOFF_MSG:
	case HANDOFF_WORK:
		return causal_streams_src(c->streams, o);
	default: /* of a timer the expiry tells all */
		return 0;
	}
}

static int on_dst(void *arg, const struct observation *o)
{
	struct causal *c = arg;

	switch (o->type) {
	case HANDOFF_IO:
		return causal_io_dst(c->io, o);
	case HANDOFF_WAKE:
		return causal_wake_dst(c->wake, o);
	case HANDOFF_MSG:
	case HANDOFF_WORK:
		return causal_streams_dst(c->streams, o);
	default:
		return causal_timer_dst(c->observer, o);
	}
}

/*
 * Where a loss was told its beginning was. Where it was found, only the record before it is known
 * (b) and when the last of a lost records came: as far as the times between neighbours are alike,
 * the first may be expected an a-th part of the time later.
 */
static uint64_t gap_begin(const struct ev_rec *r)
{
	if (!r->b || r->b > r->t)
		return r->t;
	return r->c && r->a ? r->b + (r->t - r->b) / r->a : r->b;
}

static int on_lost(void *arg, const struct ev_rec *r)
{
	struct causal *c = arg;
	int64_t scope = c->out->str(c->out->arg, "ring");
	struct claim gap = {.kind = CLAIM_GAP, .has = HAS_LOST | HAS_SCOPE};

	if (scope < 0)
		return (int)scope;
	causal_io_lost(c->io, r->t, r->a);
	causal_wake_lost(c->wake, r->t, r->a);
	if (c->runtime)
		runtime_lost(c->runtime, r->t, r->a);
	if (c->costs)
		costs_lost(c->costs, r->t, r->a);
	gap.gap.from = gap_begin(r);
	gap.gap.to = r->t;
	gap.gap.lost = r->a;
	gap.gap.scope_str = (uint32_t)scope;
	return c->out->put(c->out->arg, &gap);
}

static const struct observer_ops ops = {.src = on_src, .dst = on_dst, .lost = on_lost};

static void causal_free(struct causal *c)
{
	causal_io_free(c->io);
	causal_wake_free(c->wake);
	causal_streams_free(c->streams);
	effects_free(c->effects);
	threads_free(c->threads);
	resources_free(c->resources);
	runtime_free(c->runtime);
	costs_free(c->costs);
	ahead_free(c->ahead);
	observer_free(c->observer);
	free(c);
}

/* What is found to be missing is told to those who join; the tallies of a resource's sites tell
 * what is missing of its events. */
static int take(void *state, const struct ev_rec *r, bool found)
{
	struct causal *c = state;
	int err = observer_record(c->observer, r);

	c->now = r->t > c->now ? r->t : c->now;
	if (!err && r->kind == EV_PROC_EXIT && !(r->flags & EV_F_CUT))
		err = causal_wake_exit(c->wake, r->tid);
	if (err || found)
		return err;
	err = effects_record(c->effects, r);
	if (!err)
		err = threads_record(c->threads, r);
	if (!err && c->resources)
		err = resources_record(c->resources, r);
	if (!err && c->runtime)
		err = runtime_record(c->runtime, r);
	if (!err && c->costs)
		err = costs_record(c->costs, r);
	return err;
}

/* What a manifest says something about; without one there is nothing. */
static int take_manifest(struct causal *c, const struct join_setup *setup)
{
	if (!setup->manifest)
		return 0;
	c->resources = resources_new(setup, c->out, c->tuning);
	c->runtime = runtime_new(setup->manifest, c->out);
	c->costs = costs_new(setup->manifest, c->out);
	return c->resources && c->runtime && c->costs ? 0 : -ENOMEM;
}

static void *causal_open(const struct joiner *j, const struct join_setup *setup, struct outlet *out)
{
	struct causal *c = calloc(1, sizeof(*c));

	if (!c || !j)
		return NULL;
	c->out = out;
	c->ahead = ahead_new(take, c);
	c->observer = observer_new(&ops, c, out);
	c->io = c->observer ? causal_io_new(c->observer) : NULL;
	c->wake = c->observer ? causal_wake_new(c->observer) : NULL;
	c->streams = c->observer ? causal_streams_new(c->observer) : NULL;
	c->effects = effects_new(out);
	c->threads = threads_new(out);
	c->tuning = j->arg;
	if (c->ahead && c->io && c->wake && c->streams && c->effects && c->threads &&
	    !take_manifest(c, setup))
		return c;
	causal_free(c);
	return NULL;
}

static int causal_record(void *state, const struct ev_rec *r)
{
	struct causal *c = state;

	return ahead_record(c->ahead, r);
}

/* What waits was seen under the old manifest. */
static int flush(struct causal *c)
{
	struct ahead *next = ahead_new(take, c);
	int err = next ? ahead_finish(c->ahead) : -ENOMEM;

	if (err) {
		ahead_free(next);
		return err;
	}
	ahead_free(c->ahead);
	c->ahead = next;
	return 0;
}

static int claim_gap(struct causal *c, uint64_t from, uint64_t to)
{
	int64_t scope = c->out->str(c->out->arg, "sites");
	struct claim gap = {.kind = CLAIM_GAP, .has = HAS_SCOPE, .gap = {.from = from, .to = to}};

	if (scope < 0)
		return (int)scope;
	gap.gap.scope_str = (uint32_t)scope;
	return c->out->put(c->out->arg, &gap);
}

/* Handoffs that the kernel tells of go on as they were. */
static int causal_reload(void *state, const struct join_setup *setup, uint64_t from, uint64_t to)
{
	struct causal *c = state;
	int err = flush(c);
	struct resources *old = c->resources;

	if (!err && old)
		err = resources_leave(old);
	if (!err && c->runtime)
		err = runtime_finish(c->runtime);
	runtime_free(c->runtime);
	costs_free(c->costs);
	c->resources = NULL;
	c->runtime = NULL;
	c->costs = NULL;
	if (!err)
		err = take_manifest(c, setup);
	if (!err && c->resources)
		resources_follow(c->resources, old, c->now);
	resources_free(old);
	return err ? err : claim_gap(c, from, to);
}

static int causal_finish(void *state)
{
	struct causal *c = state;
	int err = ahead_finish(c->ahead);

	if (!err)
		err = causal_io_finish(c->io);
	if (!err)
		err = causal_wake_finish(c->wake);
	if (!err)
		err = causal_streams_finish(c->streams);
	if (!err && c->resources)
		err = resources_finish(c->resources);
	if (!err && c->runtime)
		err = runtime_finish(c->runtime);
	if (!err)
		err = observer_finish(c->observer);
	causal_free(c);
	return err;
}

const struct joiner joiner_causal = {
	.name = "causal",
	.version = "1.0",
	.division = "attach",
	.declares = ((1u << HANDOFF_TYPE_CNT) - 1) | DECLARES_EFFECT | DECLARES_COST |
		    DECLARES_GAP | DECLARES_EVENT | DECLARES_HEALTH | DECLARES_DIAGNOSIS |
		    DECLARES_PROFILE,
	.open = causal_open,
	.record = causal_record,
	.finish = causal_finish,
	.reload = causal_reload,
};
