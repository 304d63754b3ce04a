/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which clock made these times? Every act of truth is a marked act: it has a thread and a window.
 * A profiler that saw the acts on another clock is off by one and the same difference everywhere,
 * so the difference on which most pairs of a claim and an act agree is the clock's.
 */
#include "harness/conform.h"

#include <errno.h>
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

/* ---- how fine, and how far off ---- */

static bool known_end(const struct claim *c, bool src)
{
	return c->kind == CLAIM_HANDOFF && (c->has & (src ? HAS_SRC : HAS_DST));
}

uint64_t clock_grain(const struct claims *claims)
{
	enum { FEW = 20 }; /* by chance all would be whole microseconds once in 10^60 */
	static const uint64_t units[] = {1000000, 1000};
	size_t cnt = 0, whole[2] = {0};

	for (size_t i = 0; i < claims->cnt; i++)
		for (int src = 0; src < 2; src++) {
			const struct claim *c = &claims->v[i];
			uint64_t t = src ? c->handoff.src_t : c->handoff.dst_t;

			if (!known_end(c, src))
				continue;
			cnt++;
			for (size_t u = 0; u < 2; u++)
				whole[u] += t % units[u] == 0;
		}
	for (size_t u = 0; cnt >= FEW && u < 2; u++)
		if (whole[u] == cnt)
			return units[u];
	return 1;
}

/* A window of a thread; last: the end of it and of all that began before on that thread. */
struct act {
	uint32_t tid;
	uint64_t t0, last;
};

static int by_start(const void *a, const void *b)
{
	const struct act *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

static struct act act_of(const struct truth_handoff *h, bool src)
{
	if (src)
		return (struct act){h->src_tid, h->src_t.t0, h->src_t.t1};
	return (struct act){h->dst_tid,
			    h->dst_ready.t0 < h->dst_t.t0 ? h->dst_ready.t0 : h->dst_t.t0,
			    h->dst_ready.t1 > h->dst_t.t1 ? h->dst_ready.t1 : h->dst_t.t1};
}

/* All acts of one side of a type, by thread and start. NULL: no memory. */
static struct act *acts_of(const struct truth *t, uint8_t type, bool src, size_t *ret_cnt)
{
	struct act *v = calloc(t->handoffs_cnt + 1, sizeof(*v));
	size_t cnt = 0;

	for (size_t i = 0; v && i < t->handoffs_cnt; i++)
		if (t->handoffs[i].type == type && (t->handoffs[i].has & (src ? TH_SRC : TH_DST)))
			v[cnt++] = act_of(&t->handoffs[i], src);
	if (cnt)
		qsort(v, cnt, sizeof(*v), by_start);
	for (size_t i = 1; i < cnt; i++)
		if (v[i].tid == v[i - 1].tid && v[i].last < v[i - 1].last)
			v[i].last = v[i - 1].last;
	*ret_cnt = cnt;
	return v;
}

/* How far from the nearest act of the thread, late positive; 0: in one. false: it has none. */
static bool distance(const struct act *v, size_t cnt, uint32_t tid, uint64_t at, int64_t *ret)
{
	const struct act end = {.tid = tid, .t0 = at};
	size_t lo = 0, hi = cnt;
	int64_t late = INT64_MAX, early = INT64_MAX;

	while (lo < hi) { /* the first that begins later */
		size_t mid = lo + (hi - lo) / 2;

		if (by_start(&v[mid], &end) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && v[lo - 1].tid == tid)
		late = at > v[lo - 1].last ? (int64_t)(at - v[lo - 1].last) : 0;
	if (lo < cnt && v[lo].tid == tid)
		early = (int64_t)(v[lo].t0 - at);
	if (late == INT64_MAX && early == INT64_MAX)
		return false;
	*ret = late <= early ? late : -early;
	return true;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	x = llabs(x);
	y = llabs(y);
	return x < y ? -1 : x > y;
}

int clock_lag(const struct claims *claims, const struct truth *t, uint8_t type, bool src,
	      struct clock_lag *ret)
{
	struct clock_lag lag = {0};
	int64_t *off = calloc(claims->cnt + 1, sizeof(*off)), by;
	size_t cnt;
	struct act *v = off ? acts_of(t, type, src, &cnt) : NULL;

	for (size_t i = 0; v && i < claims->cnt; i++) {
		const struct claim *c = &claims->v[i];

		if (!known_end(c, src) || c->type != type ||
		    !distance(v, cnt, src ? c->handoff.src_tid : c->handoff.dst_tid,
			      src ? c->handoff.src_t : c->handoff.dst_t, &by))
			continue;
		lag.ends++;
		lag.late += by > 0;
		if (by)
			off[lag.outside++] = by;
	}
	if (lag.outside) {
		qsort(off, lag.outside, sizeof(*off), by_size);
		lag.middle_ns = (uint64_t)llabs(off[lag.outside / 2]);
	}
	free(off);
	if (!v)
		return -ENOMEM;
	free(v);
	*ret = lag;
	return 0;
}
