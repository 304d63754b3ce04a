/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs scored: index truth, judge claims, settle what hangs together, count. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scoring/handoff_run.h"

enum { FEW_IN_FLIGHT = 32 };

static unsigned worker_cnt(const struct score_options *o)
{
	long n = o && o->threads ? (long)o->threads : sysconf(_SC_NPROCESSORS_ONLN);

	/* mutant <= 2 >=: equivalent because one is the least and both bounds are themselves */
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

static int run_init(struct run *r, const struct score_options *o, uint32_t epoch)
{
	int err;

	/* mutant > 1 3: equivalent because no machine holds as many */
	if (r->c->cnt >= UINT32_MAX / 2)
		return -E2BIG;
	r->epoch = epoch;
	r->workers = worker_cnt(o);
	/* mutant 1: equivalent because it only decides where things lie */
	mem_init(&r->mem, o ? o->memory : 0);
	err = hx_init(&r->x, r->t, epoch, r->workers, &r->mem);
	if (!err && !(r->owner = mem_array(&r->mem, r->x.cnt, sizeof(*r->owner))))
		err = -ENOMEM;
	for (int l = 0; !err && l < LEVEL_CNT; l++) {
		r->heard[l] = mem_array(&r->mem, r->x.cnt, sizeof(*r->heard[l]));
		if (!r->heard[l])
			err = -ENOMEM;
	}
	return err;
}

static void run_free(struct run *r)
{
	hx_free(&r->x);
	used_keys_free(r->used);
	list_free(&r->slow);
	mem_free(&r->mem);
}

static void worker_free(struct worker *w)
{
	ends_free(&w->ends);
	list_free(&w->slow);
	list_free(&w->late);
	for (int l = 0; l < LEVEL_CNT; l++)
		bids_free(&w->bids[l]);
	vec_free(w->times, w->times_cap, sizeof(*w->times));
}

static void verdicts_clear(struct run *r)
{
	for (int l = 0; l < LEVEL_CNT; l++) {
		if (r->verdicts.outcome[l])
			memset(r->verdicts.outcome[l], OUT_NOT_SCORED, r->c->cnt);
		if (r->verdicts.credited[l])
			memset(r->verdicts.credited[l], 0xff, r->c->cnt * sizeof(uint32_t));
	}
}

static int append(struct list *to, const struct list *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->cnt; i++)
		err = list_push(to, from->v[i]);
	return err;
}

static int judge_first(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = (struct worker *)workers + worker;
	int err = 0;

	for (size_t i = from; !err && i < to; i++)
		err = judge_plain(w, (uint32_t)i);
	return err;
}

static int judge_slow(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = (struct worker *)workers + worker;
	int err = 0;

	for (size_t i = from; !err && i < to; i++)
		err = judge(w, w->r->slow.v[i]);
	return err;
}

/* Each worker's list is a stretch. */
static int judge_lists(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = workers;
	int err = 0;

	for (size_t i = from; !err && i < to; i++)
		err = judge_late(&w[worker], &w[i].late);
	return err;
}

/* fn for stretches of 0…cnt - 1 with the array of workers. */
int claims_each(struct run *r, struct worker *w, size_t cnt,
		int (*fn)(void *workers, unsigned worker, size_t from, size_t to))
{
	return work_each(&(struct work){
		.workers = r->workers, .cnt = cnt, .chunk = WORK_CHUNK, .fn = fn, .arg = w});
}

/* What the slow way will look up in an index for a claim. */
static void want(struct run *r, struct wanted *n, const struct claim *c)
{
	struct probe p = probe_of(&r->x, c);
	uint32_t place;

	if ((c->has & HAS_SRC) && p.comparable && has_identity(p.type))
		wanted_add(n, WANT_NEAR, p.tag, c->handoff.src_t);
	if (!(c->has & HAS_DST))
		return;
	if (p.comparable)
		wanted_add(n, WANT_FAR, p.tag, c->handoff.dst_t);
	if (p.comparable && !r->x.keyless[p.type])
		return;
	place = tids_place(&r->x.tids, c->handoff.dst_tid);
	if (place != HX_NONE)
		wanted_add(n, WANT_THREAD, group_of(&r->x.tids, p.type, place), c->handoff.dst_t);
}

/*
 * Are so few handoffs in flight that asking them all is as quick as an index? Else that is cheaper
 * for a few claims than to pass over truth once more and index it. Measured: some 10 instructions
 * for each asked, 250 for each passed.
 */
static bool scan_pays(const struct run *r, size_t claims)
{
	/* mutant - + 0 2: equivalent because an index and a scan find the same */
	double span = (double)(r->t->scored.t1 - r->t->scored.t0) + 1;
	double in_flight = r->x.lived / span;

	if (r->epoch)
		/* mutant: equivalent because an index and a scan find the same */
		return r->epoch == HX_SCAN;
	/* mutant < &&: equivalent because an index and a scan find the same */
	return in_flight <= FEW_IN_FLIGHT ||
	       /* mutant: equivalent because an index and a scan find the same */
	       2 * (double)claims * (2 * in_flight + 16) * 10 < (double)r->x.cnt * 250;
}

/* Indexes for the slow claims what they will look up, if they need an index. */
static int prepare_slow(struct run *r, struct worker *w)
{
	struct wanted n = {};
	int err = 0;

	for (unsigned i = 0; !err && i < r->workers; i++)
		err = append(&r->slow, &w[i].slow);
	r->x.scan = scan_pays(r, r->slow.cnt);
	if (err || r->x.scan)
		return err;
	err = wanted_init(&n, &r->t->scored, r->slow.cnt, &r->mem);
	for (size_t i = 0; !err && i < r->slow.cnt; i++)
		if (claim_scored(r->t, &r->c->v[r->slow.v[i]]))
			want(r, &n, &r->c->v[r->slow.v[i]]);
	return err ? err : hx_index(&r->x, &n, r->slow.cnt);
}

/* The times of all workers, moved to the first. */
static int gather_times(struct run *r, struct worker *w)
{
	for (unsigned i = 1; i < r->workers; i++) {
		size_t cnt = w->times_cnt + w[i].times_cnt;
		struct hx_time *v;

		if (!w[i].times_cnt)
			continue;
		v = vec_grow(w->times, &w->times_cap, cnt, sizeof(*v));
		if (!v)
			return -ENOMEM;
		memcpy(v + w->times_cnt, w[i].times, w[i].times_cnt * sizeof(*v));
		w->times = v;
		w->times_cnt = cnt;
	}
	return 0;
}

/* The times become the ranks; the keys in doubt are looked up. */
static int prepare_late(struct run *r, struct worker *w)
{
	int err = gather_times(r, w);

	if (!err)
		err = hx_rank(&r->x, w->times, w->times_cnt);
	if (err)
		return err;
	r->used = used_keys_new(r, w);
	return r->used ? 0 : -ENOMEM;
}

static void tally_merge(struct tally *to, const struct tally *from)
{
	uint64_t *a = (uint64_t *)to;
	const uint64_t *b = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
		a[i] += b[i];
}

static int credit_levels(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = workers;
	int err = 0;

	for (size_t l = from; !err && l < to; l++)
		err = credit(w->r, w, (enum score_level)l);
	return err;
}

static int settle_bids(struct run *r, struct worker *w)
{
	for (int l = 0; l < LEVEL_CNT; l++)
		for (unsigned i = 0; i < r->workers; i++) {
			tally_merge(&r->tally[l], &w[i].tally[l]);
			tally_merge(&r->tally[l], &w[i].plain);
		}
	return work_each(&(struct work){.workers = r->workers < LEVEL_CNT ? r->workers : LEVEL_CNT,
					.cnt = LEVEL_CNT,
					.chunk = 1,
					.fn = credit_levels,
					.arg = w});
}

/* Of the claims shifted in time few are looked up, but in windows that the index may not have. */
static int prepare_copies(struct run *r)
{
	static const struct wanted all = {.all = true};
	uint64_t limit = r->mem.limit;
	int err;

	r->x.scan = scan_pays(r, r->c->cnt / 16);
	if (r->x.scan)
		return 0;
	hx_free(&r->x);
	mem_free(&r->mem);
	mem_init(&r->mem, limit);
	err = hx_init(&r->x, r->t, r->epoch, r->workers, &r->mem);
	return err ? err : hx_index(&r->x, &all, r->c->cnt);
}

static int run_all(struct run *r, struct worker *w, struct handoff_score *ret)
{
	uint64_t hits;
	int err;

	r->x.scan = scan_pays(r, r->c->cnt);
	err = claims_each(r, w, r->c->cnt, judge_first);
	if (!err)
		err = prepare_slow(r, w);
	if (!err)
		err = claims_each(r, w, r->slow.cnt, judge_slow);
	if (!err)
		err = prepare_late(r, w);
	if (!err)
		err = work_each(&(struct work){.workers = r->workers,
					       .cnt = r->workers,
					       .chunk = 1,
					       .fn = judge_lists,
					       .arg = w});
	if (!err)
		err = settle_bids(r, w);
	if (err)
		return err;
	count_all(r, ret);
	hits = ret->level[LEVEL_CONTEXT].all.decoy_hits;
	if (!hits)
		return 0;
	err = prepare_copies(r); /* the last thing done: the index is not what it was */
	return err ? err : judge_cheating(r, w, hits, &ret->cheating);
}

int score_handoffs_epochs(const struct truth *t, const struct claims *c,
			  const struct score_options *o, uint32_t epoch, struct handoff_score *ret,
			  struct handoff_verdicts *v)
{
	struct run *r = calloc(1, sizeof(*r)); /* mutant 2: equivalent because one is used */
	struct handoff_score *s = calloc(1, sizeof(*s));
	struct worker *w = NULL;
	int err = -ENOMEM;

	if (!r || !s)
		goto out;
	r->t = t;
	r->c = c;
	if (v)
		r->verdicts = *v;
	err = run_init(r, o, epoch);
	if (!err && !(w = calloc(r->workers, sizeof(*w))))
		err = -ENOMEM;
	for (unsigned i = 0; !err && i < r->workers; i++)
		w[i].r = r;
	if (!err) {
		verdicts_clear(r);
		err = run_all(r, w, s);
	}
	if (!err)
		*ret = *s;
out:
	for (unsigned i = 0; w && i < r->workers; i++)
		worker_free(&w[i]);
	if (r)
		run_free(r);
	free(w);
	free(r);
	free(s);
	return err;
}

int score_handoffs_with(const struct truth *t, const struct claims *c,
			const struct score_options *o, struct handoff_score *ret,
			struct handoff_verdicts *v)
{
	return score_handoffs_epochs(t, c, o, 0, ret, v);
}

int score_handoffs(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		   struct handoff_verdicts *v)
{
	return score_handoffs_with(t, c, NULL, ret, v);
}
