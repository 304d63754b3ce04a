/* SPDX-License-Identifier: BSD-2-Clause */
/* Floor: thread affinity. A dst came from the last src of its type on its own thread. */
#include "profilers/adapter/floor.h"
#include "profilers/adapter/joiners.h"
#include "profilers/adapter/table.h"

static struct table_key by_thread(const struct observation *o, uint32_t tid)
{
	return (struct table_key){o->type, tid, 0};
}

static int thread_src(void *state, const struct observation *o)
{
	return table_push(state, by_thread(o, o->tid), o);
}

static const struct observation *thread_dst(void *state, const struct observation *o)
{
	return table_newest(state, by_thread(o, observer_receiver(o)));
}

static void thread_clear(void *state)
{
	table_clear(state);
}

static const struct guess guess = {
	.size = sizeof(struct table), .src = thread_src, .dst = thread_dst, .clear = thread_clear};

const struct joiner joiner_thread = FLOOR_JOINER("thread", &guess);
