/* SPDX-License-Identifier: BSD-2-Clause */
/* Aggregated profiles: total-variation distance to truth's distribution over the same key. */
#include "scoring/attribution.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "scoring/arrays.h"
#include "scoring/ops.h"

/*
 * All keys that truth does not know, as one: where p is 0, Σ |p − q| is Σ q however it is split.
 * Beyond every tid and every string id.
 */
#define KEY_FOREIGN (UINT64_C(1) << 32)

/* Lines by pair once more, against truth's pairs of names. */
enum { BY_NAMES = PROFILE_BY_CNT };

/* A share of one line (by, kind), for one key, on one side. */
struct share {
	uint8_t by; /* enum profile_by or BY_NAMES */
	bool claimed;
	uint32_t kind;
	uint64_t key;
	long double v;
};

static int share_cmp(const void *pa, const void *pb)
{
	const struct share *a = pa, *b = pb;

	if (a->by != b->by)
		return CMP3(a->by, b->by);
	if (a->kind != b->kind)
		return CMP3(a->kind, b->kind);
	if (a->key != b->key)
		return CMP3(a->key, b->key);
	if (a->claimed != b->claimed)
		return CMP3(a->claimed, b->claimed);
	return CMP3(a->v, b->v);
}

struct shares {
	const struct truth *t;
	const struct claims *c;
	struct wordlist kinds;
	struct words words;
	struct share *v;
	size_t cnt;
};

static void add(struct shares *s, struct share x)
{
	s->v[s->cnt++] = x;
}

static void add_op(struct shares *s, const struct truth_cost *x, uint32_t op, uint32_t kind)
{
	if (op == SCOPE_NONE || !op_scored(s->t, &s->t->ops[op]))
		return;
	if (x->has_tid)
		add(s, (struct share){.by = BY_THREAD, .kind = kind, .key = x->tid, .v = x->v});
	add(s, (struct share){
		       .by = BY_OP_KIND, .kind = kind, .key = s->t->ops[op].kind_str, .v = x->v});
}

static void add_cost(struct shares *s, const struct truth_cost *x, const struct op_index *ops,
		     uint32_t wall)
{
	struct share one = {.kind = s->kinds.of_truth[x->kind_str], .key = x->name_str, .v = x->v};

	if (one.kind == wall)
		return;
	if (x->of == COST_OF_OP) {
		add_op(s, x, op_index_find(ops, x->op), one.kind);
	} else if (x->of == COST_OF_THREAD) {
		one.by = BY_THREAD;
		one.key = x->tid;
		add(s, one);
	} else {
		one.by = x->of == COST_OF_FUNCTION ? BY_FUNCTION
			 : x->of == COST_OF_PAIR   ? BY_PAIR
						   : BY_NAMES;
		add(s, one);
	}
}

static long double middle(long double lo, long double hi)
{
	/* mutant: equivalent because a distribution does not change with its scale */
	return fmaxl(0, (lo + hi) / 2);
}

static int add_truth(struct shares *s)
{
	uint32_t wall = wordlist_find(&s->kinds, "wall");
	struct op_index ops;
	int err = op_index_make(s->t, &ops);

	if (err)
		return err;
	for (size_t i = 0; i < s->t->costs_cnt; i++)
		add_cost(s, &s->t->costs[i], &ops, wall);
	for (size_t i = 0; i < s->t->ops_cnt; i++) {
		long double lo, hi;

		if (op_wall(s->t, &s->t->ops[i], &lo, &hi))
			add(s, (struct share){.by = BY_OP_KIND,
					      .kind = wall,
					      .key = s->t->ops[i].kind_str,
					      .v = middle(lo, hi)});
	}
	op_index_free(&ops);
	return 0;
}

/* The tid that a word spells as truth would, without leading noughts or signs. */
static uint64_t tid_key(const char *word)
{
	unsigned long v = strtoul(word, NULL, 10);
	char spelt[24];

	snprintf(spelt, sizeof(spelt), "%lu", v);
	return strcmp(spelt, word) ? KEY_FOREIGN : MIN(v, KEY_FOREIGN);
}

static uint64_t claimed_key(const struct shares *s, const struct claim *x)
{
	uint32_t str = x->profile.key_str;

	if (x->type == BY_THREAD)
		return tid_key(strtab_get(s->c->strings, str));
	return s->words.of[str] == WORD_UNKNOWN ? KEY_FOREIGN : s->words.of[str];
}

static void add_claims(struct shares *s)
{
	for (size_t i = 0; i < s->c->cnt; i++) {
		const struct claim *x = &s->c->v[i];
		struct share one;

		if (x->kind != CLAIM_PROFILE)
			continue;
		one = (struct share){
			.by = x->type,
			.kind = s->kinds.of_claims[x->profile.kind_str],
			.key = claimed_key(s, x),
			.claimed = true,
			.v = (long double)x->profile.v / (x->has & HAS_IP ? x->profile.ip : 1),
		};
		add(s, one);
		if (one.by != BY_PAIR)
			continue;
		one.by = BY_NAMES;
		add(s, one);
	}
}

static struct ratio tv_distance(const struct share *v, size_t cnt)
{
	long double total[2] = {0, 0};
	long double part[2] = {0, 0};
	long double sum = 0;

	for (size_t i = 0; i < cnt; i++)
		total[v[i].claimed] += v[i].v;
	if (!(total[0] > 0) || !(total[1] > 0))
		return (struct ratio){};
	for (size_t i = 0; i < cnt; i++) {
		/* mutant: equivalent because the sign of both sides is lost in fabsl */
		part[v[i].claimed] += v[i].v;
		if (i + 1 < cnt && v[i + 1].key == v[i].key)
			continue;
		sum += fabsl(part[0] / total[0] - part[1] / total[1]);
		part[0] = part[1] = 0;
	}
	return ratio_known((double)(sum / 2));
}

/* Of who knows the true keys and nothing more. */
static struct ratio even_distance(const struct share *v, size_t cnt)
{
	long double total = 0, part = 0, sum = 0;
	size_t keys = 0;

	for (size_t i = 0; i < cnt; i++)
		if (!v[i].claimed) {
			total += v[i].v;
			keys += !i || v[i - 1].key != v[i].key;
		}
	if (!(total > 0))
		return (struct ratio){};
	for (size_t i = 0; i < cnt; i++) {
		if (v[i].claimed)
			continue;
		part += v[i].v;
		if (i + 1 < cnt && v[i + 1].key == v[i].key && !v[i + 1].claimed)
			continue;
		sum += fabsl(part / total - 1 / (long double)keys);
		part = 0;
	}
	return ratio_known((double)(sum / 2));
}

/* The line by pair of the same claims is about the pairs that are nearer, of threads or names. */
static void score_names(const struct profile_score *names, struct attribution_score *ret)
{
	struct profile_score *x = ret->profile;

	/* there is one, of the same claims, and lines by pair come first */
	while (x->by != BY_PAIR || x->kind != names->kind)
		x++;
	if (names->tv_distance.has &&
	    (!x->tv_distance.has || names->tv_distance.v < x->tv_distance.v)) {
		x->tv_distance = names->tv_distance;
		x->even_distance = names->even_distance;
	}
}

static void score_line(const struct shares *s, const struct share *v, size_t cnt,
		       struct attribution_score *ret)
{
	struct profile_score line = {.by = v->by,
				     .kind = s->kinds.v[v->kind],
				     .tv_distance = tv_distance(v, cnt),
				     .even_distance = even_distance(v, cnt)};

	for (size_t i = 0; i < cnt; i++)
		line.claims += v[i].claimed;
	if (line.claims && line.by == BY_NAMES)
		score_names(&line, ret);
	else if (line.claims)
		ret->profile[ret->profile_cnt++] = line;
}

static int score_lines(struct shares *s, struct attribution_score *ret)
{
	size_t begin = 0;

	ret->profile = array_new((size_t)PROFILE_BY_CNT * s->kinds.cnt, sizeof(*ret->profile));
	if (!ret->profile)
		return -ENOMEM;
	qsort(s->v, s->cnt, sizeof(*s->v), share_cmp);
	/* mutant 0: equivalent because a line of no shares is not printed */
	for (size_t i = 1; i <= s->cnt; i++) {
		if (i < s->cnt && s->v[i].by == s->v[begin].by && s->v[i].kind == s->v[begin].kind)
			continue;
		score_line(s, &s->v[begin], i - begin, ret);
		begin = i;
	}
	return 0;
}

int score_profiles(const struct truth *t, const struct claims *c, struct attribution_score *ret)
{
	struct shares s = {.t = t, .c = c};
	/* mutant 3: equivalent because more room than that does no harm */
	size_t room = 2 * (t->costs_cnt + claims_count(c, CLAIM_PROFILE)) + t->ops_cnt;
	int err = cost_kinds(t, c, CLAIM_PROFILE, &s.kinds);

	if (!err)
		err = words_map(t, c, &s.words);
	s.v = array_new(room, sizeof(*s.v));
	if (!err)
		err = s.v ? add_truth(&s) : -ENOMEM;
	if (!err) {
		add_claims(&s);
		err = score_lines(&s, ret);
	}
	free(s.v);
	free(s.words.of);
	wordlist_free(&s.kinds);
	return err;
}
