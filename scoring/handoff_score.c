/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs scored: plan, stretches, what is left of them, counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scoring/handoff_run.h"

static unsigned worker_cnt(const struct score_options *o)
{
	long n = o && o->threads ? (long)o->threads : sysconf(_SC_NPROCESSORS_ONLN);

	/* mutant 0 <= 2 >=: equivalent because none are fewer and both bounds are themselves */
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
}

static int run_init(struct run *r, const struct score_options *o)
{
	/* mutant > >= 1 3 &&: equivalent because no machine holds as many */
	if (r->c->cnt >= UINT32_MAX / 2 || r->t->handoffs_cnt > FOUND_H)
		return -E2BIG;
	r->workers = worker_cnt(o);
	/* mutant 1: equivalent because it only decides where things lie */
	mem_init(&r->mem, o ? o->memory : 0);
	r->key_tags = mem_array(&r->mem, r->t->handoffs_cnt, sizeof(*r->key_tags));
	return r->key_tags ? ground_init(&r->ground, r->t, &r->mem) : -ENOMEM;
}

static void run_free(struct run *r)
{
	cuts_free(&r->cuts);
	ground_free(&r->ground);
	used_keys_free(r->used);
	mem_free(&r->mem);
}

static void worker_free(struct worker *w)
{
	struct list *lists[] = {&w->whole,	 &w->slow,	 &w->late,
				&w->rest_claims, &w->rest_truth, &w->doubts};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_free(lists[i]);
	for (unsigned on = ON_CONTEXT; on < ON_CNT; on++)
		bids_free(&w->bids[on]);
	ends_release(&w->ends);
	book_free(&w->book);
	hx_free(&w->x);
	vec_free(w->amb_met, w->amb_cap, sizeof(*w->amb_met));
	vec_free(w->times, w->times_cap, sizeof(*w->times));
	mem_free(&w->mem);
}

static void workers_free(struct worker *w, unsigned cnt)
{
	for (unsigned i = 0; w && i < cnt; i++)
		worker_free(&w[i]);
	free(w);
}

/* NULL: no memory. */
static struct worker *workers_new(struct run *r)
{
	struct worker *w = calloc(r->workers, sizeof(*w));

	for (unsigned i = 0; w && i < r->workers; i++) {
		w[i].r = r;
		w[i].x = (struct hx){.g = &r->ground, .t = r->t};   /* asked for probes */
		mem_init(&w[i].mem, r->mem.limit / r->workers + 1); /* 0 is the default */
	}
	return w;
}

static void verdicts_clear(struct run *r)
{
	for (int l = 0; l < LEVEL_CNT; l++) {
		if (r->verdicts.outcome[l])
			memset(r->verdicts.outcome[l], OUT_NOT_SCORED, r->c->cnt);
		if (r->verdicts.credited[l])
			memset(r->verdicts.credited[l], 0xff, r->c->cnt * sizeof(uint32_t));
		if (r->verdicts.spoken[l])
			memset(r->verdicts.spoken[l], 0, r->t->handoffs_cnt);
	}
}

/* fn for each of cnt things that are worth a worker's time each. */
static int each(struct worker *w, size_t cnt, int (*fn)(void *, unsigned, size_t, size_t))
{
	return work_each(&(struct work){
		.workers = w->r->workers, .cnt = cnt, .chunk = 1, .fn = fn, .arg = w});
}

static int score_some(void *workers, unsigned worker, size_t from, size_t to)
{
	return score_stretch((struct worker *)workers + worker, (uint32_t)from);
}

static int append(struct list *to, const struct list *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->cnt; i++)
		err = list_push(to, from->v[i]);
	return err;
}

/* Records that the stretches left, each once, in their order. */
static int gather_truth(const struct run *r, const struct worker *w, struct list *ret)
{
	/* mutant 2 63: equivalent because more room does no harm */
	size_t words = r->t->handoffs_cnt / 64 + 1;
	uint64_t *bits = calloc(words, sizeof(*bits));
	int err = bits ? 0 : -ENOMEM;

	for (unsigned i = 0; !err && i < r->workers; i++)
		for (size_t k = 0; k < w[i].rest_truth.cnt; k++)
			bits[w[i].rest_truth.v[k] / 64] |= UINT64_C(1) << w[i].rest_truth.v[k] % 64;
	for (size_t k = 0; !err && k < words; k++)
		for (uint64_t m = bits[k]; !err && m; m &= m - 1)
			err = list_push(ret, (uint32_t)(64 * k) + (uint32_t)__builtin_ctzll(m));
	free(bits);
	return err;
}

/* What all stretches left, and the claims on their borders. */
static int gather_rest(const struct run *r, const struct worker *w, struct list *truth,
		       struct list *claims)
{
	int err = append(claims, &r->cuts.border);

	for (unsigned i = 0; !err && i < r->workers; i++)
		err = append(claims, &w[i].rest_claims);
	if (!err)
		err = gather_truth(r, w, truth);
	return err ? err : cuts_arrange(&r->cuts, truth);
}

static int score_stretches(struct run *r, struct worker *w)
{
	struct list truth = {}, claims = {};
	int err = each(w, r->cuts.cnt, score_some);

	if (!err)
		err = amb_check(r, w);
	if (!err)
		err = gather_rest(r, w, &truth, &claims);
	if (!err)
		err = score_rest(w, &truth, &claims);
	list_free(&truth);
	list_free(&claims);
	return err;
}

enum { AHEAD = 8 };

/* Each worker's doubts are a stretch. */
static int settle_doubts(void *workers, unsigned worker, size_t from, size_t to)
{
	struct worker *w = workers;
	const struct list *doubts = &w[from].doubts;
	int err = 0;

	for (size_t i = 0; !err && i < doubts->cnt; i++) {
		const struct claim *v = w->r->c->v;

		if (i + AHEAD < doubts->cnt)
			fetch_record(&v[doubts->v[i + AHEAD]], sizeof(*v));
		err = judge_nothing(&w[worker], doubts->v[i]);
	}
	return err;
}

static int run_all(struct run *r, struct worker *w, struct handoff_score *ret)
{
	int err = cuts_make(&r->cuts, r->shape.stretch, r->workers);
	uint64_t hits;

	if (!err)
		/* mutant 2: equivalent because two stretches and one find the same */
		err = r->cuts.cnt > 1 ? score_stretches(r, w) : score_all(w);
	if (!err)
		err = each(w, r->workers, settle_doubts);
	if (err)
		return err;
	count_all(r, w, ret);
	hits = ret->level[LEVEL_CONTEXT].all.decoy_hits;
	return hits ? judge_cheating(w, hits, &ret->cheating) : 0;
}

/* Takes truth as it nearly always is. -EAGAIN: it is not in the order of time; -EXDEV: amb groups
 * lie in several stretches. */
static int run_once(struct run *r, struct handoff_score *ret)
{
	struct worker *w = workers_new(r);
	int err = w ? 0 : -ENOMEM;

	r->cuts = (struct cuts){.t = r->t,
				.c = r->c,
				.mem = &r->mem,
				.lock = PTHREAD_MUTEX_INITIALIZER,
				.moved = PTHREAD_COND_INITIALIZER};
	verdicts_clear(r);
	/* mutant ||: equivalent because what is sorted may be sorted again */
	if (!err && r->sort)
		err = cuts_sort(&r->cuts);
	if (!err)
		err = run_all(r, w, ret);
	workers_free(w, r->workers);
	return err;
}

static int run_until_it_fits(struct run *r, struct handoff_score *ret)
{
	for (;;) {
		int err = run_once(r, ret);

		if (err == -EAGAIN && !r->sort)
			r->sort = true;
		else if (err == -EXDEV && !r->amb_apart)
			r->amb_apart = true;
		else
			return err;
		cuts_free(&r->cuts);
	}
}

int score_handoffs_shaped(const struct truth *t, const struct claims *c,
			  const struct score_options *o, const struct score_shape *shape,
			  struct handoff_score *ret, struct handoff_verdicts *v)
{
	struct run *r = calloc(1, sizeof(*r)); /* mutant 2: equivalent because one is used */
	struct handoff_score *s =
		calloc(1, sizeof(*s)); /* mutant 2: equivalent because one is used */
	int err = -ENOMEM;

	if (!r || !s)
		goto out;
	r->t = t;
	r->c = c;
	r->shape = *shape;
	r->asked = v != NULL;
	if (v)
		r->verdicts = *v;
	err = run_init(r, o);
	if (!err)
		err = run_until_it_fits(r, s);
	if (!err)
		*ret = *s;
out:
	if (r)
		run_free(r);
	free(r);
	free(s);
	return err;
}

int score_handoffs_with(const struct truth *t, const struct claims *c,
			const struct score_options *o, struct handoff_score *ret,
			struct handoff_verdicts *v)
{
	static const struct score_shape any = {};

	return score_handoffs_shaped(t, c, o, &any, ret, v);
}

int score_handoffs(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		   struct handoff_verdicts *v)
{
	return score_handoffs_with(t, c, NULL, ret, v);
}
