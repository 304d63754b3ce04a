/* SPDX-License-Identifier: BSD-2-Clause */
/* Which handoffs loss hit, and what the profiler said about them. */
#include "scoring/loss.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "scoring/arrays.h"
#include "scoring/scope.h"
#include "scoring/score.h"

/* Intervals by t0; t1 is raised to the latest end so far, so that of those that begin by x the
 * last tells how far any of them reaches. */
struct spans {
	struct window *v;
	size_t cnt;
};

static int span_cmp(const void *pa, const void *pb)
{
	const struct window *a = pa, *b = pb;

	return CMP3(a->t0, b->t0);
}

static void spans_sort(struct spans *s)
{
	qsort(s->v, s->cnt, sizeof(*s->v), span_cmp);
	for (size_t i = 1; i < s->cnt; i++)
		s->v[i].t1 = MAX(s->v[i].t1, s->v[i - 1].t1);
}

struct begun_by {
	const struct spans *s;
	uint64_t t;
};

static bool has_begun(const void *parg, size_t i)
{
	const struct begun_by *arg = parg;

	return arg->s->v[i].t0 <= arg->t;
}

/* Some span begins by `by` and ends at or after `until`. */
static bool spans_reach(const struct spans *s, uint64_t by, uint64_t until)
{
	struct begun_by arg = {.s = s, .t = by};
	size_t begun = partition_point(s->cnt, has_begun, &arg);

	return begun && s->v[begun - 1].t1 >= until;
}

static bool spans_meet(const struct spans *s, const struct truth_handoff *h)
{
	return spans_reach(s, h->src_t.t1, h->src_t.t0) || spans_reach(s, h->dst_t.t1, h->dst_t.t0);
}

static bool spans_hold(const struct spans *s, const struct truth_handoff *h)
{
	return spans_reach(s, h->src_t.t0, h->src_t.t1) || spans_reach(s, h->dst_t.t0, h->dst_t.t1);
}

/* Stays at the greatest number instead of wrapping. */
static void add_lost(uint64_t *sum, uint64_t lost)
{
	if (__builtin_add_overflow(*sum, lost, sum))
		*sum = UINT64_MAX;
}

static int collect_losses(const struct truth *t, struct spans *s, uint64_t *lost)
{
	s->v = array_new(t->losses_cnt, sizeof(*s->v));
	if (!s->v)
		return -ENOMEM;
	for (size_t i = 0; i < t->losses_cnt; i++) {
		struct window w = {.t0 = t->losses[i].from, .t1 = t->losses[i].to};

		s->v[s->cnt++] = w;
		if (window_scored(t, &w))
			add_lost(lost, t->losses[i].lost);
	}
	spans_sort(s);
	return 0;
}

static int collect_gaps(const struct truth *t, const struct claims *c, struct spans *s,
			uint64_t *lost)
{
	s->v = array_new(claims_count(c, CLAIM_GAP), sizeof(*s->v));
	if (!s->v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cnt; i++) {
		struct window w = {.t0 = c->v[i].gap.from, .t1 = c->v[i].gap.to};

		if (c->v[i].kind != CLAIM_GAP)
			continue;
		s->v[s->cnt++] = w;
		if (window_scored(t, &w))
			add_lost(lost, c->v[i].gap.lost);
	}
	spans_sort(s);
	return 0;
}

static void judge(const struct truth_handoff *h, uint8_t spoken, const struct spans *losses,
		  const struct spans *gaps, struct loss_score *s)
{
	if (!spans_meet(losses, h)) {
		s->intact++;
		s->in_gap += spans_hold(gaps, h);
	} else if (!(spoken & SPOKEN_CREDITED)) {
		s->missing++;
		s->explained += spoken & SPOKEN_ORPHAN || spans_meet(gaps, h);
	}
}

int score_loss(const struct truth *t, const struct claims *c, const uint8_t *spoken,
	       struct loss_score *ret)
{
	struct spans losses = {}, gaps = {};
	struct loss_score s = {};
	int err = collect_losses(t, &losses, &s.lost_true);

	if (!err)
		err = collect_gaps(t, c, &gaps, &s.lost_claimed);
	for (size_t i = 0; !err && i < t->handoffs_cnt; i++)
		if (handoff_scored(t, &t->handoffs[i]))
			judge(&t->handoffs[i], spoken[i], &losses, &gaps, &s);
	free(losses.v);
	free(gaps.v);
	if (!err)
		*ret = s;
	return err;
}

struct ratio loss_informedness(const struct loss_score *s)
{
	if (!s->missing || !s->intact)
		return (struct ratio){.has = false};
	return ratio_known((double)s->explained / (double)s->missing -
			   (double)s->in_gap / (double)s->intact);
}
