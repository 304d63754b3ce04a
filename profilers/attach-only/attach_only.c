/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference that trusts everything: every hit is what the manifest says, the address is the
 * identity, and nothing is ever doubted. A manifest of another build is refused as its binding
 * asks.
 */
#include <stdlib.h>

#include "profilers/adapter/diagnosis.h"
#include "profilers/adapter/events.h"
#include "profilers/adapter/joiners.h"

struct attach_only {
	struct outlet *out;
	struct events events;
	struct diagnoser *diagnoser;
	const struct manifest *refused; /* of another build; NULL once it has been said */
	bool silent;			/* no manifest, or one that is refused */
};

static void attach_only_free(struct attach_only *a)
{
	diagnoser_free(a->diagnoser);
	events_close(&a->events);
	free(a);
}

static void *attach_only_open(const struct joiner *j, const struct join_setup *setup,
			      struct outlet *out)
{
	struct attach_only *a = j ? calloc(1, sizeof(*a)) : NULL;

	if (!a)
		return NULL;
	a->out = out;
	a->silent = !setup->manifest || setup->start == HEALTH_REFUSED;
	a->refused = setup->start == HEALTH_REFUSED ? setup->manifest : NULL;
	if (a->silent)
		return a;
	a->diagnoser = diagnoser_new(setup->manifest, out);
	if (a->diagnoser && !events_open(&a->events, setup->manifest, out))
		return a;
	attach_only_free(a);
	return NULL;
}

static double trusts_all(void *arg, uint32_t resource)
{
	return arg && resource != READING_NONE ? 1 : 0;
}

static int say_refused(struct attach_only *a, uint64_t t)
{
	const struct manifest *m = a->refused;
	int err = 0;

	a->refused = NULL;
	for (uint32_t i = 0; !err && i < m->descriptors_cnt; i++) {
		struct claim c = {.kind = CLAIM_HEALTH, .type = HEALTH_REFUSED};

		c.health.desc = m->descriptors[i].id;
		c.health.t = t;
		err = a->out->put(a->out->arg, &c);
	}
	return err;
}

static int attach_only_record(void *state, const struct ev_rec *r)
{
	struct attach_only *a = state;
	struct claim c;
	uint32_t desc;
	int err;

	if (a->refused)
		return say_refused(a, r->t);
	if (a->silent || r->flags & EV_F_CUT)
		return 0;
	if (r->kind != EV_APP) {
		diagnoser_record(a->diagnoser, r);
		return 0;
	}
	desc = events_of(&a->events, r);
	if (desc == EVENTS_NONE || r->e >> 48 & EV_APP_FAULT_WHEN)
		return 0;
	diagnoser_event(a->diagnoser, desc, r);
	err = diagnoser_settle(a->diagnoser, trusts_all, a);
	if (err || !events_of_a_life(&a->events, desc))
		return err;
	c = events_claim(&a->events, desc, r);
	c.has |= HAS_CONF;
	c.event.conf = 1;
	return a->out->put(a->out->arg, &c);
}

static int attach_only_finish(void *state)
{
	attach_only_free(state);
	return 0;
}

const struct joiner joiner_attach_only = {
	.name = "attach-only",
	.version = "1.0",
	.division = "attach",
	.declares = DECLARES_EVENT | DECLARES_HEALTH | DECLARES_DIAGNOSIS,
	.open = attach_only_open,
	.record = attach_only_record,
	.finish = attach_only_finish,
};
