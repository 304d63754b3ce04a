/* SPDX-License-Identifier: BSD-2-Clause */
/* Work shared out among threads. */
#include "scoring/handoff_workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct share {
	const struct work *job;
	_Atomic(size_t) next;
	_Atomic(int) err; /* the first */
};

struct hand {
	struct share *s;
	unsigned number;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct hand *a = arg;
	struct share *s = a->s;
	const struct work *j = s->job;
	size_t from;

	while (!atomic_load_explicit(&s->err, memory_order_relaxed) &&
	       (from = atomic_fetch_add_explicit(&s->next, j->chunk, memory_order_relaxed)) <
		       j->cnt) {
		/* mutant <=: equivalent because both are the same then */
		size_t to = j->cnt - from < j->chunk ? j->cnt : from + j->chunk;
		int none = 0, err = j->fn(j->arg, a->number, from, to);

		if (err)
			atomic_compare_exchange_strong(&s->err, &none, err);
	}
	return NULL;
}

/* A thread that cannot be started is no error: the others do its share. */
int work_each(const struct work *job)
{
	struct share s = {.job = job};
	struct hand hand[WORKERS_MAX];
	/* mutant <: equivalent because who finds no share does nothing */
	unsigned n = job->cnt <= job->chunk ? 1 : job->workers, started = 0;

	for (unsigned i = 0; i < n; i++)
		hand[i] = (struct hand){.s = &s, .number = i};
	/* mutant 2: equivalent because the others do its share */
	for (unsigned i = 1; i < n; i++) {
		if (pthread_create(&hand[i].thread, NULL, work, &hand[i]))
			break;
		started = i;
	}
	work(&hand[0]);
	for (; started; started--)
		pthread_join(hand[started].thread, NULL);
	return atomic_load(&s.err);
}
