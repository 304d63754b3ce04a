/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorders of several threads at once, under TSan: every record arrives, every token is dealt
 * once, decoys cross threads, and truth is sound.
 *
 * A ring of threads: each takes what the thread before it sent and sends to the next, through
 * queues with their own lock, so that all order between threads but the recorder's own is plain.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "groundtruth/collect.h"
#include "groundtruth/recorder.h"
#include "lib/vocab.h"

enum { THREADS = 4, HOPS = 20000, QUEUE = 64 };

struct message {
	uint64_t id, op;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct message v[QUEUE];
	unsigned from, cnt;
};

struct ring {
	struct recorder_channel c;
	struct queue q[THREADS];
	pthread_barrier_t start;
};

struct worker {
	struct ring *ring;
	unsigned number;
	uint64_t op;
	uint64_t segments, handoffs;
};

static const struct rec_key key = {.v = 0x1000, .scope = 1, .ns = KEY_UADDR, .has_scope = true};

static void queue_push(struct queue *q, struct message m)
{
	pthread_mutex_lock(&q->lock);
	while (q->cnt == QUEUE)
		pthread_cond_wait(&q->changed, &q->lock);
	q->v[(q->from + q->cnt++) % QUEUE] = m;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static struct message queue_pop(struct queue *q)
{
	struct message m;

	pthread_mutex_lock(&q->lock);
	while (!q->cnt)
		pthread_cond_wait(&q->changed, &q->lock);
	m = q->v[q->from];
	q->from = (q->from + 1) % QUEUE;
	q->cnt--;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return m;
}

static void send(struct worker *w, struct recorder *r)
{
	struct message m = {recorder_token(r), w->op};
	uint64_t t0 = recorder_now(r), t1;

	queue_push(&w->ring->q[(w->number + 1) % THREADS], m);
	t1 = recorder_now(r);
	recorder_src(r, m.id, m.op, HANDOFF_QUEUE, key, RECORDER_NO_SEQ, 0, t0, t1);
}

static void take(struct worker *w, struct recorder *r)
{
	struct message m = queue_pop(&w->ring->q[w->number]);
	uint64_t t1 = recorder_now(r), t2;

	recorder_dst(r, m.id, m.op, HANDOFF_QUEUE, key, RECORDER_NO_SEQ, 0, 0, t1);
	t2 = recorder_now(r);
	recorder_segment(r, m.op, t1, t2);
	w->segments++;
	w->handoffs++;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct recorder r;
	uint64_t t0, t1;

	if (!recorder_open(&r, &w->ring->c, (uint32_t)gettid()))
		return NULL;
	pthread_barrier_wait(&w->ring->start);
	t0 = recorder_now(&r);
	w->op = recorder_token(&r);
	t1 = recorder_now(&r);
	recorder_begin(&r, w->op, 0, t0, t1);
	/* Every operation begins before any is executed by another thread. */
	pthread_barrier_wait(&w->ring->start);
	for (int i = 0; i < HOPS; i++) {
		send(w, &r);
		take(w, &r);
	}
	pthread_barrier_wait(&w->ring->start);
	t0 = recorder_now(&r);
	t1 = recorder_now(&r);
	recorder_end(&r, w->op, t0, t1, false);
	recorder_close(&r);
	return w;
}

static int run(struct ring *ring, struct worker *w)
{
	pthread_t threads[THREADS];
	int bad = 0;

	pthread_barrier_init(&ring->start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_mutex_init(&ring->q[i].lock, NULL);
		pthread_cond_init(&ring->q[i].changed, NULL);
		w[i] = (struct worker){.ring = ring, .number = i};
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &w[i]))
			abort();
	for (unsigned i = 0; i < THREADS; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		bad |= !ret;
	}
	return bad;
}

static int fail(const char *what)
{
	fprintf(stderr, "truth_recorder: %s\n", what);
	return 1;
}

static int judge(const struct truth *t)
{
	double share = (double)t->decoys_cnt / (double)t->order_cnt;
	size_t second = 0;
	struct diag d;

	if (truth_check(t, "truth", &d))
		return fail(d.reason);
	if (t->threads_cnt != THREADS || t->handoffs_cnt != THREADS * HOPS)
		return fail("records are missing");
	if (share < 0.01 || share > 0.05)
		return fail("decoys are not 1 to 5 %");
	for (size_t i = 0; i < t->decoys_cnt; i++)
		second += !t->decoys[i].has_id;
	if (!second)
		return fail("no decoy crossed threads");
	printf("truth_recorder: %zu records, %.2f %% decoys\n", t->order_cnt, 100 * share);
	return 0;
}

static int collect(struct channel *ch, struct ring *ring, const struct worker *w)
{
	struct collect_info info = {
		.workload = "ring", .variant = "base", .scored = {0, UINT64_MAX}};
	uint64_t segments = 0, handoffs = 0;
	struct truth t;
	struct diag d;
	int bad;

	for (unsigned i = 0; i < THREADS; i++) {
		segments += w[i].segments;
		handoffs += w[i].handoffs;
	}
	recorder_unmap(&ring->c, THREADS, THREADS, segments, handoffs, 0);
	if (channel_collect(ch, &info, &t, &d))
		return fail(d.reason);
	bad = judge(&t);
	truth_free(&t);
	return bad;
}

int main(void)
{
	struct channel_options o = {.slots = THREADS, .records = 4 * HOPS, .decoy_ppm = 20000};
	static struct ring ring;
	struct worker w[THREADS];
	struct channel *ch;
	struct diag d;
	int bad;

	ch = channel_new(&o, &d);
	if (!ch)
		return fail(d.reason);
	if (recorder_map_fd(&ring.c, dup(channel_fd(ch))) || !ring.c.map)
		return fail("the channel cannot be mapped");
	recorder_name_kind(&ring.c, 0, "hop");
	recorder_keys(&ring.c, 1u << KEY_UADDR);
	recorder_spare(&ring.c, HANDOFF_QUEUE, KEY_UADDR, true, 1, 0xdead);
	recorder_spare(&ring.c, HANDOFF_QUEUE, KEY_UADDR, true, 1, 0xbeef);
	bad = run(&ring, w);
	bad = bad ? fail("a thread found no slot") : collect(ch, &ring, w);
	channel_free(ch);
	return bad;
}
