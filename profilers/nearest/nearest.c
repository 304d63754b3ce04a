/* SPDX-License-Identifier: BSD-2-Clause */
/* Floor: time proximity. A dst came from the src of its type that was seen last before it. */
#include "profilers/adapter/floor.h"
#include "profilers/adapter/joiners.h"

struct nearest {
	struct observation last[HANDOFF_TYPE_CNT];
	bool seen[HANDOFF_TYPE_CNT];
};

static int nearest_src(void *state, const struct observation *o)
{
	struct nearest *n = state;

	n->last[o->type] = *o;
	n->seen[o->type] = true;
	return 0;
}

static const struct observation *nearest_dst(void *state, const struct observation *o)
{
	struct nearest *n = state;

	return n->seen[o->type] ? &n->last[o->type] : NULL;
}

static const struct guess guess = {
	.size = sizeof(struct nearest), .src = nearest_src, .dst = nearest_dst};

const struct joiner joiner_nearest = FLOOR_JOINER("nearest", &guess);
