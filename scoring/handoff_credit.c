/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims that compete for handoffs: the maximum matching, and what follows for each. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff_run.h"
#include "scoring/match.h"

/* A claim with S ∩ D not empty. */
struct bid {
	uint32_t claim, group, edge_cnt;
	size_t edge; /* first of its handoffs with two ends */
	uint16_t marks;
	bool by_ready;
	bool free; /* all of S ∩ D is multishot, coalesced or fanout */
};

struct book {
	struct run *r;
	enum score_level level;
	struct ends ends;
	struct bid *bid;
	size_t cnt, cap;
	struct list to;	      /* handoffs of all bids */
	struct list handoffs; /* the same, sorted, each once */
	uint32_t groups;
};

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static double conf_of(const struct claim *c)
{
	return c->has & HAS_CONF ? c->handoff.conf : 1;
}

static int compare_keys(const struct claim *a, const struct claim *b)
{
	ORDER(a->has & HAS_KEY, b->has & HAS_KEY);
	ORDER(a->ns, b->ns);
	ORDER(a->has & HAS_SCOPE, b->has & HAS_SCOPE);
	ORDER(a->handoff.key_scope, b->handoff.key_scope);
	ORDER(a->handoff.key_v, b->handoff.key_v);
	return 0;
}

/* The order of preference; claims that are equal in it are equal in all that is counted. */
static int compare_claims(const struct claim *a, const struct claim *b)
{
	int keys;

	ORDER(a->handoff.src_tid, b->handoff.src_tid);
	ORDER(a->handoff.src_t, b->handoff.src_t);
	ORDER(a->handoff.dst_tid, b->handoff.dst_tid);
	ORDER(a->handoff.dst_t, b->handoff.dst_t);
	keys = compare_keys(a, b);
	if (keys)
		return keys;
	ORDER(conf_of(b), conf_of(a));
	ORDER(a->source, b->source);
	ORDER(a->how, b->how);
	ORDER(a->has, b->has);
	ORDER(a->handoff.gen, b->handoff.gen);
	return 0;
}

static int compare_bids(const void *x, const void *y, void *arg)
{
	const struct claim *v = ((const struct claims *)arg)->v;
	const struct bid *a = x, *b = y;
	int order = compare_claims(&v[a->claim], &v[b->claim]);

	if (order)
		return order;
	ORDER(a->claim, b->claim);
	return 0;
}

/* Type, key value, tid, t: one src observation. */
static int compare_src(const struct hx *x, const struct claim *a, const struct claim *b)
{
	struct probe p = probe_of(x, a), q = probe_of(x, b);

	ORDER(a->type, b->type);
	ORDER(p.comparable, q.comparable);
	ORDER(p.v, q.v);
	ORDER(a->handoff.src_tid, b->handoff.src_tid);
	ORDER(a->handoff.src_t, b->handoff.src_t);
	return 0;
}

static int compare_places(const void *x, const void *y, void *arg)
{
	const struct book *k = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct claim *v = k->r->c->v;
	int order = compare_src(&k->r->x, &v[k->bid[a].claim], &v[k->bid[b].claim]);

	if (order)
		return order;
	ORDER(a, b);
	return 0;
}

static int compare_u32(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	ORDER(a, b);
	return 0;
}

/* Who had the handoff alone competes as well. */
static int call_owner(struct book *k, uint32_t h)
{
	_Atomic(uint32_t) *owner = &k->r->owner[k->level][h];
	uint32_t claim = *owner;

	*owner = 0;
	return claim ? list_push(&k->r->contested[k->level], claim - 1) : 0;
}

static int add_edges(struct book *k, struct bid *b)
{
	const uint16_t many = 1u << MARK_MULTISHOT | 1u << MARK_COALESCED | 1u << MARK_FANOUT;
	const struct list *sd = &k->ends.sd;
	int err = 0;

	b->edge = k->to.cnt;
	b->free = true;
	for (size_t i = 0; !err && i < sd->cnt; i++) {
		uint32_t h = sd->v[i];

		k->r->heard[k->level][h] |= HEARD_TWO;
		b->free = b->free && (k->r->t->handoffs[h].marks & many);
		if ((k->r->x.flags[h] & HX_BOTH) != HX_BOTH)
			continue;
		err = list_push(&k->to, h);
		if (!err)
			err = call_owner(k, h);
	}
	b->edge_cnt = (uint32_t)(k->to.cnt - b->edge);
	if (b->edge_cnt)
		qsort(k->to.v + b->edge, b->edge_cnt, sizeof(uint32_t), compare_u32);
	return err;
}

/* had: the claim was credited in passing; it is not any more. */
static int add_bid(struct book *k, uint32_t claim, bool had)
{
	const struct claim *c = &k->r->c->v[claim];
	struct bid *grown = vec_grow(k->bid, &k->cap, k->cnt + 1, sizeof(*k->bid));
	struct bid b = {.claim = claim};
	struct view v;
	int err;

	if (!grown)
		return -ENOMEM;
	k->bid = grown;
	err = ends_init(&k->ends, &k->r->x, c);
	if (!err)
		err = ends_view(&k->ends, &k->r->x, k->level, &v);
	if (!err)
		err = add_edges(k, &b);
	if (err)
		return err;
	b.marks = v.marks;
	b.by_ready = v.by_ready;
	if (had)
		tally_add(&k->r->tally[k->level], c, OUT_RIGHT,
			  TALLY_TWO_ENDED | (b.by_ready ? TALLY_BY_READY : 0), b.marks, -1);
	k->bid[k->cnt++] = b;
	return 0;
}

static int open_book(struct book *k)
{
	const struct list *l = &k->r->contested[k->level];
	size_t plain = l->cnt;
	int err = 0;

	for (size_t i = 0; !err && i < l->cnt; i++) /* grows by owners */
		err = add_bid(k, l->v[i], i >= plain);
	if (!err && k->cnt)
		qsort_r(k->bid, k->cnt, sizeof(*k->bid), compare_bids, (void *)k->r->c);
	return err;
}

static void number_groups(struct book *k, const uint32_t *place)
{
	const struct claim *v = k->r->c->v;

	for (size_t i = 0, end; i < k->cnt; i = end) {
		bool free = true;
		const struct claim *a = &v[k->bid[place[i]].claim];

		for (end = i;
		     end < k->cnt && !compare_src(&k->r->x, a, &v[k->bid[place[end]].claim]); end++)
			free = free && k->bid[place[end]].free;
		for (size_t j = i; j < end; j++)
			k->bid[place[j]].group = free ? k->groups++ : k->groups;
		k->groups += !free;
	}
}

static int find_groups(struct book *k)
{
	uint32_t *place = malloc((k->cnt + 1) * sizeof(*place));

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < k->cnt; i++)
		place[i] = (uint32_t)i;
	qsort_r(place, k->cnt, sizeof(*place), compare_places, k);
	number_groups(k, place);
	free(place);
	return 0;
}

/* Replaces handoffs by their places among those at stake. */
static int number_handoffs(struct book *k)
{
	int err = 0;

	for (size_t i = 0; !err && i < k->to.cnt; i++)
		err = list_push(&k->handoffs, k->to.v[i]);
	if (err || !k->to.cnt)
		return err;
	qsort(k->handoffs.v, k->handoffs.cnt, sizeof(uint32_t), compare_u32);
	for (size_t i = 0, n = 0; i < k->to.cnt; i++) {
		if (!n || k->handoffs.v[n - 1] != k->handoffs.v[i])
			k->handoffs.v[n++] = k->handoffs.v[i];
		k->handoffs.cnt = n;
	}
	for (size_t i = 0; i < k->to.cnt; i++) {
		const uint32_t *at = bsearch(&k->to.v[i], k->handoffs.v, k->handoffs.cnt,
					     sizeof(uint32_t), compare_u32);

		k->to.v[i] = (uint32_t)(at - k->handoffs.v);
	}
	return 0;
}

static void close_bid(struct book *k, const struct bid *b, uint32_t place)
{
	struct run *r = k->r;
	const struct claim *c = &r->c->v[b->claim];
	uint32_t h;

	if (place == MATCH_NONE) {
		tally_add(&r->tally[k->level], c, OUT_DUPLICATE, TALLY_TWO_ENDED, b->marks, 1);
		verdict_set(r, k->level, b->claim, OUT_DUPLICATE, UINT32_MAX);
		return;
	}
	h = k->handoffs.v[place];
	r->owner[k->level][h] = b->claim + 1;
	tally_add(&r->tally[k->level], c, OUT_RIGHT,
		  TALLY_TWO_ENDED | (b->by_ready ? TALLY_BY_READY : 0), r->t->handoffs[h].marks, 1);
	verdict_set(r, k->level, b->claim, OUT_RIGHT, h);
}

static int close_book(struct book *k)
{
	struct match_claim *m = malloc((k->cnt + 1) * sizeof(*m));
	uint32_t *got = malloc((k->cnt + 1) * sizeof(*got));
	struct match_problem p = {.claims = m,
				  .groups_cnt = k->groups,
				  .handoffs_cnt = k->handoffs.cnt,
				  .to = k->to.v};
	int err = -ENOMEM;

	if (!m || !got)
		goto out;
	for (size_t i = 0; i < k->cnt; i++)
		if (k->bid[i].edge_cnt)
			m[p.claims_cnt++] =
				(struct match_claim){.conf = conf_of(&k->r->c->v[k->bid[i].claim]),
						     .group = k->bid[i].group,
						     .edge_cnt = k->bid[i].edge_cnt,
						     .edge = k->bid[i].edge};
	err = match_solve(&p, got);
	for (size_t i = 0, n = 0; !err && i < k->cnt; i++)
		close_bid(k, &k->bid[i], k->bid[i].edge_cnt ? got[n++] : MATCH_NONE);
out:
	free(m);
	free(got);
	return err;
}

int credit(struct run *r, enum score_level level)
{
	struct book k = {.r = r, .level = level};
	int err = open_book(&k);

	if (!err && k.cnt) {
		err = find_groups(&k);
		if (!err)
			err = number_handoffs(&k);
		if (!err)
			err = close_book(&k);
	}
	ends_free(&k.ends);
	free(k.bid);
	list_free(&k.to);
	list_free(&k.handoffs);
	return err;
}
