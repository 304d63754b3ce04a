/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims that compete for handoffs: the maximum matching, and what follows for each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static double bid_conf(const struct claim *c)
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
	const struct claim *v = k->w->r->c->v;
	int order;

	if (a->conf != b->conf)
		/* mutant >=: equivalent because they differ */
		return a->conf > b->conf;
	order = compare_preference(&v[a->claim], &v[b->claim]);
	/* mutant 1 <=: equivalent because neither order nor claims are equal then */
	return order ? order < 0 : a->claim < b->claim;
}

int bid_for(struct bids *b, const struct bid *bid, const struct claim *c, const uint32_t *to,
	    size_t cnt)
{
	/* mutant 2: equivalent because more room does no harm */
	struct bid *v = vec_grow(b->v, &b->cap, b->cnt + 1, sizeof(*v));
	int err = 0;

	if (!v)
		return -ENOMEM;
	b->v = v;
	v[b->cnt] = *bid;
	v[b->cnt].edge = b->to.cnt;
	v[b->cnt].edge_cnt = (uint32_t)cnt;
	v[b->cnt].conf = bid_conf(c);
	v[b->cnt].type = c->type;
	v[b->cnt].source = c->source;
	for (size_t i = 0; !err && i < cnt; i++)
		err = list_push(&b->to, to[i]);
	b->cnt += !err;
	return err;
}

void bids_free(struct bids *b)
{
	vec_free(b->v, b->cap, sizeof(*b->v));
	list_free(&b->to);
}

static unsigned right_flags(const struct book *k, const struct bid *b, uint32_t h)
{
	/* mutant 1: equivalent because that flag is set anyway */
	return TALLY_TWO_ENDED | (b->by_ready ? TALLY_BY_READY : 0) |
	       tally_blind(&k->w->x, k->level, h);
}

/* The claim was credited with h in passing; it is not any more, and competes. */
static int displace(struct book *k, uint32_t claim, uint32_t h)
{
	const struct claim *c = &k->w->r->c->v[claim];
	const struct truth_handoff *t = hx_rec(&k->w->x, h);
	struct bid b = {
		.claim = claim, .marks = t->marks, .by_ready = !holds(&t->dst_t, c->handoff.dst_t)};

	tally_add(k->tally, c->type, c->source, OUT_RIGHT, right_flags(k, &b, h), b.marks, -1);
	return bid_for(k->bids, &b, c, &h, 1);
}

static void set_owner(struct book *k, uint32_t h, uint32_t owner)
{
	for (unsigned on = k->levels; on; on &= on - 1)
		k->w->owner[h].of[__builtin_ctz(on)] = owner;
}

/* The place of handoff h among those at stake. */
static int stake_of(struct book *k, uint32_t h, uint32_t *ret)
{
	uint32_t had = k->w->owner[h].of[k->level];
	struct stake *v;

	if (had & STAKED) {
		*ret = had & ~STAKED;
		return 0;
	}
	/* mutant 2: equivalent because more room does no harm */
	v = vec_grow(k->stake, &k->stake_cap, k->stake_cnt + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	k->stake = v;
	k->stake[k->stake_cnt] = (struct stake){.h = h, .best = HX_NONE};
	set_owner(k, h, STAKED | (uint32_t)k->stake_cnt);
	*ret = (uint32_t)k->stake_cnt++;
	return had ? displace(k, had - 1, h) : 0;
}

/* From handoffs to places of stakes. */
static int enter_edges(struct book *k, size_t at)
{
	size_t edge = k->bids->v[at].edge, end = edge + k->bids->v[at].edge_cnt;
	int err = 0;

	for (size_t i = edge; !err && i < end; i++) {
		uint32_t place;

		err = stake_of(k, k->bids->to.v[i], &place); /* may move the bids */
		if (!err)
			k->bids->to.v[i] = place;
	}
	return err;
}

static uint32_t *seen_slot(const struct book *k, const struct seen *s)
{
	/* mutant 19 21: equivalent because it only has to spread them */
	uint32_t hash = key_tag(s->type, s->v ^ (s->t << 20 | s->tid));
	size_t mask = k->slots - 1, i = hash & mask;

	/* mutant - 2: equivalent because half are free, and any order of places will do */
	for (; k->slot[i]; i = (i + 1) & mask) {
		const struct seen *o = &k->seen[k->slot[i] - 1];

		if (o->t == s->t && o->v == s->v && o->tid == s->tid && o->type == s->type &&
		    o->comparable == s->comparable)
			break;
	}
	return &k->slot[i];
}

static int seen_room(struct book *k)
{
	/* mutant 2: equivalent because more room does no harm */
	struct seen *v = vec_grow(k->seen, &k->seen_cap, k->seen_cnt + 1, sizeof(*v));
	uint32_t *slot;

	if (!v)
		return -ENOMEM;
	k->seen = v;
	/* mutant 1 3 - 2 <: equivalent because as long as one is free it finds the same */
	if (2 * (k->seen_cnt + 1) <= k->slots)
		return 0;
	/* mutant 5 1025: equivalent because more room does no harm */
	slot = calloc(k->slots ? 4 * k->slots : 1024, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(k->slot);
	k->slot = slot;
	/* mutant 3: equivalent because any room will do */
	k->slots = k->slots ? 4 * k->slots : 1024;
	/* mutant <=: equivalent because a place of the next one only takes room */
	for (size_t i = 0; i < k->seen_cnt; i++)
		*seen_slot(k, &k->seen[i]) = (uint32_t)i + 1;
	return 0;
}

/* Enters the bid under its src observation. */
static int enter_seen(struct book *k, struct bid *b)
{
	const struct claim *c = &k->w->r->c->v[b->claim];
	struct probe p = probe_of(&k->w->x, c);
	struct seen s = {.v = p.v,
			 .t = c->handoff.src_t,
			 .tid = c->handoff.src_tid,
			 .place = HX_NONE,
			 .group = HX_NONE,
			 .type = c->type,
			 .comparable = p.comparable,
			 .free = true};
	struct seen *o;
	uint32_t *slot;
	int err;

	b->seen = HX_NONE;
	if (!b->shared)
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
	o = &k->seen[b->seen];
	o->free = o->free && b->free;
	for (uint32_t i = 0; i < b->edge_cnt; i++) {
		uint32_t place = k->bids->to.v[b->edge + i];
		bool other = o->place != place;

		/* mutant == ||: equivalent because the matching settles easy ones all the same */
		o->mixed = o->mixed || (o->place != HX_NONE && other);
		o->place = place;
	}
	return 0;
}

static int open_book(struct book *k)
{
	int err = 0;

	for (size_t i = 0; !err && i < k->bids->cnt; i++) { /* grows by owners */
		err = enter_edges(k, i);
		if (!err)
			err = enter_seen(k, &k->bids->v[i]);
	}
	for (size_t i = 0; i < k->stake_cnt; i++)
		set_owner(k, k->stake[i].h, 0);
	return err;
}

static bool limited(const struct book *k, const struct bid *b)
{
	const struct seen *s = b->seen == HX_NONE ? NULL : &k->seen[b->seen];

	/* mutant 0 >=: equivalent because the matching settles easy ones all the same */
	return b->edge_cnt > 1 || (s && s->mixed && !s->free);
}

/* Who must be matched: those limited, and who competes with them. (The src observation of one who
 * merely competes means no other handoff, so nothing spreads further.) */
static void find_hard(struct book *k)
{
	for (size_t i = 0; i < k->bids->cnt; i++) {
		const struct bid *b = &k->bids->v[i];

		for (uint32_t e = 0; limited(k, b) && e < b->edge_cnt; e++)
			k->stake[k->bids->to.v[b->edge + e]].hard = true;
	}
	for (size_t i = 0; i < k->bids->cnt; i++) {
		struct bid *b = &k->bids->v[i];
		struct stake *s;

		if (!b->edge_cnt)
			continue;
		s = &k->stake[k->bids->to.v[b->edge]];
		b->hard = s->hard;
		if (!b->hard && (s->best == HX_NONE || better(k, b, &k->bids->v[s->best])))
			s->best = (uint32_t)i;
	}
}

static void close_verdict(struct book *k, const struct bid *b, uint8_t outcome, uint32_t credited)
{
	for (unsigned on = k->levels; on; on &= on - 1)
		verdict_set(k->w->r, (enum score_level)__builtin_ctz(on), b->claim, outcome,
			    credited);
}

void close_bid(struct book *k, const struct bid *b, uint32_t place)
{
	struct worker *w = k->w;
	uint32_t h;

	if (place == MATCH_NONE) {
		tally_add(k->tally, b->type, b->source, OUT_DUPLICATE, TALLY_TWO_ENDED, b->marks,
			  1);
		close_verdict(k, b, OUT_DUPLICATE, UINT32_MAX);
		return;
	}
	h = k->stake[place].h;
	/* mutant 2: equivalent because from here on only whether there is one matters */
	set_owner(k, h, b->claim + 1);
	tally_add(k->tally, b->type, b->source, OUT_RIGHT, right_flags(k, b, h),
		  hx_rec(&w->x, h)->marks, 1);
	close_verdict(k, b, OUT_RIGHT, w->x.order[h]);
}

static void close_easy(struct book *k)
{
	for (size_t i = 0; i < k->bids->cnt; i++) {
		const struct bid *b = &k->bids->v[i];
		uint32_t place = b->edge_cnt ? k->bids->to.v[b->edge] : MATCH_NONE;

		if (!b->hard)
			close_bid(k, b,
				  b->edge_cnt && k->stake[place].best == i ? place : MATCH_NONE);
	}
}

void book_free(struct book *k)
{
	vec_free(k->seen, k->seen_cap, sizeof(*k->seen));
	vec_free(k->stake, k->stake_cap, sizeof(*k->stake));
	free(k->slot);
}

/* Begins with the room that there is. */
static void book_begin(struct book *k, struct worker *w, unsigned levels)
{
	k->w = w;
	k->levels = levels;
	k->level = (enum score_level)__builtin_ctz(levels);
	k->tally = levels == ON_BOTH ? &w->plain : &w->tally[k->level];
	k->bids = &w->bids[levels];
	k->seen_cnt = k->stake_cnt = 0;
	if (k->slots)
		memset(k->slot, 0, k->slots * sizeof(*k->slot));
}

static int credit_bids(struct worker *w, unsigned levels)
{
	struct book *k = &w->book;
	int err;

	if (!w->bids[levels].cnt)
		return 0;
	book_begin(k, w, levels);
	err = open_book(k);
	if (err)
		return err;
	find_hard(k);
	close_easy(k);
	return close_hard(k);
}

/* ---- what is not alike ---- */

static bool any_split(const struct worker *w, const uint32_t *h, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (w->x.flags[h[i]] & HX_SPLIT)
			return true;
	/* mutant: equivalent because each level settles what both would alike */
	return false;
}

/* True if some were not. */
static bool split_all(struct worker *w, const uint32_t *h, size_t cnt)
{
	bool more = false;

	for (size_t i = 0; i < cnt; i++) {
		more = more || !(w->x.flags[h[i]] & HX_SPLIT);
		w->x.flags[h[i]] |= HX_SPLIT;
	}
	return more;
}

static int split_bid(struct worker *w, const struct bid *b)
{
	const struct claim *c = &w->r->c->v[b->claim];
	const uint32_t *to = w->bids[ON_BOTH].to.v + b->edge;
	int err = bid_for(&w->bids[ON_CONTEXT], b, c, to, b->edge_cnt);

	return err ? err : bid_for(&w->bids[ON_IDENTITY], b, c, to, b->edge_cnt);
}

/* What competes for a handoff that is split is settled at each level by itself. */
static int split_bids(struct worker *w, bool *more)
{
	struct bids *b = &w->bids[ON_BOTH];
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; !err && i < b->cnt; i++) {
		const uint32_t *to = b->to.v + b->v[i].edge;

		if (!any_split(w, to, b->v[i].edge_cnt)) {
			b->v[kept++] = b->v[i];
			continue;
		}
		*more = split_all(w, to, b->v[i].edge_cnt) || *more;
		err = split_bid(w, &b->v[i]);
	}
	b->cnt = kept;
	return err;
}

/* One src observation may mean any of those tied. */
static void split_ties(struct worker *w)
{
	const struct hx *x = &w->x;

	for (size_t i = 0, from = 0; i < x->ties.cnt; from = x->ties.v[i++]) {
		const uint32_t *h = x->tied.v + from;
		size_t cnt = x->ties.v[i] - from;

		if (any_split(w, h, cnt))
			split_all(w, h, cnt);
	}
}

static int split(struct worker *w)
{
	bool more;
	int err;

	do {
		more = false;
		split_ties(w);
		err = split_bids(w, &more);
	} while (!err && more);
	return err;
}

int credit(struct worker *w)
{
	int err = split(w);

	for (unsigned on = ON_CONTEXT; !err && on < ON_CNT; on++)
		err = credit_bids(w, on);
	return err;
}
