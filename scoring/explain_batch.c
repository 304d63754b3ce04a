/* SPDX-License-Identifier: BSD-2-Clause */
/* Rank batches as text: which handoff each time of the claims means (contracts §5.1). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/param.h>

#include "scoring/arrays.h"
#include "scoring/explain_parts.h"
#include "scoring/scope.h"

enum { MEMBERS_SHOWN = 8 };

static const struct window *batch_window(const struct truth_handoff *h, enum end_side side)
{
	return side == END_SRC ? &h->src_t : &h->dst_ready;
}

static uint32_t batch_tid(const struct truth_handoff *h, enum end_side side)
{
	return side == END_SRC ? h->src_tid : h->dst_tid;
}

static uint64_t batch_place(const struct truth_handoff *h, enum end_side side)
{
	return side == END_SRC ? h->seq : h->take;
}

static bool same_key_and_thread(const struct truth_handoff *a, const struct truth_handoff *b,
				enum end_side side)
{
	return a->type == b->type && a->key.ns == b->key.ns && a->key.v == b->key.v &&
	       a->key.has_scope == b->key.has_scope && a->key.scope == b->key.scope &&
	       batch_tid(a, side) == batch_tid(b, side);
}

/* A chain of overlapping windows spans one interval: grow it until nothing new overlaps it. */
static struct window batch_hull(const struct explain *x, const struct truth_handoff *h,
				enum end_side side)
{
	struct window hull = *batch_window(h, side), before;

	do {
		before = hull;
		for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
			const struct truth_handoff *o = &x->t.handoffs[i];
			const struct window *w = batch_window(o, side);

			if (!end_scored(x, o, side) || !same_key_and_thread(o, h, side) ||
			    w->t0 >= hull.t1 || hull.t0 >= w->t1)
				continue;
			hull.t0 = MIN(hull.t0, w->t0);
			hull.t1 = MAX(hull.t1, w->t1);
		}
	} while (before.t0 != hull.t0 || before.t1 != hull.t1);
	return hull;
}

static int seq_cmp(const void *pa, const void *pb)
{
	const struct truth_handoff *const *a = pa, *const *b = pb;

	return CMP3((*a)->seq, (*b)->seq);
}

static int take_cmp(const void *pa, const void *pb)
{
	const struct truth_handoff *const *a = pa, *const *b = pb;

	return CMP3((*a)->take, (*b)->take);
}

static size_t batch_members(const struct explain *x, const struct truth_handoff *h,
			    enum end_side side, const struct window *hull,
			    const struct truth_handoff **ret)
{
	size_t cnt = 0;

	for (size_t i = 0; i < x->t.handoffs_cnt; i++) {
		const struct truth_handoff *o = &x->t.handoffs[i];
		const struct window *w = batch_window(o, side);

		if (o == h || (end_scored(x, o, side) && same_key_and_thread(o, h, side) &&
			       w->t0 < hull->t1 && hull->t0 < w->t1))
			ret[cnt++] = o;
	}
	qsort(ret, cnt, sizeof(*ret), side == END_SRC ? seq_cmp : take_cmp);
	return cnt;
}

static int time_cmp(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return CMP3(*a, *b);
}

/* Distinct times at which claims that give the key of h place that end in the batch. */
static size_t batch_times(const struct explain *x, const struct truth_handoff *h,
			  enum end_side side, const struct window *hull, uint64_t *ret)
{
	size_t cnt = 0, kept = 0;

	for (size_t i = 0; i < x->c.cnt; i++) {
		const struct claim *c = &x->c.v[i];
		struct claim_end e;

		if (c->kind != CLAIM_HANDOFF || c->type != h->type || !keys_equal(c, h))
			continue;
		e = claim_end(x, c, side);
		if (e.known && e.tid == batch_tid(h, side) && window_holds(hull, e.t))
			ret[cnt++] = e.t;
	}
	qsort(ret, cnt, sizeof(*ret), time_cmp);
	for (size_t i = 0; i < cnt; i++)
		if (!kept || ret[kept - 1] != ret[i])
			ret[kept++] = ret[i];
	return kept;
}

static void print_members(const struct truth_handoff *const *member, size_t cnt,
			  const uint64_t *times, size_t times_cnt, enum end_side side, FILE *out)
{
	bool ranked = cnt == times_cnt;

	fprintf(out,
		"    rank: windows of %zu handoffs with this key overlap here; claims give "
		"%zu distinct times, %s\n",
		cnt, times_cnt,
		ranked ? "so each means one of them, in order"
		       : "which is not as many: times are not ranked");
	for (size_t i = 0; i < cnt && i < MEMBERS_SHOWN; i++) {
		fprintf(out, "      %s %" PRIu64 ": 0x%" PRIx64, side == END_SRC ? "seq" : "take",
			batch_place(member[i], side), member[i]->id);
		if (ranked)
			fprintf(out, ", meant by the time %" PRIu64, times[i]);
		fputc('\n', out);
	}
}

int print_batch(const struct explain *x, const struct claim *c, enum end_side side,
		const struct truth_handoff *h, FILE *out)
{
	const struct truth_handoff **member = array_new(x->t.handoffs_cnt, sizeof(*member));
	uint64_t *times = array_new(x->c.cnt, sizeof(*times));
	int err = member && times ? 0 : -ENOMEM;

	if (!err && keys_comparable(x, c, h)) {
		struct window hull = batch_hull(x, h, side);
		size_t cnt = batch_members(x, h, side, &hull, member);
		size_t times_cnt = batch_times(x, h, side, &hull, times);

		if (cnt > 1)
			print_members(member, cnt, times, times_cnt, side, out);
	}
	free(member);
	free(times);
	return err;
}
