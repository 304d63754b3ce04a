/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floor: first in, first out. A dst came from the oldest src of its type and key that no earlier
 * dst took.
 *
 * By key, since queues without one are the worse rule: completions overtake each other, and one
 * end that is missing shifts all later pairs of the type instead of those of its key.
 */
#include "profilers/adapter/floor.h"
#include "profilers/adapter/joiners.h"
#include "profilers/adapter/table.h"

static int fifo_src(void *state, const struct observation *o)
{
	return table_push(state, table_key_of(o), o);
}

static const struct observation *fifo_dst(void *state, const struct observation *o)
{
	return table_pop_oldest(state, table_key_of(o));
}

static void fifo_clear(void *state)
{
	table_clear(state);
}

static const struct guess guess = {
	.size = sizeof(struct table), .src = fifo_src, .dst = fifo_dst, .clear = fifo_clear};

const struct joiner joiner_fifo = FLOOR_JOINER("fifo", &guess);
