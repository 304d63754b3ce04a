/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the oracle says that it saw each end: inside the window, and so that the scorer's rules
 * about equal observations (contracts §5.1) find nothing to doubt.
 *
 * One src observation (type, key value, thread, time) credits one handoff only, and times of a
 * batch are ranked by seq or take. So the ends of one thread, type and key get distinct times, in
 * the order of seq or take where their windows overlap. Only handoffs of one multishot, coalesced
 * or fanned-out act share its time. A dst with a key is put into its ready window, which is what
 * batches are made of; one without a key to the end of dst.t, where D holds it without doubt.
 * Events of one thread, kind and class get distinct times as well, or their lives could be swapped.
 */
#include "groundtruth/claimant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct end {
	uint64_t group[3]; /* what makes observations comparable */
	struct window w;
	uint64_t rank; /* seq or take */
	uint32_t index;
	bool shares; /* multishot, coalesced, fanout */
};

static int by_group_and_time(const void *a, const void *b)
{
	const struct end *p = a, *q = b;

	for (int i = 0; i < 3; i++)
		if (p->group[i] != q->group[i])
			return p->group[i] < q->group[i] ? -1 : 1;
	if (p->w.t0 != q->w.t0)
		return p->w.t0 < q->w.t0 ? -1 : 1;
	if (p->w.t1 != q->w.t1)
		return p->w.t1 < q->w.t1 ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

static int by_rank(const void *a, const void *b)
{
	const struct end *p = a, *q = b;

	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	return by_group_and_time(a, b);
}

static bool same_group(const struct end *a, const struct end *b)
{
	return !memcmp(a->group, b->group, sizeof(a->group));
}

/* A maximal chain of overlapping windows of one group, from v[0] on. */
static size_t chain_of(const struct end *v, size_t cnt)
{
	uint64_t until = v[0].w.t1;
	size_t n = 1;

	while (n < cnt && same_group(&v[n], &v[0]) && v[n].w.t0 < until) {
		if (v[n].w.t1 > until)
			until = v[n].w.t1;
		n++;
	}
	return n;
}

static bool one_act(const struct end *a, const struct end *b)
{
	return a->shares && b->shares && a->w.t0 == b->w.t0 && a->w.t1 == b->w.t1;
}

/* Each gets the first moment of its window that is later than the one before it. */
static void deal_chain(struct end *v, size_t cnt, uint64_t *last, uint64_t *times)
{
	qsort(v, cnt, sizeof(*v), by_rank);
	for (size_t i = 0; i < cnt; i++) {
		uint64_t t = v[i].w.t0 > *last ? v[i].w.t0 : *last + 1;

		if (i && one_act(&v[i], &v[i - 1]))
			t = times[v[i - 1].index];
		if (t > v[i].w.t1)
			t = v[i].w.t1; /* more acts than nanoseconds: some will be duplicates */
		times[v[i].index] = t;
		if (t > *last)
			*last = t;
	}
}

static void deal(struct end *v, size_t cnt, uint64_t *times)
{
	uint64_t last = 0;

	if (cnt)
		qsort(v, cnt, sizeof(*v), by_group_and_time);
	for (size_t i = 0, n; i < cnt; i += n) {
		if (!i || !same_group(&v[i], &v[i - 1]))
			last = 0;
		n = chain_of(v + i, cnt - i);
		deal_chain(v + i, n, &last, times);
	}
}

static bool comparable(const struct truth *t, const struct truth_key *k)
{
	return k->ns != KEY_NONE && k->ns != KEY_OTHER && t->keys & 1u << k->ns;
}

static struct end end_of(const struct truth *t, uint32_t i, uint32_t tid, struct window w,
			 bool ranked, uint64_t rank)
{
	const uint32_t shares = 1u << MARK_MULTISHOT | 1u << MARK_COALESCED | 1u << MARK_FANOUT;
	const struct truth_handoff *h = &t->handoffs[i];
	bool keyed = comparable(t, &h->key);

	return (struct end){
		.group = {(uint64_t)h->type << 40 | (uint64_t)(keyed ? h->key.ns : 0) << 32 | tid,
			  keyed ? h->key.v : 0, 0},
		.w = w,
		.rank = ranked ? rank : i,
		.index = i,
		.shares = h->marks & shares};
}

/* What is not scored stands at the far bounds of its windows, and so outside, where it may. */
static void deal_handoffs(const struct truth *t, struct end *v, struct claim_times *m)
{
	size_t src = 0, dst = 0;

	for (uint32_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		bool straddles = h->has & TH_SRC && h->has & TH_DST && !handoff_scored(t, h);

		m->src[i] = h->src_t.t0;
		m->dst[i] = h->dst_t.t1;
		if (h->has & TH_SRC && !straddles)
			v[src++] = end_of(t, i, h->src_tid, h->src_t, h->has & TH_SEQ, h->seq);
	}
	deal(v, src, m->src);
	for (uint32_t i = 0; i < t->handoffs_cnt; i++) {
		const struct truth_handoff *h = &t->handoffs[i];

		if (handoff_scored(t, h) && comparable(t, &h->key))
			v[dst++] =
				end_of(t, i, h->dst_tid, h->dst_ready, h->has & TH_TAKE, h->take);
	}
	deal(v, dst, m->dst);
}

static void deal_events(const struct truth *t, struct end *v, struct claim_times *m)
{
	for (uint32_t i = 0; i < t->events_cnt; i++) {
		const struct truth_event *e = &t->events[i];

		v[i] = (struct end){
			.group = {e->kind, e->class_str, e->tid}, .w = e->t, .rank = i, .index = i};
	}
	deal(v, t->events_cnt, m->event);
}

int claim_times_make(const struct truth *t, struct claim_times *ret)
{
	size_t most = t->handoffs_cnt > t->events_cnt ? t->handoffs_cnt : t->events_cnt;
	struct end *v = malloc((most + 1) * sizeof(*v));
	struct claim_times m = {.src = calloc(t->handoffs_cnt + 1, sizeof(*m.src)),
				.dst = calloc(t->handoffs_cnt + 1, sizeof(*m.dst)),
				.event = calloc(t->events_cnt + 1, sizeof(*m.event))};
	bool ok = v && m.src && m.dst && m.event;

	if (ok) {
		deal_handoffs(t, v, &m);
		deal_events(t, v, &m);
		*ret = m;
	} else {
		claim_times_free(&m);
	}
	free(v);
	return ok ? 0 : -ENOMEM;
}

void claim_times_free(struct claim_times *m)
{
	free(m->src);
	free(m->dst);
	free(m->event);
}
