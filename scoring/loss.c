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

/* ---- how much of a window they cover ---- */

/* Disjoint intervals in order; before[i]: ns that lie in those before the i-th. */
struct cover {
	struct window *v;
	long double *before;
	size_t cnt;
};

static void cover_free(struct cover *c)
{
	free(c->v);
	free(c->before);
}

static int cover_make(size_t room, struct cover *ret)
{
	*ret = (struct cover){.v = array_new(room, sizeof(*ret->v)),
			      .before = array_new(room, sizeof(*ret->before))};
	return ret->v && ret->before ? 0 : -ENOMEM;
}

static long double length(const struct window *w)
{
	return (long double)(w->t1 - w->t0) + 1;
}

/* It begins after all that is in there ends. */
static void cover_put(struct cover *c, struct window w)
{
	size_t i = c->cnt++;

	c->v[i] = w;
	c->before[i] = i ? c->before[i - 1] + length(&c->v[i - 1]) : 0;
}

/* What sorted spans cover together. */
static int cover_of(const struct spans *s, struct cover *ret)
{
	int err = cover_make(s->cnt, ret);

	for (size_t i = 0, k; !err && i < s->cnt; i = k) {
		struct window w = s->v[i];

		for (k = i + 1; k < s->cnt && s->v[k].t0 <= w.t1; k++)
			w.t1 = s->v[k].t1;
		cover_put(ret, w);
	}
	return err;
}

/* What both cover. */
static int cover_of_both(const struct cover *a, const struct cover *b, struct cover *ret)
{
	int err = cover_make(a->cnt + b->cnt, ret);

	for (size_t i = 0, k = 0; !err && i < a->cnt && k < b->cnt;) {
		struct window w = {.t0 = MAX(a->v[i].t0, b->v[k].t0),
				   .t1 = MIN(a->v[i].t1, b->v[k].t1)};

		if (w.t0 <= w.t1)
			cover_put(ret, w);
		if (a->v[i].t1 < b->v[k].t1)
			i++;
		else
			k++;
	}
	return err;
}

struct covered_by {
	const struct cover *c;
	uint64_t t;
};

static bool cover_has_begun(const void *parg, size_t i)
{
	const struct covered_by *arg = parg;

	return arg->c->v[i].t0 < arg->t;
}

/* ns before t that are covered. */
static long double covered_before(const struct cover *c, uint64_t t)
{
	struct covered_by arg = {.c = c, .t = t};
	size_t begun = partition_point(c->cnt, cover_has_begun, &arg);
	struct window last;

	if (!begun)
		return 0;
	last = c->v[begun - 1];
	last.t1 = MIN(last.t1, t - 1);
	return c->before[begun - 1] + length(&last);
}

/* Of the last ns of all time it says nothing. */
static long double covered(const struct cover *c, const struct window *w)
{
	return covered_before(c, w->t1 + (w->t1 < UINT64_MAX)) - covered_before(c, w->t0);
}

static long double covered_of(const struct cover *c, const struct truth_handoff *h)
{
	return covered(c, &h->src_t) + covered(c, &h->dst_t);
}

/* ---- what they say ---- */

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

/* All that was lost, all that was claimed. */
struct both {
	struct spans losses, gaps;
	struct cover lost, claimed, found;
};

static int both_make(const struct truth *t, const struct claims *c, struct both *b,
		     struct loss_score *s)
{
	int err = collect_losses(t, &b->losses, &s->lost_true);

	if (!err)
		err = collect_gaps(t, c, &b->gaps, &s->lost_claimed);
	if (!err)
		err = cover_of(&b->losses, &b->lost);
	if (!err)
		err = cover_of(&b->gaps, &b->claimed);
	return err ? err : cover_of_both(&b->lost, &b->claimed, &b->found);
}

static void both_free(struct both *b)
{
	free(b->losses.v);
	free(b->gaps.v);
	cover_free(&b->lost);
	cover_free(&b->claimed);
	cover_free(&b->found);
}

static double share(long double part, long double of)
{
	return of > 0 ? (double)(part / of) : 0;
}

static void judge(const struct truth_handoff *h, uint8_t spoken, const struct both *b,
		  struct loss_score *s)
{
	bool orphan = spoken & SPOKEN_ORPHAN;

	if (!spans_meet(&b->losses, h)) {
		s->intact++;
		s->in_gap += spans_hold(&b->gaps, h);
		s->given_up += orphan ? 1
				      : share(covered_of(&b->claimed, h),
					      length(&h->src_t) + length(&h->dst_t));
	} else if (!(spoken & SPOKEN_CREDITED)) {
		s->missing++;
		s->explained += orphan || spans_meet(&b->gaps, h);
		s->told += orphan ? 1 : share(covered_of(&b->found, h), covered_of(&b->lost, h));
	}
}

int score_loss(const struct truth *t, const struct claims *c, const uint8_t *spoken,
	       struct loss_score *ret)
{
	struct both b = {};
	struct loss_score s = {};
	int err = both_make(t, c, &b, &s);

	for (size_t i = 0; !err && i < t->handoffs_cnt; i++)
		if (handoff_scored(t, &t->handoffs[i]))
			judge(&t->handoffs[i], spoken[i], &b, &s);
	both_free(&b);
	if (!err)
		*ret = s;
	return err;
}

struct ratio loss_informedness(const struct loss_score *s)
{
	if (!s->missing || !s->intact)
		return (struct ratio){.has = false};
	return ratio_known(s->told / (double)s->missing - s->given_up / (double)s->intact);
}
