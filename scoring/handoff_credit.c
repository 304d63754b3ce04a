/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims that compete for handoffs: the maximum matching, and what follows for each. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff_book.h"

/*
 * Competition is nearly always for one handoff: two claims mean it, and nobody means another. Such
 * bids are settled in one pass, the best of each handoff wins. Only bids that could be credited
 * with several handoffs, or whose src observation meets several of which one alone may be credited,
 * and those that compete with them, go through the matching.
 */

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

double bid_conf(const struct claim *c)
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

int compare_preference(const struct claim *a, const struct claim *b)
{
	int keys;

	ORDER(a->handoff.src_tid, b->handoff.src_tid);
	ORDER(a->handoff.src_t, b->handoff.src_t);
	ORDER(a->handoff.dst_tid, b->handoff.dst_tid);
	ORDER(a->handoff.dst_t, b->handoff.dst_t);
	keys = compare_keys(a, b);
	if (keys)
		return keys;
	ORDER(bid_conf(b), bid_conf(a));
	ORDER(a->source, b->source);
	ORDER(a->how, b->how);
	ORDER(a->has, b->has);
	ORDER(a->handoff.gen, b->handoff.gen);
	return 0;
}

/* Equal bids: the greater conf, then the order of preference, then the earlier claim. */
static bool better(const struct book *k, const struct bid *a, const struct bid *b)
{
	const struct claim *v = k->r->c->v;
	int order;

	if (a->conf != b->conf)
		return a->conf > b->conf;
	order = compare_preference(&v[a->claim], &v[b->claim]);
	return order ? order < 0 : a->claim < b->claim;
}

/* The place of handoff h among those at stake; who had it alone competes as well. */
static int stake_of(struct book *k, uint32_t h, uint32_t *ret)
{
	uint32_t had = owner_of(k->r, k->level, h);
	struct stake *v;

	if (had & STAKED) {
		*ret = had & ~STAKED;
		return 0;
	}
	v = vec_grow(k->stake, &k->stake_cap, k->stake_cnt + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	k->stake = v;
	k->stake[k->stake_cnt] = (struct stake){.h = h, .best = HX_NONE};
	owner_set(k->r, k->level, h, STAKED | (uint32_t)k->stake_cnt);
	*ret = (uint32_t)k->stake_cnt++;
	return had ? list_push(&k->r->contested[k->level], had - 1) : 0;
}

static int add_edges(struct book *k, struct bid *b)
{
	const struct list *sd = &k->ends.sd;
	int err = 0;

	b->edge = k->to.cnt;
	b->free = true;
	for (size_t i = 0; !err && i < sd->cnt; i++) {
		uint32_t h = sd->v[i], place;

		k->r->heard[k->level][h] |= HEARD_TWO;
		b->free = b->free && hx_comes_in_numbers(&k->r->t->handoffs[h]);
		if ((k->r->x.flags[h] & HX_BOTH) != HX_BOTH)
			continue;
		err = stake_of(k, h, &place);
		if (!err)
			err = list_push(&k->to, place);
	}
	b->edge_cnt = (uint32_t)(k->to.cnt - b->edge);
	return err;
}

static uint32_t *seen_slot(const struct book *k, const struct seen *s)
{
	uint32_t hash = key_tag(s->type, s->v ^ (s->t << 20 | s->tid));
	size_t i = hash & (k->slots - 1);

	for (; k->slot[i]; i = (i + 1) & (k->slots - 1)) {
		const struct seen *o = &k->seen[k->slot[i] - 1];

		if (o->t == s->t && o->v == s->v && o->tid == s->tid && o->type == s->type &&
		    o->comparable == s->comparable)
			break;
	}
	return &k->slot[i];
}

static int seen_room(struct book *k)
{
	struct seen *v = vec_grow(k->seen, &k->seen_cap, k->seen_cnt + 1, sizeof(*v));
	uint32_t *slot;

	if (!v)
		return -ENOMEM;
	k->seen = v;
	if (2 * (k->seen_cnt + 1) <= k->slots)
		return 0;
	slot = calloc(k->slots ? 4 * k->slots : 1024, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(k->slot);
	k->slot = slot;
	k->slots = k->slots ? 4 * k->slots : 1024;
	for (size_t i = 0; i < k->seen_cnt; i++)
		*seen_slot(k, &k->seen[i]) = (uint32_t)i + 1;
	return 0;
}

/* Enters the bid under its src observation. */
static int add_seen(struct book *k, const struct claim *c, struct bid *b)
{
	const struct probe *p = &k->ends.probe;
	struct seen s = {.v = p->v,
			 .t = c->handoff.src_t,
			 .tid = c->handoff.src_tid,
			 .place = HX_NONE,
			 .group = HX_NONE,
			 .type = c->type,
			 .comparable = p->comparable,
			 .free = true};
	uint32_t *slot;
	int err;

	b->seen = HX_NONE;
	if (k->ends.sd.cnt == 1 && !shares_src(k->w, c, p, k->ends.sd.v[0]))
		return 0;
	err = seen_room(k);
	if (err)
		return err;
	slot = seen_slot(k, &s);
	if (!*slot) {
		k->seen[k->seen_cnt] = s;
		*slot = (uint32_t)++k->seen_cnt;
	}
	b->seen = *slot - 1;
	k->seen[b->seen].free = k->seen[b->seen].free && b->free;
	for (uint32_t i = 0; i < b->edge_cnt; i++) {
		struct seen *o = &k->seen[b->seen];

		o->mixed = o->mixed || (o->place != HX_NONE && o->place != k->to.v[b->edge + i]);
		o->place = k->to.v[b->edge + i];
	}
	return 0;
}

/* S ∩ D into the ends, found in the way in which the claim was judged. */
static int bid_view(struct book *k, const struct claim *c, struct view *ret)
{
	uint32_t h = plain_match(k->w, c);
	int err;

	if (h == HX_NONE) {
		err = ends_init(&k->ends, &k->r->x, c);
		return err ? err : ends_view(&k->ends, &k->r->x, k->level, ret);
	}
	k->ends.probe = probe_of(&k->r->x, c);
	k->ends.sd.cnt = 0;
	*ret = (struct view){
		.near = true,
		.far = true,
		.by_ready = !holds(&k->r->t->handoffs[h].dst_t, c->handoff.dst_t),
		.marks = k->r->t->handoffs[h].marks,
	};
	return list_push(&k->ends.sd, h);
}

static unsigned right_flags(const struct book *k, const struct bid *b, uint32_t h)
{
	return TALLY_TWO_ENDED | (b->by_ready ? TALLY_BY_READY : 0) |
	       tally_blind(&k->r->x, k->level, h);
}

/* had: the claim was credited in passing; it is not any more. */
static int add_bid(struct book *k, uint32_t claim, bool had)
{
	const struct claim *c = &k->r->c->v[claim];
	struct bid *grown = vec_grow(k->bid, &k->cap, k->cnt + 1, sizeof(*k->bid));
	struct bid b = {.claim = claim, .conf = bid_conf(c)};
	struct view v;
	int err;

	if (!grown)
		return -ENOMEM;
	k->bid = grown;
	err = bid_view(k, c, &v);
	if (!err)
		err = add_edges(k, &b);
	if (!err)
		err = add_seen(k, c, &b);
	if (err)
		return err;
	b.marks = v.marks;
	b.by_ready = v.by_ready;
	if (had)
		tally_add(&k->r->tally[k->level], c, OUT_RIGHT, right_flags(k, &b, k->ends.sd.v[0]),
			  b.marks, -1);
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
	for (size_t i = 0; i < k->stake_cnt; i++)
		owner_set(k->r, k->level, k->stake[i].h, 0);
	return err;
}

static bool limited(const struct book *k, const struct bid *b)
{
	const struct seen *s = b->seen == HX_NONE ? NULL : &k->seen[b->seen];

	return b->edge_cnt > 1 || (s && s->mixed && !s->free);
}

/* Who must be matched: those limited, and who competes with them. (The src observation of one who
 * merely competes means no other handoff, so nothing spreads further.) */
static void find_hard(struct book *k)
{
	for (size_t i = 0; i < k->cnt; i++) {
		const struct bid *b = &k->bid[i];

		for (uint32_t e = 0; limited(k, b) && e < b->edge_cnt; e++)
			k->stake[k->to.v[b->edge + e]].hard = true;
	}
	for (size_t i = 0; i < k->cnt; i++) {
		struct bid *b = &k->bid[i];
		struct stake *s;

		if (!b->edge_cnt)
			continue;
		s = &k->stake[k->to.v[b->edge]];
		b->hard = s->hard;
		if (!b->hard && (s->best == HX_NONE || better(k, b, &k->bid[s->best])))
			s->best = (uint32_t)i;
	}
}

void close_bid(struct book *k, const struct bid *b, uint32_t place)
{
	struct run *r = k->r;
	const struct claim *c = &r->c->v[b->claim];
	uint32_t h;

	if (place == MATCH_NONE) {
		tally_add(&r->tally[k->level], c, OUT_DUPLICATE, TALLY_TWO_ENDED, b->marks, 1);
		verdict_set(r, k->level, b->claim, OUT_DUPLICATE, UINT32_MAX);
		return;
	}
	h = k->stake[place].h;
	owner_set(r, k->level, h, b->claim + 1);
	tally_add(&r->tally[k->level], c, OUT_RIGHT, right_flags(k, b, h), r->t->handoffs[h].marks,
		  1);
	verdict_set(r, k->level, b->claim, OUT_RIGHT, h);
}

static void close_easy(struct book *k)
{
	for (size_t i = 0; i < k->cnt; i++) {
		const struct bid *b = &k->bid[i];
		uint32_t place = b->edge_cnt ? k->to.v[b->edge] : MATCH_NONE;

		if (!b->hard)
			close_bid(k, b,
				  b->edge_cnt && k->stake[place].best == i ? place : MATCH_NONE);
	}
}

int credit(struct run *r, struct worker *w, enum score_level level)
{
	struct book k = {.r = r, .w = w, .level = level};
	int err = open_book(&k);

	if (!err && k.cnt) {
		find_hard(&k);
		close_easy(&k);
		err = close_hard(&k);
	}
	ends_free(&k.ends);
	vec_free(k.bid, k.cap, sizeof(*k.bid));
	vec_free(k.seen, k.seen_cap, sizeof(*k.seen));
	vec_free(k.stake, k.stake_cap, sizeof(*k.stake));
	free(k.slot);
	list_free(&k.to);
	return err;
}
