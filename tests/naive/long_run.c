/* SPDX-License-Identifier: BSD-2-Clause */
/* Long runs dealt at random. */
#include "tests/naive/long_run.h"

#include <string.h>

/* splitmix64, Steele, Lea & Flood 2014. */
static uint64_t below(struct long_run *d, uint64_t n)
{
	uint64_t z = d->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n;
}

static bool chance(struct long_run *d, unsigned percent)
{
	return below(d, 100) < percent;
}

static uint32_t any_thread(struct long_run *d)
{
	return d->threads[below(d, LONG_THREADS)];
}

static struct window window(struct long_run *d, uint64_t t0, uint64_t longest)
{
	return (struct window){t0 * d->scale, (t0 + below(d, longest + 1)) * d->scale};
}

static struct truth_key any_key(struct long_run *d)
{
	struct truth_key k = {0};

	if (chance(d, 15))
		return k;
	k.ns = chance(d, 80) ? KEY_USER_DATA : chance(d, 60) ? KEY_UADDR : KEY_FD;
	k.v = 1 + below(d, 5);
	k.has_scope = chance(d, 30);
	k.scope = k.has_scope ? 1 + below(d, 2) : 0;
	return k;
}

/* Sends follow one another; what is sent may take longer than many of them together. */
static void one_handoff(struct long_run *d, struct truth_handoff *h)
{
	static const uint8_t types[] = {HANDOFF_IO, HANDOFF_MSG, HANDOFF_TIMER};
	static const uint16_t marks[] = {0, 1u << MARK_PUNTED, 1u << MARK_MULTISHOT,
					 1u << MARK_LATE | 1u << MARK_SQPOLL};
	uint64_t life = below(d, d->stray) ? below(d, 30) : below(d, 400);

	d->now += below(d, 12);
	h->type = types[below(d, 3)];
	h->key = any_key(d);
	h->src_tid = any_thread(d);
	h->dst_tid = any_thread(d);
	h->marks = marks[below(d, 4)];
	h->src_t = window(d, d->now, chance(d, 90) ? 6 : 60);
	h->dst_ready = window(d, d->now + (chance(d, 50) ? life : 0), life);
	h->dst_t = window(d, d->now + life, 10);
	h->has = chance(d, 8) ? (chance(d, 50) ? TH_SRC : TH_DST) : TH_SRC | TH_DST;
	h->has |= chance(d, 90) ? TH_SEQ | TH_TAKE : 0;
	h->seq = below(d, 4);
	h->take = below(d, 4);
	if (chance(d, 8)) {
		h->has |= TH_AMB;
		h->amb = below(d, 3);
	}
}

/* A group of neighbours, which one stretch may have whole. */
static void group_nearby(struct long_run *d, struct truth_handoff *v, size_t i)
{
	if (i && (v[i - 1].has & TH_AMB) && chance(d, 60)) {
		v[i].type = v[i - 1].type;
		v[i].has |= TH_AMB;
		v[i].amb = v[i - 1].amb;
	} else if (v[i].has & TH_AMB) {
		v[i].amb = 100 + i;
	}
}

static uint64_t time_in(struct long_run *d, struct window w)
{
	if (chance(d, 40))
		return chance(d, 50) ? w.t0 : w.t1;
	if (chance(d, 5))
		return (w.t1 + 1) * (w.t1 != UINT64_MAX);
	return w.t0 + below(d, w.t1 - w.t0 + 1);
}

/* Mostly that of the handoff; seldom one where truth gives none, or another. */
static void claim_key(struct long_run *d, struct claim *c, const struct truth_key *k)
{
	struct truth_key other = any_key(d);

	if (chance(d, 10))
		k = &other;
	if (!k->ns || chance(d, 20))
		return;
	c->has |= HAS_KEY;
	c->ns = k->ns;
	c->handoff.key_v = chance(d, 5) ? 6 + below(d, 3) : k->v;
	if (chance(d, 30)) {
		c->has |= HAS_SCOPE;
		c->handoff.key_scope = k->has_scope ? k->scope : 1;
	}
}

/* One may be said twice; what it means is mostly one handoff, seldom the ends of two. */
static void one_claim(struct long_run *d, struct claim *c)
{
	const struct truth_handoff *s = &d->handoffs[below(d, d->truth.handoffs_cnt)];
	const struct truth_handoff *r =
		chance(d, 80) ? s : &d->handoffs[below(d, d->truth.handoffs_cnt)];
	bool both = d->two_ended < LONG_BIDS && chance(d, 50);

	d->two_ended += both;
	if (both && c > d->v && c[-1].has & HAS_SRC && c[-1].has & HAS_DST && chance(d, 15)) {
		*c = c[-1];
		return;
	}
	*c = (struct claim){.kind = CLAIM_HANDOFF, .type = s->type};
	c->has = both ? HAS_SRC | HAS_DST : chance(d, 50) ? HAS_SRC : HAS_DST;
	if (c->has & HAS_SRC) {
		c->handoff.src_tid = chance(d, 80) ? s->src_tid : any_thread(d);
		c->handoff.src_t = time_in(d, chance(d, 80) ? s->src_t : s->dst_ready);
	}
	if (c->has & HAS_DST) {
		c->handoff.dst_tid = chance(d, 80)   ? r->dst_tid
				     : chance(d, 50) ? 99
						     : any_thread(d);
		c->handoff.dst_t = time_in(d, chance(d, 50) ? r->dst_t : r->dst_ready);
	}
	c->has |= chance(d, 50) ? HAS_SRC_KERNEL | HAS_DST_KERNEL : 0;
	claim_key(d, c, &s->key);
	c->source = (uint8_t)below(d, SOURCE_CNT);
}

static void shuffle(struct long_run *d)
{
	for (size_t i = d->truth.handoffs_cnt; i > 1; i--) {
		size_t k = below(d, i);
		struct truth_handoff x = d->handoffs[i - 1];

		d->handoffs[i - 1] = d->handoffs[k];
		d->handoffs[k] = x;
	}
}

void long_run(struct long_run *d, uint64_t seed, size_t handoffs)
{
	memset(d, 0, sizeof(*d));
	d->rng = seed;
	d->scale = chance(d, 70) ? 1 : UINT64_C(1) << 25; /* lives beyond 32 bits */
	d->stray = chance(d, 50) ? 6 : 20;
	d->now = 50;
	for (uint32_t i = 0; i < LONG_THREADS; i++)
		d->threads[i] = i + 1;
	d->truth = (struct truth){.threads = d->threads,
				  .threads_cnt = LONG_THREADS,
				  .keys = 1u << KEY_USER_DATA | 1u << KEY_UADDR,
				  .handoffs = d->handoffs,
				  .handoffs_cnt = handoffs};
	d->claims.v = d->v;
	d->claims.cnt = handoffs;
	d->claims.header.declares = DECLARES_HANDOFFS;
	for (size_t i = 0; i < handoffs; i++) {
		one_handoff(d, &d->handoffs[i]);
		if (seed % 3)
			group_nearby(d, d->handoffs, i);
	}
	d->truth.scored = (struct window){below(d, 70) * d->scale,
					  chance(d, 50) ? UINT64_MAX : (d->now + 30) * d->scale};
	for (size_t i = 0; i < handoffs; i++)
		one_claim(d, &d->v[i]);
	if (chance(d, 30))
		shuffle(d);
}
