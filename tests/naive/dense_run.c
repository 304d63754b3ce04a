/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs dealt at random. */
#include "tests/naive/dense_run.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64, Steele, Lea & Flood 2014. */
static uint64_t dense_next(struct dense *d)
{
	uint64_t z = d->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

unsigned dense_below(struct dense *d, unsigned n)
{
	return (unsigned)(dense_next(d) % n);
}

static bool dense_chance(struct dense *d, unsigned percent)
{
	return dense_below(d, 100) < percent;
}

static uint64_t dense_between(struct dense *d, uint64_t lo, uint64_t hi)
{
	return lo + dense_next(d) % (hi - lo + 1);
}

static struct window dense_window(struct dense *d, uint64_t lo, unsigned longest)
{
	struct window w = {.t0 = lo};

	w.t1 = w.t0 + dense_below(d, longest + 1);
	return w;
}

static uint8_t dense_type(struct dense *d)
{
	static const uint8_t types[] = {HANDOFF_IO, HANDOFF_WAKE, HANDOFF_WORK, HANDOFF_MSG};

	return types[dense_below(d, d->types)];
}

static struct truth_key dense_key(struct dense *d)
{
	static const uint8_t spaces[] = {KEY_USER_DATA, KEY_USER_DATA, KEY_USER_DATA, KEY_USER_DATA,
					 KEY_UADDR,	KEY_OTHER,     KEY_FD};
	struct truth_key k = {0};

	if (!dense_chance(d, d->keyed))
		return k;
	k.ns = spaces[dense_below(d, sizeof(spaces))];
	k.v = 1 + dense_below(d, 2) * (dense_chance(d, 20) ? 2 : 1);
	k.has_scope = dense_chance(d, 60);
	k.scope = k.has_scope ? 1 + dense_chance(d, 20) : 0;
	return k;
}

static uint32_t dense_tid(struct dense *d)
{
	return d->threads[dense_chance(d, 60) ? 0 : dense_below(d, 3)];
}

static void dense_handoff(struct dense *d, struct truth_handoff *h)
{
	static const uint16_t marks[] = {0,
					 0,
					 1u << MARK_MULTISHOT,
					 1u << MARK_FANOUT | 1u << MARK_INLINE,
					 1u << MARK_COALESCED | 1u << MARK_SQPOLL,
					 1u << MARK_REUSED_KEY};
	struct window *s = &h->src_t, *r = &h->dst_ready, *t = &h->dst_t;

	h->type = dense_type(d);
	h->key = dense_key(d);
	h->src_tid = dense_tid(d);
	h->dst_tid = dense_tid(d);
	*s = dense_window(d, dense_below(d, 20), dense_chance(d, 50) ? 3 : 10);
	*r = dense_window(d, s->t0 + dense_below(d, 6), 8);
	*t = dense_window(d, s->t0 + dense_below(d, 12), 8);
	h->marks = marks[dense_below(d, sizeof(marks) / sizeof(marks[0]))];
	h->has = dense_chance(d, 8) ? (dense_chance(d, 50) ? TH_SRC : TH_DST) : TH_SRC | TH_DST;
	h->has |= dense_chance(d, 90) ? TH_SEQ : 0;
	h->has |= dense_chance(d, 90) ? TH_TAKE : 0;
	h->seq = 1 + dense_below(d, 5);
	h->take = 1 + dense_below(d, 5);
	if (dense_chance(d, 25)) {
		h->has |= TH_AMB;
		h->amb = 1 + dense_below(d, 2);
	}
}

/* Most handoffs of a run resemble one another: equal windows, equal keys. */
static void dense_truth(struct dense *d)
{
	struct truth *t = &d->truth;

	t->handoffs_cnt = dense_below(d, DENSE_HANDOFFS + 1);
	for (size_t i = 0; i < t->handoffs_cnt; i++) {
		struct truth_handoff *h = &d->handoffs[i];

		dense_handoff(d, h);
		if (i && dense_chance(d, 60)) {
			h->type = h[-1].type;
			h->key = h[-1].key;
			h->src_tid = h[-1].src_tid;
		}
		if (i && dense_chance(d, 40))
			h->src_t = h[-1].src_t;
		if (i && dense_chance(d, 25)) {
			h->dst_tid = h[-1].dst_tid;
			h->dst_ready = h[-1].dst_ready;
			h->dst_t = h[-1].dst_t;
		}
		h->id = 100 + i;
	}
	t->decoys_cnt = dense_below(d, DENSE_DECOYS + 1);
	for (size_t i = 0; i < t->decoys_cnt; i++)
		d->decoys[i] = (struct truth_decoy){.key = dense_key(d),
						    .t = dense_window(d, dense_below(d, 28), 4),
						    .tid = dense_tid(d),
						    .as_event = dense_chance(d, 10),
						    .type = dense_type(d)};
}

/* Mostly that of the handoff; seldom one where truth gives none, or another. */
static void dense_claim_key(struct dense *d, struct claim *c, const struct truth_key *k)
{
	struct truth_key other = dense_key(d);

	if (dense_chance(d, 10))
		k = &other;
	if (!k->ns || dense_chance(d, 25))
		return;
	c->has |= HAS_KEY;
	c->ns = k->ns;
	c->handoff.key_v = dense_chance(d, 5) ? 9 : k->v;
	if (k->has_scope ? dense_chance(d, 70) : dense_chance(d, 10)) {
		c->has |= HAS_SCOPE;
		c->handoff.key_scope = k->has_scope ? k->scope : 2;
	}
}

/* A time in the window, seldom beside it; few different ones, so that observations coincide. */
static uint64_t dense_time(struct dense *d, struct window w)
{
	if (dense_chance(d, 12))
		return dense_below(d, 31);
	if (dense_chance(d, 40))
		return w.t0;
	return dense_between(d, w.t0, w.t1);
}

static uint32_t dense_claim_tid(struct dense *d, struct claim *c, uint32_t tid, uint16_t kernel)
{
	if (dense_chance(d, 12))
		c->has |= kernel;
	if (dense_chance(d, 85))
		return tid;
	if (dense_chance(d, 60))
		c->has |= kernel;
	return dense_chance(d, 40) ? dense_tid(d) : dense_chance(d, 50) ? 0 : 77;
}

static void dense_claim(struct dense *d, struct claim *c)
{
	static const double confs[] = {1, 0.9, 0.5, 0.5, 0.25, 0};
	size_t n = d->truth.handoffs_cnt;
	struct truth_handoff any = {0}, *s = &any, *r = &any;

	if (n) {
		s = &d->handoffs[dense_below(d, (unsigned)n)];
		r = dense_chance(d, 75) ? s : &d->handoffs[dense_below(d, (unsigned)n)];
	}
	c->kind = dense_chance(d, 3) ? CLAIM_EVENT : CLAIM_HANDOFF;
	c->type = dense_chance(d, 95) ? s->type : dense_type(d);
	c->has =
		dense_chance(d, 15) ? (dense_chance(d, 50) ? HAS_SRC : HAS_DST) : HAS_SRC | HAS_DST;
	if (c->has & HAS_SRC) {
		c->handoff.src_tid = dense_claim_tid(d, c, s->src_tid, HAS_SRC_KERNEL);
		c->handoff.src_t = dense_time(d, s->src_t);
	}
	if (c->has & HAS_DST) {
		c->handoff.dst_tid = dense_claim_tid(d, c, r->dst_tid, HAS_DST_KERNEL);
		c->handoff.dst_t = dense_time(d, dense_chance(d, 50) ? r->dst_t : r->dst_ready);
	}
	dense_claim_key(d, c, &r->key);
	if (dense_chance(d, 70)) {
		c->has |= HAS_CONF;
		c->handoff.conf = confs[dense_below(d, 6)];
	}
	c->source = (uint8_t)dense_below(d, SOURCE_CNT);
}

/* Claims that share observations and whole claims with one another, and a few in decoys. */
static void dense_claims(struct dense *d)
{
	d->claims.cnt = dense_below(d, DENSE_CLAIMS + 1);
	for (size_t i = 0; i < d->claims.cnt; i++) {
		struct claim *c = &d->v[i];

		if (i && dense_chance(d, 8)) {
			*c = c[-1];
			continue;
		}
		dense_claim(d, c);
		if (i && (c->has & c[-1].has & HAS_SRC) && dense_chance(d, 35)) {
			c->handoff.src_tid = c[-1].handoff.src_tid;
			c->handoff.src_t = c[-1].handoff.src_t;
		}
		if (d->truth.decoys_cnt && (c->has & HAS_DST) && dense_chance(d, 10)) {
			c->type = d->decoys[0].type;
			c->handoff.dst_tid = d->decoys[0].tid;
			c->handoff.dst_t = dense_time(d, d->decoys[0].t);
		}
	}
}

static void dense_stretch(struct window *w, uint64_t scale)
{
	w->t0 *= scale;
	w->t1 *= scale;
}

/* Units of 1 ms instead of 1 ns, so that shifted copies stay inside. */
static void dense_scale(struct dense *d, uint64_t scale)
{
	for (size_t i = 0; i < d->truth.handoffs_cnt; i++) {
		dense_stretch(&d->handoffs[i].src_t, scale);
		dense_stretch(&d->handoffs[i].dst_t, scale);
		dense_stretch(&d->handoffs[i].dst_ready, scale);
	}
	for (size_t i = 0; i < d->truth.decoys_cnt; i++)
		dense_stretch(&d->decoys[i].t, scale);
	for (size_t i = 0; i < d->claims.cnt; i++) {
		d->v[i].handoff.src_t *= scale;
		d->v[i].handoff.dst_t *= scale;
	}
	dense_stretch(&d->truth.scored, scale);
}

void dense_run(struct dense *d, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	d->rng = seed;
	d->keyed = dense_chance(d, 50) ? 100 : dense_chance(d, 20) ? 0 : 80;
	d->types = 1 + dense_below(d, 4);
	d->threads[0] = 1;
	d->threads[1] = 2;
	d->threads[2] = 3;
	d->truth = (struct truth){.scored = {0, 40},
				  .threads = d->threads,
				  .threads_cnt = 3,
				  .keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR,
				  .handoffs = d->handoffs,
				  .decoys = d->decoys};
	if (dense_chance(d, 20))
		d->truth.scored = (struct window){dense_below(d, 6), 18 + dense_below(d, 10)};
	d->claims.v = d->v;
	d->claims.header.declares = (uint32_t)dense_next(d) & DECLARES_HANDOFFS;
	dense_truth(d);
	dense_claims(d);
	if (dense_chance(d, 4))
		dense_scale(d, 1000000);
}

size_t dense_runs(size_t standard)
{
	const char *s = getenv("ASSAY_DENSE_RUNS");

	return s ? standard * strtoul(s, NULL, 10) / DENSE_RUNS : standard;
}
