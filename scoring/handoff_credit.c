/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims that compete for handoffs: the maximum matching, and what follows for each. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/handoff_run.h"
#include "scoring/match.h"

/*
 * Competition is nearly always for one handoff: two claims mean it, and nobody means another. Such
 * bids are settled in one pass, the best of each handoff wins. Only bids that could be credited
 * with several handoffs, or whose src observation meets several of which one alone may be credited,
 * and those that compete with them, go through the matching.
 */

/* A claim with S ∩ D not empty. */
struct bid {
	double conf;
	size_t edge; /* first of its handoffs with two ends: places in book.handoff */
	uint32_t claim, edge_cnt;
	uint32_t seen;	/* its src observation; HX_NONE: which means no other handoff */
	uint32_t group; /* of the matching, if hard */
	uint16_t marks;
	bool by_ready;
	bool free; /* all of S ∩ D is multishot, coalesced or fanout */
	bool hard; /* goes through the matching */
};

/* One src observation: type, key value, tid, t. */
struct seen {
	uint64_t v, t;
	uint32_t tid, place, group;
	uint8_t type;
	bool comparable;
	bool mixed; /* its bids mean several handoffs */
	bool free;
};

/* A handoff at stake. */
struct stake {
	uint32_t h, best; /* best: bid, HX_NONE: none */
	bool hard;
};

/* In run.owner: the handoff is at stake, the rest is its place in book.handoff. */
enum { STAKED = 1u << 31 };

struct book {
	struct run *r;
	struct worker *w; /* for its place on the line of time */
	enum score_level level;
	struct ends ends;
	struct bid *bid;
	struct seen *seen;
	struct stake *stake;
	size_t cnt, cap, seen_cnt, seen_cap, stake_cnt, stake_cap;
	uint32_t *slot; /* of seen, open addressing: place + 1 */
	size_t slots;
	struct list to; /* edges of all bids: places of stakes */
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

/* Equal bids: the greater conf, then the order of preference, then the earlier claim. */
static bool better(const struct book *k, const struct bid *a, const struct bid *b)
{
	const struct claim *v = k->r->c->v;
	int order;

	if (a->conf != b->conf)
		return a->conf > b->conf;
	order = compare_claims(&v[a->claim], &v[b->claim]);
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
	if (k->ends.sd.cnt == 1 && !shares_src(&k->r->x, p, k->ends.sd.v[0]))
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
	struct bid b = {.claim = claim, .conf = conf_of(c)};
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

/* ---- the matching of hard bids ---- */

struct hard {
	struct book *k;
	struct bid *bid; /* by preference */
	size_t cnt, stakes_cnt;
	uint32_t *by_truth; /* stakes in the order of truth */
	uint32_t *number;   /* stake → its place there */
	uint32_t *to;
	uint32_t groups;
	struct match_claim *claim;
	uint32_t *got;
};

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

static int compare_stakes(const void *x, const void *y, void *arg)
{
	const struct stake *v = arg;
	const struct stake *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];

	ORDER(a->h, b->h);
	return 0;
}

static int hard_alloc(struct hard *d, struct book *k)
{
	*d = (struct hard){.k = k};
	d->bid = malloc((k->cnt + 1) * sizeof(*d->bid));
	d->by_truth = malloc((k->stake_cnt + 1) * sizeof(*d->by_truth));
	d->number = malloc((k->stake_cnt + 1) * sizeof(*d->number));
	d->to = malloc((k->to.cnt + 1) * sizeof(*d->to));
	d->claim = malloc((k->cnt + 1) * sizeof(*d->claim));
	d->got = malloc((k->cnt + 1) * sizeof(*d->got));
	return d->bid && d->by_truth && d->number && d->to && d->claim && d->got ? 0 : -ENOMEM;
}

static void hard_free(struct hard *d)
{
	free(d->bid);
	free(d->by_truth);
	free(d->number);
	free(d->to);
	free(d->claim);
	free(d->got);
}

static void hard_collect(struct hard *d)
{
	struct book *k = d->k;

	for (size_t i = 0; i < k->cnt; i++)
		if (k->bid[i].hard)
			d->bid[d->cnt++] = k->bid[i];
	for (size_t i = 0; i < k->stake_cnt; i++)
		if (k->stake[i].hard)
			d->by_truth[d->stakes_cnt++] = (uint32_t)i;
	if (d->cnt) {
		qsort_r(d->bid, d->cnt, sizeof(*d->bid), compare_bids, (void *)k->r->c);
		qsort_r(d->by_truth, d->stakes_cnt, sizeof(*d->by_truth), compare_stakes, k->stake);
	}
	for (size_t i = 0; i < d->stakes_cnt; i++)
		d->number[d->by_truth[i]] = (uint32_t)i;
}

static int compare_u32(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	ORDER(a, b);
	return 0;
}

/* A src observation of a kind that comes in numbers limits nobody: each bid is its own group. */
static uint32_t group_for(struct hard *d, const struct bid *b)
{
	struct seen *s = b->seen == HX_NONE ? NULL : &d->k->seen[b->seen];

	if (!s || s->free)
		return d->groups++;
	if (s->group == HX_NONE)
		s->group = d->groups++;
	return s->group;
}

static int close_hard(struct book *k)
{
	struct hard d;
	int err = hard_alloc(&d, k);
	size_t edges = 0;

	if (err)
		goto out;
	hard_collect(&d);
	for (size_t i = 0; i < d.cnt; i++) {
		const struct bid *b = &d.bid[i];

		d.claim[i] = (struct match_claim){.conf = b->conf,
						  .group = group_for(&d, b),
						  .edge_cnt = b->edge_cnt,
						  .edge = edges};
		for (uint32_t e = 0; e < b->edge_cnt; e++)
			d.to[edges + e] = d.number[k->to.v[b->edge + e]];
		qsort(d.to + edges, b->edge_cnt, sizeof(*d.to), compare_u32);
		edges += b->edge_cnt;
	}
	err = match_solve(&(struct match_problem){.claims = d.claim,
						  .claims_cnt = d.cnt,
						  .groups_cnt = d.groups,
						  .handoffs_cnt = d.stakes_cnt,
						  .to = d.to},
			  d.got);
	for (size_t i = 0; !err && i < d.cnt; i++)
		close_bid(k, &d.bid[i], d.got[i] == MATCH_NONE ? MATCH_NONE : d.by_truth[d.got[i]]);
out:
	hard_free(&d);
	return err;
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
	free(k.bid);
	free(k.seen);
	free(k.stake);
	free(k.slot);
	list_free(&k.to);
	return err;
}
