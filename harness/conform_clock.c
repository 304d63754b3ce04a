/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clock made these times? Every act of truth is a marked act: it has a thread and a window.
 * A profiler that saw the acts on another clock is off by one and the same difference everywhere,
 * so the difference on which most pairs of a claim and an act agree is the clock's.
 */
#include "harness/conform.h"

#include <stdlib.h>
#include <time.h>

enum {
	SAMPLE = 48,
	PAIRS_MAX = 1 << 20,
	CHANCE = 4, /* the fullest stretch holds so many times what falls into one by chance */
};

struct differences {
	int64_t *v;
	size_t cnt;
};

static uint64_t middle(const struct window *w)
{
	return w->t0 + (w->t1 - w->t0) / 2;
}

/* A handoff end of a claim against the same ends of truth. */
static void pair_end(struct differences *x, uint32_t tid, uint64_t at, uint8_t type, bool src,
		     const struct truth *t)
{
	for (size_t i = 0; i < t->handoffs_cnt && x->cnt < PAIRS_MAX; i++) {
		const struct truth_handoff *h = &t->handoffs[i];
		const struct window *w = src ? &h->src_t : &h->dst_ready;

		if (h->type == type && (h->has & (src ? TH_SRC : TH_DST)) &&
		    tid == (src ? h->src_tid : h->dst_tid))
			x->v[x->cnt++] = (int64_t)(at - middle(w));
	}
}

static void pair_claim(struct differences *x, const struct claim *c, const struct truth *t)
{
	if (c->kind == CLAIM_HANDOFF && (c->has & HAS_SRC))
		pair_end(x, c->handoff.src_tid, c->handoff.src_t, c->type, true, t);
	else if (c->kind == CLAIM_HANDOFF)
		pair_end(x, c->handoff.dst_tid, c->handoff.dst_t, c->type, false, t);
	if (c->kind != CLAIM_EVENT)
		return;
	for (size_t i = 0; i < t->events_cnt && x->cnt < PAIRS_MAX; i++)
		if (t->events[i].kind == c->type && t->events[i].tid == c->event.tid)
			x->v[x->cnt++] = (int64_t)(c->event.t - middle(&t->events[i].t));
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The fullest stretch of CLOCK_GRAIN_NS: its middle value, and how many lie in it. */
static size_t fullest(struct differences *x, int64_t *ret)
{
	size_t best = 0, from = 0;

	qsort(x->v, x->cnt, sizeof(*x->v), by_value);
	for (size_t i = 0; i < x->cnt; i++) {
		while (x->v[i] - x->v[from] > CLOCK_GRAIN_NS)
			from++;
		if (i - from + 1 > best) {
			best = i - from + 1;
			*ret = x->v[from + (i - from) / 2];
		}
	}
	return best;
}

bool clock_offset(const struct claims *claims, const struct truth *t, int64_t *ret_ns)
{
	struct differences x = {.v = malloc(PAIRS_MAX * sizeof(*x.v))};
	size_t sample = 0, step, best;
	double by_chance = 0;
	int64_t at = 0;

	if (!x.v)
		return false;
	step = claims->cnt / SAMPLE + 1;
	for (size_t i = 0; i < claims->cnt; i += step) {
		size_t before = x.cnt;

		pair_claim(&x, &claims->v[i], t);
		sample += x.cnt > before;
	}
	best = fullest(&x, &at);
	if (x.cnt)
		by_chance = (double)x.cnt * CLOCK_GRAIN_NS / (double)(x.v[x.cnt - 1] - x.v[0] + 1);
	free(x.v);
	if (!sample || best < (sample + 1) / 2 || (double)best < CHANCE * by_chance)
		return false;
	*ret_ns = at;
	return true;
}

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

const char *clock_ahead_by(int64_t ns)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {{"CLOCK_REALTIME", CLOCK_REALTIME},
		      {"CLOCK_TAI", CLOCK_TAI},
		      {"CLOCK_BOOTTIME", CLOCK_BOOTTIME},
		      {"CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW}};
	enum { NEAR_NS = 5000000 }; /* clocks that are adjusted drift while a run lasts */

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		int64_t ahead = read_clock(clocks[i].id) - read_clock(CLOCK_MONOTONIC);
		int64_t off = ahead - ns;

		if (llabs(ahead) > NEAR_NS && llabs(off) < NEAR_NS)
			return clocks[i].name;
	}
	return NULL;
}
