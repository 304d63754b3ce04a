/* SPDX-License-Identifier: BSD-2-Clause */
/* The hierarchical bootstrap, draw by draw, against one that groups and draws in the plainest way.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "scoring/statistics.h"

enum { UNITS_MAX = 12, DRAWN_MAX = 1 << 16, ROUNDS = 7 };

/* splitmix64 (Steele, Lea & Flood 2014), and the top bits of a product for a number below n. */
static uint32_t drawn_below(uint64_t *state, uint32_t n)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (uint32_t)(((unsigned __int128)z * n) >> 64);
}

struct plain {
	const struct boot_unit *v;
	size_t cnt;
	unsigned levels;
	uint64_t state;
	uint32_t drawn[DRAWN_MAX];
	size_t drawn_cnt;
};

/* Is a unit inside the branch that `like` is in, down to (not including) a level? */
static bool inside(const struct boot_unit *u, const struct boot_unit *like, unsigned level)
{
	for (unsigned l = 0; l < level; l++)
		if (u->of[l] != like->of[l])
			return false;
	return true;
}

/* The branches of a level below `like`, ascending: a unit of each; of the last, the units. */
static size_t branches(const struct plain *p, const struct boot_unit *like, unsigned level,
		       const struct boot_unit **ret)
{
	size_t cnt = 0;

	for (uint64_t from = 0; cnt < UNITS_MAX; from++) {
		const struct boot_unit *least = NULL;
		uint64_t value = UINT64_MAX;

		for (size_t i = 0; i < p->cnt; i++) {
			const struct boot_unit *u = &p->v[i];
			uint32_t x = level == p->levels ? u->index : u->of[level];

			if ((!like || inside(u, like, level)) && x >= from && x < value) {
				least = u;
				value = x;
			}
		}
		if (!least)
			break;
		ret[cnt++] = least;
		from = value;
	}
	return cnt;
}

static void draw_plainly(struct plain *p, const struct boot_unit *like, unsigned level)
{
	const struct boot_unit *v[UNITS_MAX];
	size_t cnt = branches(p, like, level, v);

	for (size_t i = 0; i < cnt; i++) {
		const struct boot_unit *u = v[drawn_below(&p->state, (uint32_t)cnt)];

		if (level < p->levels) {
			draw_plainly(p, u, level + 1);
			continue;
		}
		cr_assert_lt(p->drawn_cnt, DRAWN_MAX);
		p->drawn[p->drawn_cnt++] = u->index;
	}
}

struct seen {
	uint32_t drawn[DRAWN_MAX];
	size_t cnt, rounds;
};

/* Two statistics: one that has a value every other time, and one of all draws in their order. */
static void note(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	struct seen *s = arg;
	double sum = 0;

	for (size_t i = 0; i < cnt; i++) {
		cr_assert_lt(s->cnt, DRAWN_MAX);
		s->drawn[s->cnt++] = draws[i];
		sum += (double)draws[i] * (double)(i + 1);
	}
	ret[0] = s->rounds++ % 2 ? NAN : (double)(s->rounds * 3 % 7);
	ret[1] = sum;
}

static void compare(struct boot_unit *units, size_t cnt, unsigned levels, uint64_t seed)
{
	static struct plain p;
	static struct seen s;
	struct boot_options o = {.levels = levels, .rounds = ROUNDS, .seed = seed, .level = 0.5};
	struct boot_unit copy[UNITS_MAX];
	struct interval got[2];

	for (size_t i = 0; i < cnt; i++)
		copy[i] = units[i];
	p = (struct plain){.v = copy, .cnt = cnt, .levels = levels, .state = seed};
	s.cnt = s.rounds = 0;
	for (unsigned i = 0; i < ROUNDS; i++)
		draw_plainly(&p, NULL, 0);
	cr_assert_eq(boot_intervals(units, cnt, &o, note, &s, 2, got), 0);
	cr_assert_eq(s.rounds, ROUNDS);
	cr_assert_eq(s.cnt, p.drawn_cnt, "seed %lu: %zu drawn, not %zu", seed, s.cnt, p.drawn_cnt);
	for (size_t i = 0; i < s.cnt; i++)
		cr_assert_eq(s.drawn[i], p.drawn[i], "seed %lu, draw %zu", seed, i);
	/* rounds 1 3 5 7 gave 3 2 1 0: the first and the third of four hold the middle half */
	cr_assert_eq(got[0].lo, 0);
	cr_assert_eq(got[0].hi, 2);
}

Test(boot, draws_what_the_plainest_way_draws)
{
	unsigned seed = 11;

	for (uint64_t run = 1; run <= 300; run++) {
		unsigned levels = 1 + (unsigned)run % BOOT_LEVELS_MAX;
		struct boot_unit units[UNITS_MAX];
		size_t cnt = 1 + (unsigned)rand_r(&seed) % UNITS_MAX;

		for (uint32_t i = 0; i < cnt; i++) {
			units[i] = (struct boot_unit){.index = (uint32_t)(cnt - i) * 5 % 13};
			for (unsigned l = 0; l < levels; l++)
				units[i].of[l] = (unsigned)rand_r(&seed) % 3;
		}
		compare(units, cnt, levels, run);
	}
}

/* One round, one unit: the interval is what it was found to be. */
Test(boot, has_an_interval_of_one_round)
{
	struct boot_unit one = {.index = 4};
	struct boot_options o = {.levels = 3, .rounds = 1, .seed = 1, .level = 0.95};
	struct interval got[2];
	static struct seen s;

	cr_assert_eq(boot_intervals(&one, 1, &o, note, &s, 2, got), 0);
	cr_assert_eq(got[1].lo, 4);
	cr_assert_eq(got[1].hi, 4);
	s.rounds = 0;
	cr_assert_eq(boot_intervals(&one, 0, &o, note, &s, 2, got), -ENODATA);
	o.rounds = 0;
	cr_assert_eq(boot_intervals(&one, 1, &o, note, &s, 2, got), -ENODATA);
	cr_assert_eq(s.rounds, 0);
}
