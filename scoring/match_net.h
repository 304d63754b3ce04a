/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One component of a matching as a flow network, solved by a sequence of objectives.
 *
 * Internal to match.c. Nodes: source, sink, groups, claims, handoffs; every arc carries 0 or 1:
 * source→group, group→claim, claim→handoff, handoff→sink. A flow is a matching, whatever is asked
 * of it is a sum over arcs.
 *
 * Why a sequence of objectives is exact. The state is a flow and a set of frozen arcs, with the
 * invariant: the flows that are optimal for all objectives so far are exactly those that differ
 * from the present one by residual cycles of unfrozen arcs.
 *  - Size: a flow without an augmenting path is maximum (Ford & Fulkerson 1956); two flows of one
 *    size differ by cycles. The size never changes after that, no cycle uses a return arc.
 *  - A cost: a flow has least cost if and only if no residual cycle is negative (Klein 1967).
 *    Shortest distances d are then finite; the reduced costs c(u,v) + d(u) - d(v) of residual arcs
 *    are not negative and sum to the cost of a cycle. So cycles that keep the cost use arcs of
 *    reduced cost 0 alone, and freezing the others keeps the invariant.
 *  - One arc that should carry 1: if it does, it is frozen; the optimal flows that remain are those
 *    whose difference does not use it. If it does not, a flow in which it does differs by a cycle
 *    through it: a path from its head to its tail. If there is none, it is 0 in all and is frozen.
 * A lexicographic rule over single claims or handoffs is thus one search an arc. "The greatest
 * confs, from the highest down" is no such rule where a group has several claims (giving up one
 * claim of a high conf for two of them elsewhere may pay), so each conf level is a cost there.
 *
 * Where every group has one claim the sets of claims that can be credited together are the
 * independent sets of a transversal matroid (Edmonds & Fulkerson 1965): all maximum ones can be
 * reached greedily, the highest conf first, and any best set of claims goes with any best set of
 * handoffs (Mendelsohn & Dulmage 1958), so claims may be settled before handoffs.
 */
#ifndef ASSAY_SCORING_MATCH_NET_H
#define ASSAY_SCORING_MATCH_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net_arc {
	uint32_t from, to;
	uint8_t flow, frozen;
	int8_t cost;
};

struct net {
	uint32_t groups, claims, handoffs, nodes;
	size_t arcs_cnt;
	struct net_arc *arcs;
	size_t *first;	 /* nodes + 1 offsets into inc */
	size_t *inc;	 /* arcs at each node */
	size_t *via;	 /* arc by which a search reached the node */
	uint32_t *queue; /* nodes */
	uint32_t *seen;	 /* stamp of the last search that reached the node */
	int64_t *dist;	 /* nodes */
	uint32_t stamp;
};

enum { NET_SOURCE = 0, NET_SINK = 1, NET_FIXED = 2 };

/* Arcs are numbered: groups, claims, handoffs, edges. */
static inline size_t net_claim_arc(const struct net *n, uint32_t claim)
{
	return (size_t)n->groups + claim;
}
static inline size_t net_handoff_arc(const struct net *n, uint32_t handoff)
{
	return (size_t)n->groups + n->claims + handoff;
}
static inline size_t net_edge_arc(const struct net *n, size_t edge)
{
	return (size_t)n->groups + n->claims + n->handoffs + edge;
}

/*
 * group_of: group of each claim; edges of claim i are to[first[i] … first[i + 1]). 0 or -ENOMEM.
 * The net is freed with net_free in either case.
 */
int net_init(struct net *n, uint32_t groups, uint32_t claims, uint32_t handoffs,
	     const uint32_t *group_of, const size_t *first, const uint32_t *to);
void net_free(struct net *n);

void net_maximise(struct net *n);	   /* until no path augments */
bool net_force(struct net *n, size_t arc); /* 1 if some optimum has it; then it is frozen */
void net_cheapen(struct net *n);	   /* least Σ cost over unfrozen arcs; freezes */

#endif
