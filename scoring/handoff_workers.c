/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims shared out among threads. */
#include <errno.h>

#include "scoring/handoff_run.h"

enum { CHUNK = 16384 };

struct share {
	struct worker *w;
	int (*fn)(struct worker *, size_t from, size_t to);
	size_t cnt;
	_Atomic(size_t) *next;
};

static void *work(void *arg)
{
	struct share *s = arg;
	size_t from;

	while (!s->w->err &&
	       (from = atomic_fetch_add_explicit(s->next, CHUNK, memory_order_relaxed)) < s->cnt) {
		size_t to = s->cnt - from < CHUNK ? s->cnt : from + CHUNK;

		s->w->err = s->fn(s->w, from, to);
	}
	return NULL;
}

/* A thread that cannot be started is no error: the others do its share. */
int workers_each(struct run *r, struct worker *w, size_t cnt,
		 int (*fn)(struct worker *, size_t from, size_t to))
{
	_Atomic(size_t) next = 0;
	struct share s[64];
	unsigned n = cnt <= CHUNK ? 1 : r->workers, started = 0;

	for (unsigned i = 0; i < n; i++)
		s[i] = (struct share){.w = &w[i], .fn = fn, .cnt = cnt, .next = &next};
	for (unsigned i = 1; i < n; i++) {
		if (pthread_create(&w[i].thread, NULL, work, &s[i]))
			break;
		started = i;
	}
	work(&s[0]);
	for (unsigned i = 1; i <= started; i++)
		pthread_join(w[i].thread, NULL);
	for (unsigned i = 0; i < n; i++)
		if (w[i].err)
			return w[i].err;
	return 0;
}
