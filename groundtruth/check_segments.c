/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments: one thread executes one operation at a time, between that operation's begin and end.
 *
 * Segments are dealt into one bucket a thread and sorted there only if they are not in order
 * already, so that ten million of them take a second.
 */
#include "groundtruth/check.h"

#include <inttypes.h>
#include <stdlib.h>

struct span {
	struct window t;
	size_t index;
};

static int by_begin(const void *a, const void *b)
{
	const struct span *p = a, *q = b;

	if (p->t.t0 != q->t.t0)
		return p->t.t0 < q->t.t0 ? -1 : 1;
	if (p->t.t1 != q->t.t1)
		return p->t.t1 < q->t.t1 ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static void sort_spans(struct span *v, size_t cnt)
{
	for (size_t i = 1; i < cnt; i++)
		if (by_begin(&v[i - 1], &v[i]) > 0) {
			qsort(v, cnt, sizeof(*v), by_begin);
			return;
		}
}

/* The later begins before the earlier ends; touching is fine. */
static int check_thread(const struct check *x, struct span *v, size_t cnt)
{
	size_t longest = 0;

	sort_spans(v, cnt);
	for (size_t i = 1; i < cnt; i++) {
		const struct truth_segment *s = &x->t->segments[v[i].index];

		if (s->t.t0 < v[longest].t.t1)
			return check_fault(x, REC_SEGMENT, v[i].index,
					   "segments of thread %u overlap: one of operation "
					   "0x%" PRIx64 " begins at %" PRIu64
					   ", before that of 0x%" PRIx64 " ends at %" PRIu64,
					   s->tid, s->op, s->t.t0,
					   x->t->segments[v[longest].index].op, v[longest].t.t1);
		if (v[i].t.t1 >= v[longest].t.t1)
			longest = i;
	}
	return 0;
}

static uint32_t thread_of(const struct check *x, size_t i)
{
	uint32_t place = 0;

	idmap_get(&x->threads, x->t->segments[i].tid, &place);
	return place;
}

/* begin[k] … begin[k + 1] is the bucket of thread k; the file's order is kept. */
static void deal(const struct check *x, size_t *begin, struct span *v)
{
	size_t threads = x->t->threads_cnt;

	for (size_t i = 0; i < x->t->segments_cnt; i++)
		begin[thread_of(x, i) + 1]++;
	for (size_t k = 0; k < threads; k++)
		begin[k + 1] += begin[k];
	for (size_t i = 0; i < x->t->segments_cnt; i++)
		v[begin[thread_of(x, i)]++] = (struct span){x->t->segments[i].t, i};
	for (size_t k = threads; k > 0; k--)
		begin[k] = begin[k - 1];
	begin[0] = 0;
}

static int check_overlap(const struct check *x)
{
	size_t threads = x->t->threads_cnt;
	size_t *begin = calloc(threads + 1, sizeof(*begin));
	struct span *v = malloc((x->t->segments_cnt + 1) * sizeof(*v));
	int err = begin && v ? 0 : check_memory(x);

	if (!err)
		deal(x, begin, v);
	for (size_t k = 0; !err && k < threads; k++)
		err = check_thread(x, v + begin[k], begin[k + 1] - begin[k]);
	free(begin);
	free(v);
	return err;
}

/* Begin and end are windows: the act lies somewhere in them. */
static int check_within(const struct check *x, size_t i)
{
	const struct truth_segment *s = &x->t->segments[i];
	const struct truth_op *o;
	uint32_t op = 0;

	idmap_get(&x->ops, s->op, &op);
	o = &x->t->ops[op];
	if (s->t.t0 < o->begin.t0)
		return check_fault(x, REC_SEGMENT, i,
				   "a segment of operation 0x%" PRIx64 " starts before its begin",
				   s->op);
	if (s->t.t1 > o->end.t1)
		return check_fault(x, REC_SEGMENT, i,
				   "a segment of operation 0x%" PRIx64 " goes on after its end",
				   s->op);
	return 0;
}

int check_segments(const struct check *x)
{
	int err = x->t->segments_cnt ? check_overlap(x) : 0;

	for (size_t i = 0; !err && i < x->t->segments_cnt; i++)
		err = check_within(x, i);
	return err;
}
