/* SPDX-License-Identifier: BSD-2-Clause */
/* Delays of threads on run queues, window by window. */
#include "profilers/adapter/contention.h"

#include <stdlib.h>

#include <uthash.h>

#include "profilers/adapter/reading.h"

enum { THREADS_MAX = 4096 };
enum { DEAD = 0x80 }; /* TASK_DEAD (include/linux/sched.h): its last switch */
#define WINDOW_NS (CONTENTION_MS * UINT64_C(1000000))

struct thread {
	uint32_t tid;
	uint64_t runnable, running; /* since when; 0: it is not, or nobody knows */
	UT_hash_handle hh;
};

struct contention {
	struct thread *threads;
	uint64_t begin;	       /* of the window; 0: none yet */
	uint64_t ran, delayed; /* in it, ns */
	uint64_t cpus;	       /* on which own threads were seen, as bits */
	uint32_t windows, agree;
	double usual; /* share of delays in the first windows */
};

struct contention *contention_new(void)
{
	return calloc(1, sizeof(struct contention));
}

static void forget(struct contention *x, struct thread *t)
{
	HASH_DEL(x->threads, t);
	free(t);
}

static void forget_all(struct contention *x)
{
	while (x->threads)
		forget(x, x->threads);
}

void contention_free(struct contention *x)
{
	if (!x)
		return;
	forget_all(x);
	free(x);
}

void contention_lost(struct contention *x)
{
	forget_all(x);
	x->begin = x->ran = x->delayed = 0;
	x->agree = 0;
}

/* Of one's own; NULL where there is no room, or it is not known and shall not be made. */
static struct thread *thread_of(struct contention *x, uint32_t tid, bool make)
{
	struct thread *t;

	HASH_FIND(hh, x->threads, &tid, sizeof(tid), t);
	if (t || !make || HASH_COUNT(x->threads) >= THREADS_MAX)
		return t;
	t = calloc(1, sizeof(*t));
	if (t) {
		t->tid = tid;
		HASH_ADD(hh, x->threads, tid, sizeof(t->tid), t);
	}
	return t;
}

/* ---- windows ---- */

static double share(const struct contention *x)
{
	uint64_t all = x->ran + x->delayed;

	return all ? (double)x->delayed / (double)all : 0;
}

/* The CPUs where it was seen are used by itself for the most part. */
static bool fills_cpus(const struct contention *x, uint64_t ns)
{
	double room = (double)__builtin_popcountll(x->cpus) * (double)ns;

	return (double)x->ran * 100 > room * CONTENTION_OWN_PERCENT;
}

static void window(struct contention *x, uint64_t ns)
{
	double now = share(x) * 100;
	bool shows = now >= CONTENTION_PERCENT && now >= x->usual * CONTENTION_WORSE_PERCENT &&
		     !fills_cpus(x, ns);

	if (x->windows < USUAL_WINDOWS && share(x) > x->usual)
		x->usual = share(x);
	if (x->windows++ >= USUAL_WINDOWS)
		x->agree = shows ? x->agree + 1 : 0;
}

bool contention_shows(const struct contention *x)
{
	return x->agree >= WINDOWS_AGREE;
}

/* ---- records ---- */

static void stop(struct contention *x, struct thread *t, uint64_t at)
{
	uint64_t since = t->running > x->begin ? t->running : x->begin;

	if (t->running && at > since)
		x->ran += at - since;
	t->running = 0;
}

static void leave(struct contention *x, const struct ev_rec *r)
{
	struct thread *t = thread_of(x, r->tid, !(r->b & DEAD));

	if (!t)
		return;
	stop(x, t, r->t);
	t->runnable = r->b ? 0 : r->t;
	if (r->b & DEAD)
		forget(x, t);
}

/* Its last switch says so again, where switches are seen. */
static void exits(struct contention *x, const struct ev_rec *r)
{
	struct thread *t = thread_of(x, r->tid, false);

	if (!t)
		return;
	stop(x, t, r->t);
	forget(x, t);
}

static void come(struct contention *x, struct thread *t, uint64_t at)
{
	if (t->runnable && at > t->runnable)
		x->delayed += at - t->runnable;
	t->runnable = 0;
	t->running = at;
}

static void switched(struct contention *x, const struct ev_rec *r)
{
	bool ours = !(r->flags & EV_F_OTHER);
	struct thread *next = thread_of(x, (uint32_t)r->a, !ours);

	x->cpus |= 1ull << (r->cpu & 63);
	if (ours && r->tid)
		leave(x, r);
	if (next)
		come(x, next, r->t);
}

static void woken(struct contention *x, const struct ev_rec *r)
{
	struct thread *t = thread_of(x, (uint32_t)r->a, true);

	if (t && !t->running && !t->runnable)
		t->runnable = r->t;
}

bool contention_record(struct contention *x, const struct ev_rec *r)
{
	bool ended;

	if (r->kind == EV_PROC_EXIT && !(r->flags & EV_F_CUT))
		exits(x, r);
	if ((r->kind != EV_SCHED_SWITCH && r->kind != EV_SCHED_WAKING) || r->flags & EV_F_CUT)
		return false;
	if (!x->begin)
		x->begin = r->t;
	if (r->kind == EV_SCHED_WAKING)
		woken(x, r);
	else
		switched(x, r);
	ended = r->t > x->begin && r->t - x->begin >= WINDOW_NS;
	if (ended) {
		window(x, r->t - x->begin);
		x->begin = r->t;
		x->ran = x->delayed = 0;
	}
	return ended;
}
