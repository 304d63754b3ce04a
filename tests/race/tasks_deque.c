/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work-stealing deque: one owner pushes and takes, thieves steal, and each item is had by
 * exactly one of them, exactly once. Deques begin with room for two, so that they grow under the
 * thieves' hands; they are drained and filled again all the time, so that owner and thieves meet at
 * the last item. Under TSan (make race) what is behind an item shows an ordering that is missing.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/driver/rng.h"
#include "workloads/driver/workload.h"
#include "workloads/tasks/deque.h"

enum { THIEVES = 3, ITEMS = 60000, BURST = 24, ROUNDS = 3 };

struct item {
	uint64_t value; /* plain: published by the push */
	_Atomic unsigned had;
};

static struct item items[ITEMS];
static struct deque deque;
static _Atomic bool over;
static _Atomic uint64_t stolen, taken;

void run_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

static void have(struct item *i, _Atomic uint64_t *counter)
{
	if (i->value != (uint64_t)(i - items) + 1)
		run_fail(0, "item %td is not what was pushed\n", i - items);
	if (atomic_fetch_add_explicit(&i->had, 1, memory_order_relaxed) != 0)
		run_fail(0, "item %td was had twice\n", i - items);
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void *thief(void *arg)
{
	while (!atomic_load(&over)) {
		struct item *i = deque_steal(&deque);

		if (i)
			have(i, &stolen);
		else
			sched_yield();
	}
	return NULL;
}

static unsigned push_some(unsigned from, struct rng *r)
{
	unsigned n = 1 + rng_below(r, BURST);

	for (; n && from < ITEMS; n--, from++) {
		items[from].value = from + 1;
		if (!deque_push(&deque, &items[from]))
			run_fail(0, "no memory\n");
	}
	return from;
}

static void take_some(struct rng *r)
{
	for (unsigned n = rng_below(r, 2 * BURST); n; n--) {
		struct item *i = deque_take(&deque);

		if (!i)
			return;
		have(i, &taken);
		if (rng_below(r, 8) == 0)
			sched_yield();
	}
}

static void owner(uint64_t seed)
{
	struct rng r = rng_stream(seed, 0);
	struct item *i;

	for (unsigned next = 0; next < ITEMS;) {
		next = push_some(next, &r);
		take_some(&r);
	}
	while ((i = deque_take(&deque)))
		have(i, &taken);
	while (!deque_is_empty(&deque)) /* a thief is at the last one */
		sched_yield();
}

static void round_of(uint64_t seed)
{
	pthread_t thieves[THIEVES];

	atomic_store(&over, false);
	if (!deque_open(&deque, 2))
		run_fail(0, "no memory\n");
	for (unsigned i = 0; i < ITEMS; i++)
		items[i] = (struct item){0};
	for (unsigned i = 0; i < THIEVES; i++)
		pthread_create(&thieves[i], NULL, thief, NULL);
	owner(seed);
	atomic_store(&over, true);
	for (unsigned i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (unsigned i = 0; i < ITEMS; i++) {
		if (atomic_load(&items[i].had) != 1)
			run_fail(0, "item %u was lost\n", i);
	}
	if (deque.grown == 0)
		run_fail(0, "the deque never grew\n");
	deque_free(&deque);
}

int main(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		round_of(i + 1);
	printf("%d items: %llu taken, %llu stolen, each once\n", ROUNDS * ITEMS,
	       (unsigned long long)taken, (unsigned long long)stolen);
	return taken > ITEMS / 10 && stolen > ITEMS / 10 ? 0 : 1;
}
