/* SPDX-License-Identifier: BSD-2-Clause */
/* The matching of hard bids. */
#include <errno.h>
#include <stdlib.h>

#include "scoring/arrays.h"
#include "scoring/handoff_book.h"

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

struct hard {
	struct book *k;
	struct preferred *bid; /* by preference */
	size_t cnt, stakes_cnt;
	uint32_t *by_truth; /* stakes in the order of truth */
	uint32_t *number;   /* stake → its place there */
	uint32_t *to;
	uint32_t groups;
	struct match_claim *claim;
	uint32_t *got;
};

/* A hard bid in the order of preference; the first of what decides is at hand, since claims are
 * far apart. */
struct preferred {
	uint64_t src_t;
	uint32_t src_tid, bid;
};

static int compare_preferred(const void *x, const void *y, void *arg)
{
	const struct book *k = arg;
	const struct claim *v = k->w->r->c->v;
	const struct preferred *a = x, *b = y;
	int order;

	ORDER(a->src_tid, b->src_tid);
	ORDER(a->src_t, b->src_t);
	order = compare_preference(&v[k->bids->v[a->bid].claim], &v[k->bids->v[b->bid].claim]);
	if (order)
		return order;
	ORDER(k->bids->v[a->bid].claim, k->bids->v[b->bid].claim);
	return 0; /* mutant 1: equivalent because no two bids are of one claim */
}

static int compare_stakes(const void *x, const void *y, void *arg)
{
	const struct book *k = arg;
	const uint32_t *record = k->w->x.order;
	const struct stake *a = &k->stake[*(const uint32_t *)x];
	const struct stake *b = &k->stake[*(const uint32_t *)y];

	ORDER(record[a->h], record[b->h]);
	return 0; /* mutant 1: equivalent because no handoff is there twice */
}

static int hard_alloc(struct hard *d, struct book *k)
{
	*d = (struct hard){.k = k};
	d->bid = array_new(k->bids->cnt, sizeof(*d->bid));
	d->by_truth = array_new(k->stake_cnt, sizeof(*d->by_truth));
	d->number = array_new(k->stake_cnt, sizeof(*d->number));
	d->to = array_new(k->bids->to.cnt, sizeof(*d->to));
	d->claim = array_new(k->bids->cnt, sizeof(*d->claim));
	d->got = array_new(k->bids->cnt, sizeof(*d->got));
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

	for (size_t i = 0; i < k->bids->cnt; i++)
		if (k->bids->v[i].hard) {
			const struct claim *c = &k->w->r->c->v[k->bids->v[i].claim];

			d->bid[d->cnt++] = (struct preferred){.src_t = c->handoff.src_t,
							      .src_tid = c->handoff.src_tid,
							      .bid = (uint32_t)i};
		}
	for (size_t i = 0; i < k->stake_cnt; i++)
		if (k->stake[i].hard)
			d->by_truth[d->stakes_cnt++] = (uint32_t)i;
	if (d->cnt) {
		qsort_r(d->bid, d->cnt, sizeof(*d->bid), compare_preferred, k);
		qsort_r(d->by_truth, d->stakes_cnt, sizeof(*d->by_truth), compare_stakes, k);
	}
	/* mutant 1: equivalent because the first has number 0 as it is */
	for (size_t i = 0; i < d->stakes_cnt; i++)
		d->number[d->by_truth[i]] = (uint32_t)i;
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

int close_hard(struct book *k)
{
	struct hard d;
	int err = hard_alloc(&d, k);
	size_t edges = 0;

	if (err)
		goto out;
	hard_collect(&d);
	for (size_t i = 0; i < d.cnt; i++) {
		const struct bid *b = &k->bids->v[d.bid[i].bid];

		d.claim[i] = (struct match_claim){.conf = b->conf,
						  .group = group_for(&d, b),
						  .edge_cnt = b->edge_cnt,
						  .edge = edges};
		for (uint32_t e = 0; e < b->edge_cnt; e++)
			d.to[edges + e] = d.number[k->bids->to.v[b->edge + e]];
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
		close_bid(k, &k->bids->v[d.bid[i].bid],
			  d.got[i] == MATCH_NONE ? MATCH_NONE : d.by_truth[d.got[i]]);
out:
	hard_free(&d);
	return err;
}
