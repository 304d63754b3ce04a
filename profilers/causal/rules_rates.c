/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of rates: ratio, silence, emit-rate, actor, system-effect. */
#include <math.h>

#include "profilers/causal/rules.h"

/* ---- ratio ---- */

static double bound_of(const struct manifest_invariant *v, enum ratio_side side)
{
	return side == RATIO_LOW ? v->at_least : v->at_most;
}

/* Hits of a beyond what the bound allows, in a block: below 0 while all is well. */
static double excess(const struct manifest_invariant *v, enum ratio_side side, double a, double b)
{
	return side == RATIO_LOW ? v->at_least * b - a : a - v->at_most * b;
}

/*
 * The variance of the hits of a, a block, in the long run. Bursts and phases that last for many
 * blocks show in sums of as many only, so it is the greatest of what the sums say that were
 * compared often enough: half the mean squared difference of neighbours, which does not change
 * where there are too few all along. Source: D. W. Allan, "Statistics of atomic frequency
 * standards", Proc. IEEE 54 (1966).
 */
static double variance(const struct drift *f)
{
	double n = (double)f->scale[0].cnt, most = n > 1 ? f->squares / (n - 1) : 0, blocks = 2;

	for (int i = 1; i < RATIO_SCALES && f->scale[i].cnt > RATIO_COMPARED; i++, blocks *= 2) {
		const struct scale *s = &f->scale[i];
		double v = s->squares / 2 / (double)(s->cnt - 1) / blocks;

		most = v > most ? v : most;
	}
	return most;
}

/*
 * By how much the sum of the excesses is off by chance. What blocks differ by tells, since hits
 * come in bursts or one for one as the program has it; beside it an event that is rarer than those
 * it is measured by comes when it likes, and of others one may stand across the end of a block.
 */
static double deviation(const struct drift *f, enum ratio_side side, double bound)
{
	double of_excess = (1 + bound) * (1 + bound) * variance(f);
	double of_few = bound < 1 ? bound * f->of_b[side] : bound * bound;

	return sqrt(f->run[side] * of_excess + of_few + 1);
}

static void start_over(struct drift *f, enum ratio_side side)
{
	f->sum[side] = f->run[side] = f->of_b[side] = 0;
}

/* Sums up since the ratio was last within its bound, as Page's scheme does. */
static bool is_beyond(const struct manifest_invariant *v, struct drift *f, enum ratio_side side,
		      double a, double b)
{
	bool beyond;

	f->sum[side] += excess(v, side, a, b);
	f->run[side]++;
	f->of_b[side] += b;
	if (f->sum[side] <= 0)
		start_over(f, side);
	beyond = f->run[side] >= RATIO_LEAST &&
		 f->sum[side] > RATIO_SIGMAS * deviation(f, side, bound_of(v, side));
	if (beyond)
		start_over(f, side);
	return beyond;
}

/* Welford's mean and sum of squares of blocks; of sums their differences. */
static void learn(struct drift *f, double a)
{
	double off = a - f->mean;

	f->mean += off / (double)(f->scale[0].cnt + 1);
	f->squares += off * (a - f->mean);
	for (int i = 0; i < RATIO_SCALES; i++) {
		struct scale *s = &f->scale[i];
		double last = s->last;

		s->squares += s->cnt ? (a - last) * (a - last) : 0;
		s->last = a;
		if (++s->cnt % 2)
			return;
		a += last;
	}
}

static bool is_within(const struct manifest_invariant *v, double a, double b)
{
	return !(v->has_at_least && a < v->at_least * b) && !(v->has_at_most && a > v->at_most * b);
}

static void allow(struct drift *f, enum ratio_side side, double missing)
{
	f->sum[side] -= missing;
	if (f->sum[side] <= 0)
		start_over(f, side);
}

/* Each of the lost records may have been the one that was missed. A window that was cut starts
 * anew: it is still one of the first. */
void rule_ratio_lost(struct rule *r, uint64_t cnt)
{
	r->hits[0] = r->hits[1] = 0;
	r->met[0] = r->met[1] = 0;
	allow(&r->drift, RATIO_LOW, (double)cnt);
	allow(&r->drift, RATIO_HIGH, r->inv->at_most * (double)cnt);
}

/* How often something is done is up to who does it; what a site means is not. Where the first
 * windows kept the ratio the sites mean what they should, and one that is left later tells of a
 * service that does other things than before: that its code has changed it cannot show. */
static void note_kept(struct rule *r, uint32_t desc)
{
	r->met[desc == r->of[0] ? 0 : 1]++;
	if (r->windows >= RATIO_KEPT || r->met[0] + r->met[1] < RATIO_WINDOW)
		return;
	r->windows++;
	r->kept += is_within(r->inv, (double)r->met[0], (double)r->met[1]);
	r->met[0] = r->met[1] = 0;
}

enum look rule_ratio(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	double a, b;
	bool low, high;

	(void)rs;
	note_kept(r, o->desc);
	r->hits[o->desc == r->of[0] ? 0 : 1]++;
	if (r->hits[0] + r->hits[1] < RATIO_BLOCK)
		return LOOK_NONE;
	a = (double)r->hits[0];
	b = (double)r->hits[1];
	r->hits[0] = r->hits[1] = 0;
	learn(&r->drift, a);
	low = r->inv->has_at_least && is_beyond(r->inv, &r->drift, RATIO_LOW, a, b);
	high = r->inv->has_at_most && is_beyond(r->inv, &r->drift, RATIO_HIGH, a, b);
	return (low || high) && r->kept >= RATIO_KEPT ? LOOK_NONE : look(low || high);
}

/* ---- silence ---- */

static uint64_t silent_stretch(const struct rule *r, unsigned stream)
{
	uint64_t usual = SILENCE_FACTOR * r->longest[stream];

	return usual > SILENCE_LEAST ? usual : SILENCE_LEAST;
}

void rule_silence_effect(struct rule *r, unsigned stream)
{
	if (++r->run[stream] < silent_stretch(r, stream))
		return;
	suspicion_add(&r->test, true);
	r->run[stream] = 0;
	r->longest[stream] = 0; /* of a time that is over */
}

enum look rule_silence(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	enum look found = LOOK_NONE;

	(void)rs;
	(void)o;
	for (unsigned i = 0; i < 2; i++) {
		if (!r->run[i])
			continue;
		if (r->run[i] > r->longest[i])
			r->longest[i] = r->run[i];
		r->run[i] = 0;
		found = LOOK_RIGHT;
	}
	return found;
}

/* ---- emit-rate ---- */

/* What is emitted and cannot be read is as good as not emitted. */
enum look rule_emit(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	(void)rs;
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (r->of[i] == o->desc && o->r->flags & EV_F_FAULT)
			r->faults[i]++;
	return LOOK_NONE;
}

static uint32_t position(const struct rule *r, uint32_t desc)
{
	for (uint32_t i = 0; i < r->inv->of_cnt; i++)
		if (r->of[i] == desc)
			return i;
	return MANIFEST_OF_MAX;
}

void rule_emit_hits(struct rule *r, uint32_t desc, uint64_t hits, uint64_t passed)
{
	uint32_t i = position(r, desc);
	double new_hits, emitted, expected;
	bool bad;

	if (i == MANIFEST_OF_MAX || hits < r->told[i][0] + EMIT_WINDOW)
		return;
	passed -= passed < r->faults[i] ? passed : r->faults[i];
	new_hits = (double)(hits - r->told[i][0]);
	emitted = passed > r->told[i][1] ? (double)(passed - r->told[i][1]) : 0;
	expected = r->rate[i] * new_hits;
	if (r->rate[i] > 0 && expected < 2 * EMIT_DROP)
		return; /* too few to tell */
	bad = r->rate[i] > 0 ? emitted * EMIT_DROP < expected : emitted == 0;
	if (bad)
		rule_blame(r, desc);
	else if (r->rate[i] == 0)
		r->rate[i] = emitted / new_hits;
	suspicion_add(&r->test, bad);
	r->told[i][0] = hits;
	r->told[i][1] = passed;
}

/* ---- actor ---- */

static bool is_among(const struct tids *t, uint32_t tid)
{
	for (uint32_t i = 0; i < t->cnt; i++)
		if (t->v[i] == tid)
			return true;
	return false;
}

static void note_tid(struct tids *t, uint32_t tid)
{
	if (t->cnt < sizeof(t->v) / sizeof(t->v[0]) && !is_among(t, tid))
		t->v[t->cnt++] = tid;
}

void rule_actor_around(struct rule *r, const struct occurrence *o, bool beside)
{
	note_tid(&r->present, o->r->tid);
	if (beside)
		note_tid(&r->around, o->r->tid);
}

/* One that did it before and does nothing at all now had no turn. */
static bool any_absent(const struct rule *r)
{
	for (uint32_t i = 0; i < r->ever.cnt; i++)
		if (!is_among(&r->present, r->ever.v[i]))
			return true;
	return false;
}

/* Where the resource's other work, too, is done by fewer threads than the manifest speaks of, its
 * actors are few because all are: nothing is shown by that. */
enum look rule_actor(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	bool few, open;

	(void)rs;
	note_tid(&r->actors, o->r->tid);
	if (++r->window < ACTOR_WINDOW)
		return LOOK_NONE;
	few = r->actors.cnt < r->inv->many;
	open = few && (r->around.cnt < r->inv->many || any_absent(r));
	for (uint32_t i = 0; i < r->actors.cnt; i++)
		note_tid(&r->ever, r->actors.v[i]);
	r->window = r->actors.cnt = r->around.cnt = r->present.cnt = 0;
	return open ? LOOK_NONE : look(few);
}

/* ---- system-effect ---- */

/* Of a thread only the oldest event whose effect is due is kept. */
enum look rule_effect(const struct rules *rs, struct rule *r, const struct occurrence *o)
{
	struct tid_state *s = rule_tid(r, o->r->tid);
	bool overdue = s && s->t && o->r->t > s->t + r->inv->within_ns;

	(void)rs;
	if (s && (!s->t || overdue))
		s->t = o->r->t;
	return overdue ? LOOK_WRONG : LOOK_NONE;
}

void rule_effect_came(struct rule *r, const struct ev_rec *v)
{
	struct tid_state *s = rule_tid(r, v->tid);

	if (!s || !s->t)
		return;
	suspicion_add(&r->test, v->t > s->t + r->inv->within_ns);
	s->t = 0;
}

void rule_effect_overdue(struct rule *r, uint64_t t)
{
	for (uint32_t i = 0; r->by_tid && i < TID_STATES; i++) {
		struct tid_state *s = &r->by_tid[i];

		if (!s->t || t <= s->t + r->inv->within_ns)
			continue;
		suspicion_add(&r->test, true);
		s->t = 0;
	}
}
