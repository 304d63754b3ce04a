/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits a matching problem into components and settles each by the tie rule. */
#include "scoring/match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/arrays.h"
#include "scoring/match_net.h"

/* Claims of all components, component after component, in the order of preference in each. */
struct split {
	uint32_t *parent; /* union-find over groups, then handoffs */
	uint32_t *order;  /* claims */
	size_t *start;	  /* component: first place in order; components + 1 */
	size_t cnt;
};

/* One component with numbers of its own. */
struct part {
	const struct match_problem *p;
	const uint32_t *claim; /* global claims */
	uint32_t claims, groups, handoffs;
	uint32_t *group_of; /* per claim */
	size_t *first;	    /* claims + 1 */
	uint32_t *to;
	uint32_t *handoff; /* global handoffs, ascending */
	bool single;	   /* no group has two claims */
};

static uint32_t find(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x) {
		parent[x] = parent[parent[x]];
		x = parent[x];
	}
	return x;
}

static void unite(const struct match_problem *p, uint32_t *parent)
{
	for (size_t i = 0; i < p->claims_cnt; i++) {
		const struct match_claim *c = &p->claims[i];

		for (size_t e = c->edge; e < c->edge + c->edge_cnt; e++) {
			uint32_t a = find(parent, c->group);
			uint32_t b = find(parent, (uint32_t)p->groups_cnt + p->to[e]);

			if (a != b)
				/* mutant >=: equivalent because they differ */
				parent[a > b ? a : b] = a > b ? b : a;
		}
	}
}

static void split_free(struct split *s)
{
	free(s->parent);
	free(s->order);
	free(s->start);
}

/* Counting sort of claims by component; components are numbered by their first claim. */
static int split_claims(const struct match_problem *p, struct split *s)
{
	size_t nodes = p->groups_cnt + p->handoffs_cnt;
	uint32_t *number = malloc(nodes * sizeof(*number));

	s->parent = malloc(nodes * sizeof(*s->parent));
	s->order = malloc(p->claims_cnt * sizeof(*s->order));
	/* mutant 3: equivalent because more room does no harm */
	s->start = calloc(p->claims_cnt + 2, sizeof(*s->start));
	if (!number || !s->parent || !s->order || !s->start) {
		free(number);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nodes; i++)
		s->parent[i] = (uint32_t)i;
	unite(p, s->parent);
	memset(number, 0xff, nodes * sizeof(*number));
	for (size_t i = 0; i < p->claims_cnt; i++) {
		uint32_t *k = &number[find(s->parent, p->claims[i].group)];

		if (*k == UINT32_MAX)
			*k = (uint32_t)s->cnt++;
		s->start[*k + 2]++;
	}
	/* mutant 1: equivalent because nothing is before the first */
	for (size_t k = 0; k < s->cnt; k++)
		s->start[k + 2] += s->start[k + 1];
	for (size_t i = 0; i < p->claims_cnt; i++) {
		uint32_t k = number[find(s->parent, p->claims[i].group)];

		s->order[s->start[k + 1]++] = (uint32_t)i;
	}
	free(number);
	return 0;
}

static uint32_t place_of(const uint32_t *v, uint32_t cnt, uint32_t x)
{
	const uint32_t *at = bsearch(&x, v, cnt, sizeof(*v), compare_u32);

	return (uint32_t)(at - v);
}

static void part_free(struct part *s)
{
	free(s->group_of);
	free(s->first);
	free(s->to);
	free(s->handoff);
}

/* Gives the groups and handoffs of a component numbers of its own, order kept. */
static void part_number(struct part *s, uint32_t *groups)
{
	for (uint32_t i = 0; i < s->claims; i++)
		groups[i] = s->p->claims[s->claim[i]].group;
	s->groups = (uint32_t)sort_unique_u32(groups, s->claims);
	s->single = s->groups == s->claims;
	for (uint32_t i = 0; i < s->claims; i++)
		s->group_of[i] = place_of(groups, s->groups, s->p->claims[s->claim[i]].group);
	memcpy(s->handoff, s->to, s->first[s->claims] * sizeof(*s->handoff));
	s->handoffs = (uint32_t)sort_unique_u32(s->handoff, s->first[s->claims]);
	for (size_t e = 0; e < s->first[s->claims]; e++)
		s->to[e] = place_of(s->handoff, s->handoffs, s->to[e]);
}

static int part_init(struct part *s, const struct match_problem *p, const uint32_t *claim,
		     size_t claims)
{
	uint32_t *groups = malloc(claims * sizeof(*groups));
	size_t edges = 0; /* mutant: equivalent because more room does no harm */

	*s = (struct part){.p = p, .claim = claim, .claims = (uint32_t)claims};
	for (size_t i = 0; i < claims; i++)
		edges += p->claims[claim[i]].edge_cnt;
	s->group_of = malloc(claims * sizeof(*s->group_of));
	/* mutant 2: equivalent because more room does no harm */
	s->first = malloc((claims + 1) * sizeof(*s->first));
	s->to = malloc(edges * sizeof(*s->to));
	s->handoff = malloc(edges * sizeof(*s->handoff));
	if (!groups || !s->group_of || !s->first || !s->to || !s->handoff) {
		free(groups);
		return -ENOMEM;
	}
	s->first[0] = 0;
	for (size_t i = 0; i < claims; i++) {
		const struct match_claim *c = &p->claims[claim[i]];

		memcpy(s->to + s->first[i], p->to + c->edge, c->edge_cnt * sizeof(*s->to));
		s->first[i + 1] = s->first[i] + c->edge_cnt;
	}
	part_number(s, groups);
	free(groups);
	return 0;
}

static double conf_of(const struct part *s, uint32_t i)
{
	return s->p->claims[s->claim[i]].conf;
}

/* Places of claims, the highest conf first, in the order of preference among equals. */
struct ranked {
	double conf;
	uint32_t i;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->conf != y->conf)
		/* mutant >= <=: equivalent because they differ */
		return (x->conf < y->conf) - (x->conf > y->conf);
	/* mutant >= <=: equivalent because they differ */
	return (x->i > y->i) - (x->i < y->i);
}

static struct ranked *rank_claims(const struct part *s)
{
	struct ranked *r = malloc(s->claims * sizeof(*r));

	if (!r)
		return NULL;
	for (uint32_t i = 0; i < s->claims; i++)
		r[i] = (struct ranked){.conf = conf_of(s, i), .i = i};
	qsort(r, s->claims, sizeof(*r), compare_ranked);
	return r;
}

/* Objective 1 where groups have several claims: level after level, each a cost. What was cheapened
 * before costs the same in all flows that are left. Of the last conf there are as many as the
 * maximum leaves. */
static void settle_levels(const struct part *s, struct net *n, const struct ranked *r)
{
	/* mutant <=: equivalent because it returns at the last */
	for (uint32_t i = 0, end; i < s->claims; i = end) {
		for (end = i; end < s->claims && r[end].conf == r[i].conf; end++)
			/* mutant 2: equivalent because all cost the same */
			n->arcs[net_claim_arc(n, r[end].i)].cost = -1;
		if (end == s->claims)
			return;
		net_cheapen(n);
	}
}

/* Objective 4: the pairs, once claims and handoffs are settled. */
static void settle_pairs(const struct part *s, struct net *n, uint32_t *ret)
{
	for (uint32_t i = 0; i < s->claims; i++) {
		uint32_t *got = &ret[s->claim[i]];

		if (!n->arcs[net_claim_arc(n, i)].flow)
			continue;
		/* mutant || <=: equivalent because one of its own carries the flow and no other
		 * does */
		for (size_t e = s->first[i]; *got == MATCH_NONE && e < s->first[i + 1]; e++)
			if (n->arcs[net_handoff_arc(n, s->to[e])].flow &&
			    net_force(n, net_edge_arc(n, e)))
				*got = s->handoff[s->to[e]];
	}
}

static int settle_net(const struct part *s, uint32_t *ret)
{
	struct ranked *r = rank_claims(s);
	struct net n = {};
	int err = -ENOMEM;

	if (!r || net_init(&n, s->groups, s->claims, s->handoffs, s->group_of, s->first, s->to))
		goto out;
	net_maximise(&n);
	if (s->single)
		for (uint32_t i = 0; i < s->claims; i++)
			net_force(&n, net_claim_arc(&n, r[i].i));
	else
		settle_levels(s, &n, r);
	for (uint32_t h = 0; h < s->handoffs; h++)
		net_force(&n, net_handoff_arc(&n, h));
	if (!s->single)
		/* mutant <=: equivalent because behind them is a handoff, and settled */
		for (uint32_t i = 0; i < s->claims; i++)
			net_force(&n, net_claim_arc(&n, i));
	settle_pairs(s, &n, ret);
	err = 0;
out:
	net_free(&n);
	free(r);
	return err;
}

/* One handoff, or one group: one pair; the greatest conf, the earliest handoff, the first claim. */
static void settle_one(const struct match_problem *p, const uint32_t *claim, size_t claims,
		       uint32_t *ret)
{
	uint32_t best = claim[0];

	/* mutant 0: equivalent because none is better than itself */
	for (size_t i = 1; i < claims; i++) {
		const struct match_claim *b = &p->claims[best], *c = &p->claims[claim[i]];

		if (c->conf > b->conf || (c->conf == b->conf && p->to[c->edge] < p->to[b->edge]))
			best = claim[i];
	}
	ret[best] = p->to[p->claims[best].edge];
}

static bool one_pair(const struct match_problem *p, const uint32_t *claim, size_t claims)
{
	const struct match_claim *a = &p->claims[claim[0]];
	bool group = true; /* mutant: equivalent because the net settles such as well */
	bool handoff = true;

	for (size_t i = 0; i < claims && (group || handoff); i++) {
		const struct match_claim *c = &p->claims[claim[i]];

		/* mutant !=: equivalent because the net settles such as well */
		group = group && c->group == a->group;
		handoff = handoff && c->edge_cnt == 1 && p->to[c->edge] == p->to[a->edge];
	}
	return group || handoff;
}

static int settle(const struct match_problem *p, const uint32_t *claim, size_t claims,
		  uint32_t *ret)
{
	struct part s;
	int err;

	if (one_pair(p, claim, claims)) {
		settle_one(p, claim, claims, ret);
		return 0;
	}
	err = part_init(&s, p, claim, claims);
	if (!err)
		err = settle_net(&s, ret);
	part_free(&s);
	return err;
}

int match_solve(const struct match_problem *p, uint32_t *ret)
{
	struct split s = {};
	int err;

	for (size_t i = 0; i < p->claims_cnt; i++)
		ret[i] = MATCH_NONE;
	if (!p->claims_cnt)
		return 0;
	err = split_claims(p, &s);
	for (size_t k = 0; !err && k < s.cnt; k++)
		/* mutant 2: equivalent because two components together settle as each does */
		err = settle(p, s.order + s.start[k], s.start[k + 1] - s.start[k], ret);
	split_free(&s);
	return err;
}
