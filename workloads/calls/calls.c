/* SPDX-License-Identifier: BSD-2-Clause */
/* The descriptor of the service, its memory, its threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/calls/calls.h"

static const char *const kinds[] = {"lookup", "walk", "batch", "reenter", "miss", NULL};
static const char *const classes[] = {"calls.handle", "calls.buffer", "calls.call", NULL};
static const char *const names[] = {"handles", "bytes", NULL};

static const struct ailment ailments[] = {{DIAGNOSIS_LEAK, CLASS_HANDLE}, {0}};

enum { BYTES_A_CLIENT = 2560 };

static unsigned threads(const struct run_options *o)
{
	return o->workers;
}

static void *must_alloc(size_t bytes)
{
	size_t whole = (bytes + 63) / 64 * 64;
	void *p = aligned_alloc(64, whole);

	if (!p)
		run_fail(-ENOMEM, "memory of the service");
	return memset(p, 0, whole);
}

/* Handles for all that the clients can have open at a time, and for what may be
 * lost; less memory than they ask for. */
static void init_library(struct service *sv, const struct run_options *o)
{
	unsigned enough =
		settings.ail == DIAGNOSIS_LEAK ? CALLS_HANDLES : o->workers * (o->fanout + 3);
	uint64_t handles = setting("handles", enough);
	uint64_t bytes = setting("bytes", o->workers * BYTES_A_CLIENT);

	if (handles < 1 || handles > CALLS_HANDLES || bytes > UINT32_MAX)
		run_fail(0, "there can be 1 to %d handles and less than 4 GiB of memory",
			 CALLS_HANDLES);
	calls_init(&sv->library, (unsigned)handles, (uint32_t)bytes);
}

static void open_service(struct run *r)
{
	struct service *sv = must_alloc(sizeof(*sv));

	r->priv = sv;
	init_library(sv, r->options);
	sv->clients = must_alloc(r->options->workers * sizeof(*sv->clients));
	for (unsigned i = 0; i < r->options->workers; i++) {
		sv->clients[i].w = &r->workers[i];
		sv->clients[i].service = sv;
	}
	recorder_spare(&r->channel, HANDOFF_CALL, KEY_NONE, false, 0, 0);
	for (unsigned i = 0; i < CALLS_SPARES; i++)
		recorder_spare(&r->channel, RECORDER_SPARE_EVENT, KEY_NONE, false, 0,
			       (uintptr_t)&sv->spares[i]);
}

static void body(struct worker *w)
{
	struct service *sv = w->run->priv;

	client_body(&sv->clients[w->index]);
	watch_end(&sv->clients[w->index]);
}

static void close_service(struct run *r)
{
	struct service *sv = r->priv;

	free(sv->clients);
	free(sv);
}

const struct workload workload = {
	.name = "calls",
	.models = "a synchronous library",
	.kinds = kinds,
	.classes = classes,
	.settings = names,
	.ailments = ailments,
	.handoffs = 1u << HANDOFF_CALL,
	.marks = 1u << MARK_NESTED,
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
