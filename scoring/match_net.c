/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit flows: augmenting paths, forced arcs, negative cycles. */
#include "scoring/match_net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t node_group(uint32_t g)
{
	return NET_FIXED + g;
}

static uint32_t node_claim(const struct net *n, uint32_t c)
{
	return NET_FIXED + n->groups + c;
}

static uint32_t node_handoff(const struct net *n, uint32_t h)
{
	return NET_FIXED + n->groups + n->claims + h;
}

static void fill_arcs(struct net *n, const uint32_t *group_of, const size_t *first,
		      const uint32_t *to)
{
	struct net_arc *a = n->arcs;

	for (uint32_t g = 0; g < n->groups; g++)
		*a++ = (struct net_arc){.from = NET_SOURCE, .to = node_group(g)};
	for (uint32_t c = 0; c < n->claims; c++)
		*a++ = (struct net_arc){.from = node_group(group_of[c]), .to = node_claim(n, c)};
	for (uint32_t h = 0; h < n->handoffs; h++)
		*a++ = (struct net_arc){.from = node_handoff(n, h), .to = NET_SINK};
	for (uint32_t c = 0; c < n->claims; c++)
		for (size_t e = first[c]; e < first[c + 1]; e++)
			*a++ = (struct net_arc){.from = node_claim(n, c),
						.to = node_handoff(n, to[e])};
}

/* Counting sort of arcs by node; each arc stands at both of its ends. */
static void fill_incidence(struct net *n)
{
	for (size_t a = 0; a < n->arcs_cnt; a++) {
		n->first[n->arcs[a].from + 1]++;
		n->first[n->arcs[a].to + 1]++;
	}
	/* mutant 1: equivalent because nothing is before the first */
	for (uint32_t v = 0; v < n->nodes; v++)
		n->first[v + 1] += n->first[v];
	for (size_t a = n->arcs_cnt; a-- > 0;) {
		n->inc[--n->first[n->arcs[a].from + 1]] = a;
		n->inc[--n->first[n->arcs[a].to + 1]] = a;
	}
	/* first[v + 1] has sunk to the start of v: move each to its place. */
	memmove(n->first, n->first + 1, n->nodes * sizeof(*n->first));
	n->first[n->nodes] = 2 * n->arcs_cnt;
}

int net_init(struct net *n, uint32_t groups, uint32_t claims, uint32_t handoffs,
	     const uint32_t *group_of, const size_t *first, const uint32_t *to)
{
	*n = (struct net){.groups = groups, .claims = claims, .handoffs = handoffs};
	n->nodes = NET_FIXED + groups + claims + handoffs;
	n->arcs_cnt = (size_t)groups + claims + handoffs + first[claims];
	n->arcs = malloc(n->arcs_cnt * sizeof(*n->arcs));
	/* mutant 2: equivalent because more room does no harm */
	n->first = calloc((size_t)n->nodes + 1, sizeof(*n->first));
	/* mutant 3: equivalent because more room does no harm */
	n->inc = malloc(2 * n->arcs_cnt * sizeof(*n->inc));
	n->via = malloc(n->nodes * sizeof(*n->via));
	n->queue = malloc(n->nodes * sizeof(*n->queue));
	n->seen = calloc(n->nodes, sizeof(*n->seen));
	n->dist = malloc(n->nodes * sizeof(*n->dist));
	if (!n->arcs || !n->first || !n->inc || !n->via || !n->queue || !n->seen || !n->dist)
		return -ENOMEM;
	fill_arcs(n, group_of, first, to);
	fill_incidence(n);
	return 0;
}

void net_free(struct net *n)
{
	free(n->arcs);
	free(n->first);
	free(n->inc);
	free(n->via);
	free(n->queue);
	free(n->seen);
	free(n->dist);
}

/* Where arc a leads from node u in the residual network, or UINT32_MAX. */
static uint32_t residual(const struct net_arc *a, uint32_t u)
{
	if (a->frozen)
		return UINT32_MAX;
	if (a->from == u)
		return a->flow ? UINT32_MAX : a->to;
	return a->flow ? a->from : UINT32_MAX;
}

/* Breadth first from `from`; true if `to` was reached, by the arcs in via. Never uses `except`. */
static bool search(struct net *n, uint32_t from, uint32_t to, size_t except)
{
	uint32_t head = 0, tail = 0;

	n->stamp++;
	n->seen[from] = n->stamp;
	n->queue[tail++] = from;
	while (head < tail) {
		uint32_t u = n->queue[head++];

		for (size_t i = n->first[u]; i < n->first[u + 1]; i++) {
			size_t a = n->inc[i];
			uint32_t v = a == except ? UINT32_MAX : residual(&n->arcs[a], u);

			if (v == UINT32_MAX || n->seen[v] == n->stamp)
				continue;
			n->seen[v] = n->stamp;
			n->via[v] = a;
			if (v == to)
				return true;
			n->queue[tail++] = v;
		}
	}
	return false;
}

/* The other end of the arc by which v was reached. */
static uint32_t came_from(const struct net *n, uint32_t v)
{
	const struct net_arc *a = &n->arcs[n->via[v]];

	return a->to == v ? a->from : a->to;
}

static void flip_path(struct net *n, uint32_t from, uint32_t to)
{
	for (uint32_t v = to; v != from;) {
		uint32_t u = came_from(n, v);

		n->arcs[n->via[v]].flow ^= 1;
		v = u;
	}
}

void net_maximise(struct net *n)
{
	while (search(n, NET_SOURCE, NET_SINK, SIZE_MAX))
		flip_path(n, NET_SOURCE, NET_SINK);
}

bool net_force(struct net *n, size_t arc)
{
	struct net_arc *a = &n->arcs[arc];

	if (!a->frozen && !a->flow && search(n, a->to, a->from, arc)) {
		flip_path(n, a->to, a->from);
		/* mutant 2: equivalent because it is frozen, and only whether it flows matters */
		a->flow = 1;
	}
	a->frozen = 1; /* mutant 2: equivalent because only whether it is matters */
	return a->flow;
}

/* One round of Bellman and Ford; the last node whose distance fell, or UINT32_MAX. */
static uint32_t relax(struct net *n)
{
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < n->arcs_cnt; i++) {
		const struct net_arc *a = &n->arcs[i];
		uint32_t u = a->flow ? a->to : a->from, v = a->flow ? a->from : a->to;
		int64_t d = n->dist[u] + (a->flow ? -a->cost : a->cost);

		if (a->frozen || d >= n->dist[v])
			continue;
		n->dist[v] = d;
		n->via[v] = i;
		last = v;
	}
	return last;
}

/* Flips one negative cycle; false, with distances in dist, if there is none. */
static bool cancel_cycle(struct net *n)
{
	uint32_t v = UINT32_MAX, u;

	/* mutant 1: equivalent because only differences of distances matter */
	memset(n->dist, 0, n->nodes * sizeof(*n->dist));
	/* mutant 1 <: equivalent because a path has fewer arcs than there are nodes */
	for (uint32_t round = 0; round <= n->nodes; round++) {
		v = relax(n);
		if (v == UINT32_MAX)
			return false;
	}
	/* mutant 1 <=: equivalent because fewer steps reach it and more stay on it */
	for (uint32_t i = 0; i < n->nodes; i++) /* backwards onto the cycle itself */
		v = came_from(n, v);
	u = v;
	do {
		uint32_t w = came_from(n, u);

		n->arcs[n->via[u]].flow ^= 1;
		u = w;
	} while (u != v);
	return true;
}

void net_cheapen(struct net *n)
{
	while (cancel_cycle(n))
		;
	for (size_t i = 0; i < n->arcs_cnt; i++) {
		struct net_arc *a = &n->arcs[i];
		uint32_t u = a->flow ? a->to : a->from, v = a->flow ? a->from : a->to;

		if ((a->flow ? -a->cost : a->cost) + n->dist[u] - n->dist[v] > 0)
			a->frozen = 1; /* mutant 2: equivalent because only whether it is matters */
	}
}
