/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maximum matching of a bipartite graph.
 *
 * Hopcroft & Karp 1973, "An n^(5/2) algorithm for maximum matchings in bipartite graphs", SIAM J.
 * Comput. 2(4): phases of a breadth-first layering and vertex-disjoint shortest augmenting paths,
 * O(edges · √nodes). Only the size is promised; which of several maximum matchings comes out
 * depends on the order of the nodes.
 */
#ifndef ASSAY_SCORING_MATCHING_H
#define ASSAY_SCORING_MATCHING_H

#include <stddef.h>
#include <stdint.h>

struct bipartite {
	size_t left_cnt, right_cnt;
	const size_t *first; /* left_cnt + 1 offsets into `to` */
	const uint32_t *to;  /* right nodes */
};

/* Number of pairs in a maximum matching, or -ENOMEM. */
int64_t matching_size(const struct bipartite *g);

#endif
