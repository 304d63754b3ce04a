/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floor: chance. A dst came from any earlier src of its type, all equally likely.
 *
 * A reservoir of fixed size is a uniform sample of all srcs so far, so a uniform choice from it is
 * one from all of them, in bounded memory. The generator is seeded alike every time.
 */
#include "profilers/adapter/floor.h"
#include "profilers/adapter/joiners.h"

enum { RESERVOIR = 4096 };

struct chance {
	struct observation kept[HANDOFF_TYPE_CNT][RESERVOIR];
	uint64_t seen[HANDOFF_TYPE_CNT];
	uint64_t state;
};

/* splitmix64 (Steele, Lea, Flood 2014, public algorithm) */
static uint64_t next(struct chance *c)
{
	uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Uniform below n without bias worth the name: n is far below 2^64. */
static uint64_t below(struct chance *c, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)next(c) * n) >> 64);
}

static int chance_src(void *state, const struct observation *o)
{
	struct chance *c = state;
	uint64_t n = c->seen[o->type]++, at = n < RESERVOIR ? n : below(c, n + 1);

	if (at < RESERVOIR)
		c->kept[o->type][at] = *o;
	return 0;
}

static const struct observation *chance_dst(void *state, const struct observation *o)
{
	struct chance *c = state;
	uint64_t n = c->seen[o->type];

	if (!n)
		return NULL;
	return &c->kept[o->type][below(c, n < RESERVOIR ? n : RESERVOIR)];
}

static const struct guess guess = {
	.size = sizeof(struct chance), .src = chance_src, .dst = chance_dst};

const struct joiner joiner_random = FLOOR_JOINER("random", &guess);
