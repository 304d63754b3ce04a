/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a task costs: the work-stealing runtime of workloads/tasks beside a plain thread pool (one
 * mutex, two condition variables, one queue), in one process. Both run the same thing: batches of
 * empty tasks, each batch joined before the next, small ones, between which threads go to sleep,
 * and large ones. Truth is off. Printed are ns of CPU and of time a task, the best of some rounds,
 * and the ratios.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workloads/tasks/crew.h"

enum { WORKERS = 2, WIDTH = 8, TASKS = 163840, ROUNDS = 5 };

static unsigned batch; /* tasks */

struct cost {
	double cpu, wall; /* ns a task */
};

void run_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

void run_lacks(int err, const char *fmt, ...)
{
	fprintf(stderr, "%s: %s\n", fmt, strerror(-err));
	exit(77);
}

void run_refuse(const char *fmt, ...)
{
	run_fail(0, "%s\n", fmt);
}

void run_start(struct worker *w)
{
	run_fail(0, "no thread %u was asked for\n", w->index);
}

static double clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The best of ROUNDS: the machine is shared, and noise only adds. */
static struct cost measure(void (*round)(void))
{
	struct cost best = {1e18, 1e18};

	for (int i = 0; i < ROUNDS; i++) {
		double cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ns(CLOCK_MONOTONIC);

		round();
		cpu = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / TASKS;
		wall = (clock_ns(CLOCK_MONOTONIC) - wall) / TASKS;
		best.cpu = cpu < best.cpu ? cpu : best.cpu;
		best.wall = wall < best.wall ? wall : best.wall;
	}
	return best;
}

static void pin(unsigned i)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(i % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* ---- the runtime ---- */

static struct run run;

static enum next empty_body(struct runner *x, struct strand *s)
{
	x->w->sink++;
	return NEXT_DONE;
}

static enum next root_body(struct runner *x, struct strand *s)
{
	if (s->stage == TASKS / batch)
		return NEXT_DONE;
	s->stage++;
	for (unsigned n = 0; n < batch; n += WIDTH) {
		struct task *t = task_new(x->crew, s, empty_body, WIDTH);

		for (unsigned i = 0; i < WIDTH; i++)
			watch_spawn(x, &t->strands[i], 0);
	}
	s->await = AWAIT_JOIN;
	return NEXT_AWAIT;
}

static void *worker(void *arg)
{
	struct runner *x = arg;

	pin(x->w->index);
	if (x->w->index == 0) {
		struct task *t = task_new(x->crew, NULL, root_body, 1);

		op_begin(x->w, &t->op, 0, 0);
		watch_spawn_root(x, &t->strands[0]);
	}
	worker_body(x);
	return NULL;
}

static void runtime_round(void)
{
	static const struct run_options options = {
		.workers = WORKERS, .queue_depth = 8, .fanout = WIDTH, .data = "/tmp"};
	pthread_t threads[WORKERS];
	struct crew *c;
	uint64_t sum = 0;

	run = (struct run){.options = &options};
	run.threads_cnt = workload.threads(&options);
	run.workers = aligned_alloc(64, (run.threads_cnt + 1) * sizeof(*run.workers));
	memset(run.workers, 0, (run.threads_cnt + 1) * sizeof(*run.workers));
	for (unsigned i = 0; i <= run.threads_cnt; i++) {
		run.workers[i].run = &run;
		run.workers[i].index = i;
	}
	workload.open(&run);
	c = run.priv;
	c->active = 1;
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, worker, &c->runners[i]);
	for (unsigned i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		sum += run.workers[i].sink;
	}
	if (sum != TASKS)
		run_fail(0, "%llu tasks were run\n", (unsigned long long)sum);
	crew_settle(&c->runners[run.threads_cnt]);
	workload.close(&run);
	free(run.workers);
}

/* ---- the pool ---- */

static _Atomic uint64_t pool_sink;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	unsigned queued, left; /* of the batch */
	bool over;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .work = PTHREAD_COND_INITIALIZER,
	  .idle = PTHREAD_COND_INITIALIZER};

static void *pool_worker(void *arg)
{
	pin((unsigned)(uintptr_t)arg);
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		while (!pool.queued && !pool.over)
			pthread_cond_wait(&pool.work, &pool.lock);
		if (!pool.queued)
			break;
		pool.queued--;
		pthread_mutex_unlock(&pool.lock);
		atomic_fetch_add_explicit(&pool_sink, 1, memory_order_relaxed);
		pthread_mutex_lock(&pool.lock);
		if (--pool.left == 0)
			pthread_cond_signal(&pool.idle);
	}
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

static void pool_batch(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.left = batch;
	pthread_mutex_unlock(&pool.lock);
	for (unsigned i = 0; i < batch; i++) {
		pthread_mutex_lock(&pool.lock);
		pool.queued++;
		pthread_mutex_unlock(&pool.lock);
		pthread_cond_signal(&pool.work);
	}
	pthread_mutex_lock(&pool.lock);
	while (pool.left)
		pthread_cond_wait(&pool.idle, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

static void pool_round(void)
{
	pthread_t threads[WORKERS];

	pool.over = false;
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, pool_worker, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < TASKS / batch; i++)
		pool_batch();
	pthread_mutex_lock(&pool.lock);
	pool.over = true;
	pthread_mutex_unlock(&pool.lock);
	pthread_cond_broadcast(&pool.work);
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
}

static void compare(unsigned tasks)
{
	struct cost runtime, plain;

	batch = tasks;
	runtime = measure(runtime_round);
	plain = measure(pool_round);
	printf("tasks.runtime in %u: %.0f ns of CPU, %.0f ns a task\n", batch, runtime.cpu,
	       runtime.wall);
	printf("tasks.pool    in %u: %.0f ns of CPU, %.0f ns a task\n", batch, plain.cpu,
	       plain.wall);
	printf("tasks.ratio   in %u: %.1f of CPU, %.1f of time (pool / runtime)\n", batch,
	       plain.cpu / runtime.cpu, plain.wall / runtime.wall);
}

int main(void)
{
	compare(WIDTH);
	compare(64 * WIDTH);
	return 0;
}
