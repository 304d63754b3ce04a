/* SPDX-License-Identifier: BSD-2-Clause */
/* What all floors share: observations in, one guess a dst, claims out. */
#include "profilers/adapter/floor.h"

#include <stdlib.h>

struct floor {
	const struct guess *guess;
	struct observer *observer;
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
	free(f->state);
	free(f);
}

void *floor_open(const struct joiner *j, const struct join_setup *setup, struct outlet *out)
{
	struct floor *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	(void)setup; /* floors of handoffs know no manifest */
	f->guess = j->arg;
	f->observer = observer_new(&ops, f, out);
	f->state = calloc(1, f->guess->size);
	if (f->observer && f->state)
		return f;
	floor_free(f);
	return NULL;
}

int floor_record(void *state, const struct ev_rec *r)
{
	struct floor *f = state;

	return observer_record(f->observer, r);
}

int floor_finish(void *state)
{
	struct floor *f = state;
	int err = observer_finish(f->observer);

	floor_free(f);
	return err;
}
