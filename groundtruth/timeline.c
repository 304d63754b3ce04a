/* SPDX-License-Identifier: BSD-2-Clause */
/* Switches of all threads become stretches on a CPU, by thread and time. */
#include "groundtruth/timeline.h"

#include <stdlib.h>

/* On a CPU from `in` to `out`; a thread that was not seen to leave: to the end of time. One that
 * was not seen to come: from `in` or before, but not before `least`. */
struct stretch {
	uint64_t least, in, out;
	uint64_t ran, delayed; /* when it left, in all its life; 0: not known */
	uint32_t tid;
	bool sleeps; /* when it left */
};

struct timeline {
	size_t cnt;
	struct stretch v[];
};

/* Of one thread and one time the switch away comes first: it was told by the CPU that it left. */
static int by_thread(const void *pa, const void *pb)
{
	const struct timeline_switch *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return (int)a->in - (int)b->in;
}

static void come(struct timeline *x, uint32_t tid, uint64_t least, uint64_t t)
{
	x->v[x->cnt++] = (struct stretch){.least = least, .in = t, .out = UINT64_MAX, .tid = tid};
}

static void leave(struct timeline *x, const struct timeline_switch *s)
{
	struct stretch *last = &x->v[x->cnt - 1];

	last->out = s->t;
	last->ran = s->ran;
	last->delayed = s->delayed;
	last->sleeps = s->sleeps;
}

/* Left twice: what it ran between says when it came. */
static bool came_unseen(struct timeline *x, const struct stretch *last,
			const struct timeline_switch *s)
{
	uint64_t ran = s->ran - last->ran;

	if (!last->ran || s->ran < last->ran || ran > s->t - last->out)
		return false;
	come(x, s->tid, last->out, s->t - ran);
	return true;
}

/* A thread may be seen first as it leaves, if it ran when the watch began. False: two in a row are
 * alike, and nothing helps. */
static bool add(struct timeline *x, const struct timeline_switch *s)
{
	const struct stretch *last = x->cnt ? &x->v[x->cnt - 1] : NULL;
	bool known = last && last->tid == s->tid, running = known && last->out == UINT64_MAX;

	if (s->in) {
		if (running)
			return false;
		come(x, s->tid, s->t, s->t);
		return true;
	}
	if (!known)
		come(x, s->tid, 0, 0);
	else if (!running && !came_unseen(x, last, s))
		return false;
	leave(x, s);
	return true;
}

/* All switches of one thread, or none. */
static size_t add_thread(struct timeline *x, const struct timeline_switch *v, size_t cnt)
{
	size_t before = x->cnt, i = 0;
	bool good = true;

	for (; i < cnt && v[i].tid == v[0].tid; i++)
		good = good && add(x, &v[i]);
	if (!good)
		x->cnt = before;
	return i;
}

struct timeline *timeline_make(struct timeline_switch *v, size_t cnt)
{
	struct timeline *x = malloc(sizeof(*x) + cnt * sizeof(x->v[0]));

	if (!x)
		return NULL;
	x->cnt = 0;
	if (cnt)
		qsort(v, cnt, sizeof(*v), by_thread);
	for (size_t i = 0; i < cnt;)
		i += add_thread(x, &v[i], cnt - i);
	return x;
}

void timeline_free(struct timeline *x)
{
	free(x);
}

/* The first stretch of (tid, t) or later that ends at or after t. */
static size_t find(const struct timeline *x, uint32_t tid, uint64_t t)
{
	size_t low = 0, high = x->cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct stretch *s = &x->v[mid];

		if (s->tid < tid || (s->tid == tid && s->out < t))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool covers(const struct timeline *x, size_t i, uint32_t tid, uint64_t t)
{
	return i < x->cnt && x->v[i].tid == tid && x->v[i].least <= t && t <= x->v[i].out;
}

bool timeline_cpu(const struct timeline *x, uint32_t tid, uint64_t t0, uint64_t t1, uint64_t *ret)
{
	size_t i = find(x, tid, t0), last = find(x, tid, t1);
	uint64_t sum = 0;

	if (!covers(x, i, tid, t0) || !covers(x, last, tid, t1))
		return false;
	for (size_t k = i; k <= last; k++) {
		/* it read a clock at t0, and at t1: it was there, whatever was reckoned */
		uint64_t from = k == i ? t0 : x->v[k].in;
		uint64_t to = k == last ? t1 : x->v[k].out;

		sum += to > from ? to - from : 0;
	}
	*ret = sum;
	return true;
}

/* Before stretch i, since the one before it: what the kernel counted, which is less than what
 * passed. */
static uint64_t delay_before(const struct timeline *x, size_t i)
{
	const struct stretch *s = &x->v[i], *before = s - 1;
	uint64_t passed = s->in - before->out;
	uint64_t delay = s->delayed > before->delayed ? s->delayed - before->delayed : 0;

	return delay < passed ? delay : passed;
}

uint64_t timeline_delay(const struct timeline *x, uint32_t tid, uint64_t t0, uint64_t t1)
{
	size_t i = find(x, tid, t0), last = find(x, tid, t1);
	uint64_t sum = 0;

	while (++i <= last)
		if (x->v[i].in <= t1)
			sum += delay_before(x, i);
	return sum;
}

bool timeline_knows_delays(const struct timeline *x)
{
	for (size_t i = 0; i < x->cnt; i++)
		if (x->v[i].delayed)
			return true;
	return false;
}

bool timeline_knows(const struct timeline *x, uint32_t tid)
{
	size_t i = find(x, tid, 0);

	return i < x->cnt && x->v[i].tid == tid;
}

void timeline_absences(const struct timeline *x, uint32_t tid,
		       void (*each)(void *arg, const struct timeline_absence *a), void *arg)
{
	for (size_t i = find(x, tid, 0); i + 1 < x->cnt && x->v[i + 1].tid == tid; i++) {
		struct timeline_absence a = {
			.from = x->v[i].out, .to = x->v[i + 1].in, .sleeps = x->v[i].sleeps};

		if (a.to > a.from)
			each(arg, &a);
	}
}
