/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of which cases are made: keys, windows, moments, claims, decoys. */
#include <string.h>

#include "groundtruth/synth_gen.h"

/* splitmix64 (Steele, Lea, Flood 2014): its last step maps 64 bits one to one. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t gen_random(struct gen *g)
{
	g->random += UINT64_C(0x9e3779b97f4a7c15);
	return mix(g->random);
}

uint64_t gen_below(struct gen *g, uint64_t n)
{
	return (uint64_t)((unsigned __int128)gen_random(g) * n >> 64);
}

/* Distinct for distinct counts; 0 stands for "none" nowhere, so it may be dealt. */
uint64_t gen_id(struct gen *g)
{
	return mix(++g->ids + g->e.options.seed * UINT64_C(0x9e3779b97f4a7c15));
}

uint8_t gen_type(struct gen *g, uint32_t mask)
{
	unsigned skip = (unsigned)gen_below(g, (uint64_t)__builtin_popcount(mask));

	for (; skip; skip--)
		mask &= mask - 1;
	return (uint8_t)__builtin_ctz(mask);
}

/* ---- keys: four ranges of values that do not meet ---- */

#define KEYS_LANES   UINT64_C(0x700000000000)
#define KEYS_DECOYS  UINT64_C(0x600000000000) /* used by a handoff of the case */
#define KEYS_PHANTOM UINT64_C(0x500000000000) /* of decoys, used by none */
#define KEYS_FOREIGN UINT64_C(0x400000000000) /* used by nothing */
enum { KEY_STEP = 64 };

static struct truth_key key_of(const struct gen *g, uint64_t base, uint64_t number)
{
	static const uint8_t space[HANDOFF_TYPE_CNT] = {
		[HANDOFF_IO] = KEY_USER_DATA, [HANDOFF_WORK] = KEY_WORK,
		[HANDOFF_WAKE] = KEY_UADDR,   [HANDOFF_TIMER] = KEY_TIMERFD,
		[HANDOFF_MSG] = KEY_FD,	      [HANDOFF_QUEUE] = KEY_UADDR,
		[HANDOFF_SPAWN] = KEY_TASK,   [HANDOFF_RESUME] = KEY_TASK,
		[HANDOFF_GRANT] = KEY_UADDR,  [HANDOFF_CALL] = KEY_TASK,
	};

	return (struct truth_key){.v = base + number * KEY_STEP,
				  .scope = g->lane->number + 1,
				  .ns = space[g->type],
				  .has_scope = true};
}

struct truth_key gen_key(struct gen *g)
{
	return key_of(g, KEYS_LANES, g->lane->first_key + gen_below(g, g->keys_cnt));
}

struct truth_key gen_key_after(const struct gen *g, struct truth_key k)
{
	uint64_t number = (k.v - KEYS_LANES) / KEY_STEP - g->lane->first_key;

	return key_of(g, KEYS_LANES, g->lane->first_key + (number + 1) % g->keys_cnt);
}

struct truth_key gen_decoy_key(struct gen *g, bool used)
{
	uint64_t number = g->lane->decoys_cnt++ % DECOY_KEYS;

	return key_of(g, used ? KEYS_DECOYS : KEYS_PHANTOM,
		      g->lane->number * (uint64_t)DECOY_KEYS + number);
}

struct truth_key gen_foreign_key(struct gen *g)
{
	return key_of(g, KEYS_FOREIGN, gen_below(g, 1 << 30));
}

/* ---- truth ---- */

static struct truth_handoff *push_handoff(struct gen *g)
{
	struct synth_handoff *s = &g->handoffs[g->handoffs_cnt];

	memset(s, 0, sizeof(*s));
	s->place = g->handoffs_cnt++;
	return &s->h;
}

static struct window window_at(struct gen *g, uint64_t t0, uint64_t shortest, uint64_t more)
{
	uint64_t start = t0 + gen_below(g, 16);

	return (struct window){start, start + shortest + gen_below(g, more)};
}

/*
 * From the slot's start: src.t in [0, 79], ready in [96, 255] and at least [111, 200], dst.t in
 * [160, 479] and at least [175, 280]. So [111, 159] is in ready alone and [175, 280] in dst.t.
 */
struct truth_handoff *slot_handoff(struct gen *g, unsigned slot, const struct truth_key *key,
				   unsigned from, unsigned to, uint16_t marks)
{
	uint64_t at = g->t + SLOT_NS + slot * SLOT_NS;
	struct truth_handoff *h = push_handoff(g);

	h->id = gen_id(g);
	h->has = TH_SRC | TH_DST;
	h->type = g->type;
	if (key)
		h->key = *key;
	h->marks = marks;
	h->has |= marks ? TH_MARKS : 0;
	h->src_op = h->dst_op = g->lane->op;
	h->src_tid = g->lane->tid[from];
	h->dst_tid = g->lane->tid[to];
	h->src_t = window_at(g, at, 16, 48);
	h->dst_ready = window_at(g, at + 96, 104, 40);
	h->dst_t = window_at(g, at + 160, 120, 180);
	return h;
}

uint64_t src_moment(struct gen *g, const struct truth_handoff *h)
{
	return h->src_t.t0 + gen_below(g, h->src_t.t1 - h->src_t.t0 + 1);
}

uint64_t dst_moment(struct gen *g, const struct truth_handoff *h)
{
	return h->dst_t.t0 + gen_below(g, h->dst_t.t1 - h->dst_t.t0 + 1);
}

uint64_t ready_moment(struct gen *g, const struct truth_handoff *h)
{
	return h->dst_ready.t0 + gen_below(g, h->dst_t.t0 - h->dst_ready.t0);
}

uint64_t quiet_before(struct gen *g)
{
	return g->t + QUIET_BEFORE + gen_below(g, SLOT_NS);
}

uint64_t quiet_after(struct gen *g)
{
	return g->t + QUIET_AFTER + gen_below(g, SLOT_NS);
}

struct truth_decoy *make_decoy(struct gen *g, const struct truth_key *key)
{
	struct truth_decoy *d = &g->decoys[g->decoys_cnt++];

	*d = (struct truth_decoy){
		.id = gen_id(g),
		.key = *key,
		.t = window_at(g, g->t + QUIET_AFTER, 16, 200),
		.tid = g->lane->tid[0],
		.type = g->type,
		.has_id = true,
	};
	return d;
}

/* ---- claims ---- */

static const double confs[] = {0.5, 0.75, 0.9, 0.98};

/* What decides nothing: scope, confidence, source. */
static struct claim *push_claim(struct gen *g, const struct truth_key *key)
{
	struct synth_claim *s = &g->claims[g->claims_cnt];
	struct claim *c = &s->c;
	uint64_t r = gen_random(g);

	memset(s, 0, sizeof(*s));
	s->place = g->claims_cnt++;
	c->kind = CLAIM_HANDOFF;
	c->type = g->type;
	c->source = (uint8_t)(r >> 32) % SOURCE_CNT;
	c->how = (uint8_t)(r >> 40) % HOW_CNT;
	if (r & 1) {
		c->has |= HAS_CONF;
		c->handoff.conf = confs[r >> 1 & 3];
	}
	if (!key)
		return c;
	c->has |= HAS_KEY;
	c->ns = key->ns;
	c->handoff.key_v = key->v;
	if (r & 8) {
		c->has |= HAS_SCOPE;
		c->handoff.key_scope = key->scope;
	}
	return c;
}

struct claim *make_src_orphan(struct gen *g, const struct truth_key *key, uint32_t tid, uint64_t t)
{
	struct claim *c = push_claim(g, key);

	c->has |= HAS_SRC;
	c->handoff.src_tid = tid;
	c->handoff.src_t = t;
	return c;
}

struct claim *make_dst_orphan(struct gen *g, const struct truth_key *key, uint32_t tid, uint64_t t)
{
	struct claim *c = push_claim(g, key);

	c->has |= HAS_DST;
	c->handoff.dst_tid = tid;
	c->handoff.dst_t = t;
	return c;
}

struct claim *make_claim(struct gen *g, const struct truth_key *key, uint32_t src_tid,
			 uint64_t src_t, uint32_t dst_tid, uint64_t dst_t)
{
	struct claim *c = make_src_orphan(g, key, src_tid, src_t);

	c->has |= HAS_DST;
	c->handoff.dst_tid = dst_tid;
	c->handoff.dst_t = dst_t;
	return c;
}

struct claim *true_claim(struct gen *g, const struct truth_handoff *h)
{
	return make_claim(g, &h->key, h->src_tid, src_moment(g, h), h->dst_tid, dst_moment(g, h));
}
