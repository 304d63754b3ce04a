/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference that trusts everything: every hit is what the manifest says, the address is the
 * identity, and nothing is ever doubted.
 */
#include <stdlib.h>

#include "profilers/adapter/events.h"
#include "profilers/adapter/joiners.h"

struct attach_only {
	struct outlet *out;
	struct events events;
	bool silent; /* no manifest, or one that is refused */
};

static void *attach_only_open(const struct joiner *j, const struct join_setup *setup,
			      struct outlet *out)
{
	struct attach_only *a = j ? calloc(1, sizeof(*a)) : NULL;

	if (!a)
		return NULL;
	a->out = out;
	a->silent = !setup->manifest || setup->start == HEALTH_REFUSED;
	if (a->silent || !events_open(&a->events, setup->manifest, out))
		return a;
	events_close(&a->events);
	free(a);
	return NULL;
}

static int attach_only_record(void *state, const struct ev_rec *r)
{
	struct attach_only *a = state;
	struct claim c;
	uint32_t desc;

	if (a->silent || r->kind != EV_APP || r->flags & EV_F_CUT)
		return 0;
	desc = events_of(&a->events, r);
	if (desc == EVENTS_NONE || r->e >> 48 & EV_APP_FAULT_WHEN)
		return 0;
	c = events_claim(&a->events, desc, r);
	c.has |= HAS_CONF;
	c.event.conf = 1;
	return a->out->put(a->out->arg, &c);
}

static int attach_only_finish(void *state)
{
	struct attach_only *a = state;

	events_close(&a->events);
	free(a);
	return 0;
}

const struct joiner joiner_attach_only = {
	.name = "attach-only",
	.version = "1.0",
	.division = "attach",
	.declares = DECLARES_EVENT,
	.open = attach_only_open,
	.record = attach_only_record,
	.finish = attach_only_finish,
};
