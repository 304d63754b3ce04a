/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is credited: the maximum matching of claims and handoffs with the tie rule of contracts §5.1.
 *
 * A claim may be credited with any handoff of its S ∩ D; a handoff credits at most one claim, and
 * of the claims of one group (one src observation) at most one is credited. Of all matchings with
 * the most pairs the result has
 *   1. the greatest confs: the sorted confs of the credited claims, compared from the highest down;
 *   2. then the earliest handoffs: their sorted numbers, the lowest list;
 *   3. then the first claims: their sorted numbers, the lowest list;
 *   4. then, so that nothing is left open, each credited claim, in order, has the earliest handoff.
 * Claims and handoffs are numbered by the caller: claims in the order of preference, handoffs in
 * the order of truth. The result depends on nothing else. Polynomial: components are solved one by
 * one, a component of C claims, H handoffs and E edges in O((C + H + E) · E), times the number of
 * distinct confs and of nodes only where a group has several claims with several confs.
 */
#ifndef ASSAY_SCORING_MATCH_H
#define ASSAY_SCORING_MATCH_H

#include <stddef.h>
#include <stdint.h>

#define MATCH_NONE UINT32_MAX

struct match_claim {
	double conf;
	uint32_t group;	   /* less than groups_cnt */
	uint32_t edge_cnt; /* at least 1 */
	size_t edge;	   /* first of its edges in `to` */
};

struct match_problem {
	const struct match_claim *claims;
	size_t claims_cnt, groups_cnt, handoffs_cnt;
	const uint32_t *to; /* handoffs of each claim, ascending, no number twice */
};

/* ret: claims_cnt handoffs, MATCH_NONE: not credited. 0 or -ENOMEM. */
int match_solve(const struct match_problem *p, uint32_t *ret);

#endif
