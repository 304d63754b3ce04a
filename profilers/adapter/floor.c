/* SPDX-License-Identifier: BSD-2-Clause */
/* What all floors share: observations in, one guess a dst, claims out. */
#include "profilers/adapter/floor.h"

#include <stdlib.h>

#include "profilers/adapter/ends.h"

struct floor {
	const struct guess *guess;
	struct observer *observer;
	struct ends *ends; /* NULL: no manifest */
	void *state;
};

static int on_src(void *arg, const struct observation *o)
{
	struct floor *f = arg;

	return f->guess->src(f->state, o);
}

static int on_dst(void *arg, const struct observation *o)
{
	struct floor *f = arg;

	return observer_claim(f->observer, f->guess->dst(f->state, o), o, HOW_OBSERVED, 1, 0);
}

static const struct observer_ops ops = {.src = on_src, .dst = on_dst};

static void floor_free(struct floor *f)
{
	if (f->state && f->guess->clear)
		f->guess->clear(f->state);
	observer_free(f->observer);
	ends_free(f->ends);
	free(f->state);
	free(f);
}

void *floor_open(const struct joiner *j, const struct join_setup *setup, struct outlet *out)
{
	struct floor *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->guess = j->arg;
	f->observer = observer_new(&ops, f, out);
	f->state = calloc(1, f->guess->size);
	f->ends = setup->manifest ? ends_new(setup->manifest, out) : NULL;
	if (f->observer && f->state && (f->ends || !setup->manifest))
		return f;
	floor_free(f);
	return NULL;
}

int floor_record(void *state, const struct ev_rec *r)
{
	struct floor *f = state;
	int err = observer_record(f->observer, r), role;
	struct observation o;

	if (err || !f->ends)
		return err;
	role = ends_record(f->ends, r, &o);
	if (role == END_SRC)
		return on_src(f, &o);
	return role == END_DST ? on_dst(f, &o) : role;
}

/* Without a manifest nothing is seen of the other types, and nothing declared of them. */
uint32_t floor_declares(const struct joiner *j, const struct join_setup *setup)
{
	return (j->declares & ~(uint32_t)FLOOR_RUNTIME) |
	       (setup->manifest ? ends_types(setup->manifest) : 0);
}

int floor_finish(void *state)
{
	struct floor *f = state;
	int err = observer_finish(f->observer);

	floor_free(f);
	return err;
}
