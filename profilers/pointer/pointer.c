/* SPDX-License-Identifier: BSD-2-Clause */
/* Floor: pointer equality. A dst came from the last src of its type with an equal key. */
#include "profilers/adapter/floor.h"
#include "profilers/adapter/joiners.h"
#include "profilers/adapter/table.h"

static int pointer_src(void *state, const struct observation *o)
{
	return table_push(state, table_key_of(o), o);
}

static const struct observation *pointer_dst(void *state, const struct observation *o)
{
	return table_newest(state, table_key_of(o));
}

static void pointer_clear(void *state)
{
	table_clear(state);
}

static const struct guess guess = {.size = sizeof(struct table),
				   .src = pointer_src,
				   .dst = pointer_dst,
				   .clear = pointer_clear};

const struct joiner joiner_pointer = FLOOR_JOINER("pointer", &guess);
