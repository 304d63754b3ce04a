/* SPDX-License-Identifier: BSD-2-Clause */
/* The hierarchical bootstrap. */
#include "scoring/statistics.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A node of the tree of levels: its children, or, at the narrowest level, its observations, are
 * contiguous. */
struct node {
	uint32_t first, cnt;
};

struct tree {
	struct node *level[BOOT_LEVELS_MAX]; /* level 0 hangs below one root */
	uint32_t cnt[BOOT_LEVELS_MAX];
	unsigned levels;
	const struct boot_unit *units;
};

/* splitmix64 (Steele, Lea & Flood 2014, OOPSLA). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31; /* mutant 30 32: equivalent because it only has to spread them */
}

/* 0 … n-1; the bias of a product by 2^-64 · n is nothing for a resample. */
static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((unsigned __int128)next_random(state) * n >> 64);
}

static int compare_units(const void *a, const void *b)
{
	const struct boot_unit *x = a, *y = b;

	for (unsigned l = 0; l < BOOT_LEVELS_MAX; l++)
		if (x->of[l] != y->of[l])
			/* mutant >= <=: equivalent because they differ */
			return (x->of[l] > y->of[l]) - (x->of[l] < y->of[l]);
	/* mutant >= <=: equivalent because no two have one index */
	return (x->index > y->index) - (x->index < y->index);
}

static bool same_until(const struct boot_unit *a, const struct boot_unit *b, unsigned level)
{
	for (unsigned l = 0; l <= level; l++)
		if (a->of[l] != b->of[l])
			return false;
	return true;
}

/* Nodes of a level count the nodes of the next below them; those of the last, observations. */
static void grow(struct tree *t, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		bool fresh = false;

		for (unsigned l = 0; l < t->levels; l++) {
			bool last = l + 1 == t->levels;

			fresh |= !i || !same_until(&t->units[i - 1], &t->units[i], l);
			if (fresh)
				t->level[l][t->cnt[l]++] =
					(struct node){.first = last ? (uint32_t)i : t->cnt[l + 1]};
			/* its children so far; a child that begins here is added below */
			t->level[l][t->cnt[l] - 1].cnt += last;
		}
	}
	for (unsigned l = 0; l + 1 < t->levels; l++)
		for (uint32_t n = 0; n < t->cnt[l]; n++) {
			uint32_t end = n + 1 < t->cnt[l] ? t->level[l][n + 1].first : t->cnt[l + 1];

			t->level[l][n].cnt = end - t->level[l][n].first;
		}
}

static void tree_free(struct tree *t)
{
	for (unsigned l = 0; l < t->levels; l++)
		free(t->level[l]);
}

static int tree_make(struct tree *t, struct boot_unit *units, size_t cnt, unsigned levels)
{
	*t = (struct tree){.levels = levels, .units = units};
	for (unsigned l = 0; l < levels; l++) {
		t->level[l] = calloc(cnt, sizeof(*t->level[l]));
		if (!t->level[l]) {
			tree_free(t);
			return -ENOMEM;
		}
	}
	qsort(units, cnt, sizeof(*units), compare_units);
	grow(t, cnt);
	return 0;
}

/* What is drawn; it grows, since a resample of unequal branches has no fixed size. */
struct draws {
	uint32_t *v;
	size_t cnt, room;
};

static int draw_one(struct draws *d, uint32_t index)
{
	if (d->cnt == d->room) {
		/* mutant: equivalent because any growth does */
		size_t room = d->room ? 2 * d->room : 256;
		uint32_t *v = reallocarray(d->v, room, sizeof(*v));

		if (!v)
			return -ENOMEM;
		d->v = v;
		d->room = room;
	}
	d->v[d->cnt++] = index;
	return 0;
}

/* As many as there are, with replacement, and below each of them the same again. */
static int draw(const struct tree *t, unsigned level, struct node from, uint64_t *state,
		struct draws *d)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < from.cnt; i++) {
		uint32_t at = from.first + below(state, from.cnt);

		if (level == t->levels)
			err = draw_one(d, t->units[at].index);
		else
			err = draw(t, level + 1, t->level[level][at], state, d);
	}
	return err;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y); /* mutant >= <=: equivalent because nobody tells equals apart */
}

/* The interval of one column of rounds × wide values. */
static struct interval percentiles(const double *v, size_t rounds, size_t wide, size_t column,
				   double level, double *room)
{
	struct interval r = {NAN, NAN};
	size_t n = 0;

	for (size_t i = 0; i < rounds; i++)
		if (!isnan(v[i * wide + column]))
			room[n++] = v[i * wide + column];
	if (!n)
		return r;
	qsort(room, n, sizeof(*room), compare_doubles);
	r.lo = quantile_sorted(room, n, (1 - level) / 2);
	r.hi = quantile_sorted(room, n, 1 - (1 - level) / 2);
	return r;
}

static int resample(const struct tree *t, const struct boot_options *o, boot_fill fill, void *arg,
		    size_t wide, double *v)
{
	struct node root = {.first = 0, .cnt = t->cnt[0]};
	uint64_t state = o->seed;
	struct draws d = {0};
	int err = 0;

	for (unsigned i = 0; !err && i < o->rounds; i++) {
		d.cnt = 0;
		err = draw(t, 0, root, &state, &d);
		if (!err)
			fill(d.v, d.cnt, arg, v + i * wide);
	}
	free(d.v);
	return err;
}

int boot_intervals(struct boot_unit *units, size_t cnt, const struct boot_options *o,
		   boot_fill fill, void *arg, size_t wide, struct interval *ret)
{
	double *v, *room;
	struct tree t;
	int err;

	/* mutant ||: equivalent because nobody asks for less or more */
	assert(o->levels && o->levels <= BOOT_LEVELS_MAX);
	assert(cnt <= UINT32_MAX); /* mutant <: equivalent because nobody asks for more */
	if (!cnt || !o->rounds)
		return -ENODATA;
	err = tree_make(&t, units, cnt, o->levels);
	if (err)
		return err;
	v = calloc(wide * o->rounds, sizeof(*v));
	room = calloc(o->rounds, sizeof(*room));
	err = v && room ? resample(&t, o, fill, arg, wide, v) : -ENOMEM;
	for (size_t i = 0; !err && i < wide; i++)
		ret[i] = percentiles(v, o->rounds, wide, i, o->level, room);
	free(room);
	free(v);
	tree_free(&t);
	return err;
}

struct single {
	boot_statistic statistic;
	void *arg;
};

static void fill_single(const uint32_t *draws, size_t cnt, void *arg, double *ret)
{
	struct single *s = arg;

	if (!s->statistic(draws, cnt, s->arg, ret))
		*ret = NAN;
}

int boot_interval(struct boot_unit *units, size_t cnt, const struct boot_options *o,
		  boot_statistic statistic, void *arg, struct interval *ret)
{
	struct single s = {.statistic = statistic, .arg = arg};
	struct interval r;
	int err = boot_intervals(units, cnt, o, fill_single, &s, 1, &r);

	if (err)
		return err;
	if (isnan(r.lo))
		return -ENODATA;
	*ret = r;
	return 0;
}
