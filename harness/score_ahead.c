/* SPDX-License-Identifier: BSD-2-Clause */
/* A window of scores that moves with who takes them. */
#include "harness/score_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/machine.h"
#include "scoring/score.h"

enum { WINDOW = 16 };

struct slot {
	struct score *score;
	struct diag d;
	bool done;
};

struct score_ahead {
	score_make *make;
	void *arg;
	size_t cnt;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t moved;
	size_t next, taken; /* to be begun; the first that was not taken */
	bool ends;
	struct slot slots[WINDOW]; /* of number i: i % WINDOW */
	pthread_t threads[SCORES_AT_ONCE];
	unsigned threads_cnt;
};

/* The next to make; false: there is none any more. With the lock held. */
static bool wait_for_work(struct score_ahead *a, size_t *ret)
{
	while (!a->ends && a->next < a->cnt && a->next >= a->taken + WINDOW)
		pthread_cond_wait(&a->moved, &a->lock);
	*ret = a->next;
	return !a->ends && a->next++ < a->cnt;
}

static void *work(void *arg)
{
	struct score_ahead *a = arg;
	size_t i;

	pthread_mutex_lock(&a->lock);
	while (wait_for_work(a, &i)) {
		struct slot s = {.done = true};

		pthread_mutex_unlock(&a->lock);
		s.score = a->make(a->arg, i, &s.d);
		pthread_mutex_lock(&a->lock);
		a->slots[i % WINDOW] = s;
		pthread_cond_broadcast(&a->moved);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static unsigned threads_wanted(void)
{
	unsigned n = machine_processors();

	return n > SCORES_AT_ONCE ? SCORES_AT_ONCE : n;
}

struct score_ahead *score_ahead_new(size_t cnt, score_make *make, void *arg)
{
	struct score_ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->make = make;
	a->arg = arg;
	a->cnt = cnt;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->moved, NULL);
	while (a->threads_cnt < threads_wanted() &&
	       !pthread_create(&a->threads[a->threads_cnt], NULL, work, a))
		a->threads_cnt++;
	return a;
}

/* Where no thread could be had it is made now. */
struct score *score_ahead_take(struct score_ahead *a, size_t i, struct diag *d)
{
	struct slot *at = &a->slots[i % WINDOW], s;

	if (!a->threads_cnt)
		return a->make(a->arg, i, d);
	pthread_mutex_lock(&a->lock);
	while (!at->done)
		pthread_cond_wait(&a->moved, &a->lock);
	s = *at;
	*at = (struct slot){.done = false};
	a->taken = i + 1;
	pthread_cond_broadcast(&a->moved);
	pthread_mutex_unlock(&a->lock);
	if (!s.score && s.d.err)
		*d = s.d;
	return s.score;
}

void score_ahead_free(struct score_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->ends = true;
	pthread_cond_broadcast(&a->moved);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < a->threads_cnt; i++)
		pthread_join(a->threads[i], NULL);
	for (unsigned i = 0; i < WINDOW; i++)
		score_free(a->slots[i].score);
	pthread_cond_destroy(&a->moved);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
