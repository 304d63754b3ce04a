/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tickets: however late a waker's call returns, and in whatever order waiter and waker finish, a
 * ticket has one holder at a time, and its waiter finds what its holder wrote. Wakers and waiters
 * meet without a kernel between them, so that every order occurs; under TSan (make race) an access
 * that the protocol does not order is a failure as well.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/wake/wake.h"

enum { WAKERS = 3, WAITERS = 2, ROUNDS = 20000 };

struct meeting { /* one waiter, its ticket, and how a waker's call ended */
	struct ticket ticket;
	_Atomic unsigned call; /* 0: none, 1: woke */
	uint64_t seen;	       /* sum of what the waiter found */
	unsigned woken;
};

static struct meeting meetings[WAITERS];
static _Atomic unsigned holders[WAITERS]; /* of the ticket; never more than one */
static _Atomic uint64_t sent_sum;
static _Atomic unsigned sent_cnt;
static _Atomic bool over;

void run_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

static void hold(unsigned i, struct rng *r)
{
	struct meeting *m = &meetings[i];
	struct sent s = {.id = rng_next(r) >> 1};
	bool wake = rng_next(r) & 1;

	if (atomic_fetch_add(&holders[i], 1) != 0)
		run_fail(0, "a ticket has two holders\n");
	ticket_post(&m->ticket, &s);
	if (wake) {
		atomic_fetch_add(&sent_sum, s.id);
		atomic_fetch_add(&sent_cnt, 1);
	}
	atomic_fetch_sub(&holders[i], 1);
	if (wake)
		atomic_store(&m->call, 1); /* the waiter may go on before the call returns */
	if (rng_next(r) & 1)
		sched_yield();
	ticket_settle(&m->ticket, TICKET_CALLED | (wake ? TICKET_WOKE : 0));
}

static void *waker(void *arg)
{
	struct rng r = rng_stream(7, (uintptr_t)arg);

	for (unsigned done = 0; done < ROUNDS;) {
		unsigned i = rng_below(&r, WAITERS);

		if (!ticket_claim(&meetings[i].ticket, TICKET_TAKEN)) {
			sched_yield();
			continue;
		}
		hold(i, &r);
		done++;
	}
	return NULL;
}

static void *waiter(void *arg)
{
	struct meeting *m = arg;

	while (!atomic_load(&over)) {
		struct sent s;

		if (!atomic_exchange(&m->call, 0)) {
			sched_yield();
			continue;
		}
		s = ticket_sent(&m->ticket);
		m->seen += s.id;
		m->woken++;
		ticket_settle(&m->ticket, TICKET_SLEPT);
	}
	return NULL;
}

int main(void)
{
	pthread_t wakers[WAKERS], waiters[WAITERS];
	uint64_t seen = 0;
	unsigned woken = 0;

	for (uintptr_t i = 0; i < WAITERS; i++)
		pthread_create(&waiters[i], NULL, waiter, &meetings[i]);
	for (uintptr_t i = 0; i < WAKERS; i++)
		pthread_create(&wakers[i], NULL, waker, (void *)i);
	for (unsigned i = 0; i < WAKERS; i++)
		pthread_join(wakers[i], NULL);
	for (unsigned i = 0; i < WAITERS; i++) {
		while (atomic_load(&meetings[i].ticket.flags))
			sched_yield();
	}
	atomic_store(&over, true);
	for (unsigned i = 0; i < WAITERS; i++) {
		pthread_join(waiters[i], NULL);
		seen += meetings[i].seen;
		woken += meetings[i].woken;
	}
	printf("%u wakes, %u waiters woken\n", sent_cnt, woken);
	return woken == sent_cnt && seen == sent_sum && woken > ROUNDS ? 0 : 1;
}
