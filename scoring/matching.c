/* SPDX-License-Identifier: BSD-2-Clause */
/* Hopcroft and Karp's maximum bipartite matching, without recursion. */
#include "scoring/matching.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "scoring/arrays.h"

#define FREE UINT32_MAX

struct search {
	const struct bipartite *g;
	uint32_t *left, *right; /* partner of each node, or FREE */
	uint32_t *layer;	/* of left nodes; FREE: not reached */
	uint32_t *queue;	/* left nodes: breadth first, then the path in hand */
	size_t *next;		/* first edge of a left node that was not tried in this phase */
};

/* Layers of alternating paths from free left nodes; true if one ends in a free right node. */
static bool search_layers(struct search *s)
{
	size_t head = 0, tail = 0;
	bool found = false;

	for (size_t u = 0; u < s->g->left_cnt; u++) {
		s->next[u] = s->g->first[u];
		/* mutant 1: equivalent because layers count from anywhere */
		s->layer[u] = s->left[u] == FREE ? 0 : FREE;
		if (s->left[u] == FREE)
			s->queue[tail++] = (uint32_t)u;
	}
	while (head < tail) {
		uint32_t u = s->queue[head++];

		for (size_t e = s->g->first[u]; e < s->g->first[u + 1]; e++) {
			uint32_t w = s->right[s->g->to[e]];

			found |= w == FREE;
			if (w == FREE || s->layer[w] != FREE)
				continue;
			s->layer[w] = s->layer[u] + 1;
			s->queue[tail++] = w;
		}
	}
	return found;
}

/* Flips the path whose left nodes are queue[0 … depth], ending in the edge last tried of each. */
static void search_flip(struct search *s, size_t depth)
{
	for (size_t i = 0; i <= depth; i++) {
		uint32_t u = s->queue[i], v = s->g->to[s->next[u] - 1];

		s->left[u] = v;
		s->right[v] = u;
	}
}

/* Depth first along the layers from one free left node; true if a path was flipped. */
static bool search_augment(struct search *s, uint32_t root)
{
	size_t depth = 0;

	s->queue[0] = root;
	for (;;) {
		uint32_t u = s->queue[depth], w;

		if (s->next[u] == s->g->first[u + 1]) {
			if (!depth)
				return false;
			depth--;
			continue;
		}
		w = s->right[s->g->to[s->next[u]++]];
		if (w == FREE) {
			search_flip(s, depth);
			return true;
		}
		if (s->layer[w] == s->layer[u] + 1)
			s->queue[++depth] = w;
	}
}

static int64_t search_run(struct search *s)
{
	int64_t size = 0;

	while (search_layers(s))
		for (size_t u = 0; u < s->g->left_cnt; u++)
			if (s->left[u] == FREE && search_augment(s, (uint32_t)u))
				size++;
	return size;
}

int64_t matching_size(const struct bipartite *g)
{
	struct search s = {
		.g = g,
		.left = array_new(g->left_cnt, sizeof(*s.left)),
		.right = array_new(g->right_cnt, sizeof(*s.right)),
		.layer = array_new(g->left_cnt, sizeof(*s.layer)),
		.queue = array_new(g->left_cnt, sizeof(*s.queue)),
		.next = array_new(g->left_cnt, sizeof(*s.next)),
	};
	int64_t size = -ENOMEM;

	if (s.left && s.right && s.layer && s.queue && s.next) {
		for (size_t u = 0; u < g->left_cnt; u++)
			s.left[u] = FREE;
		for (size_t v = 0; v < g->right_cnt; v++)
			s.right[v] = FREE;
		size = search_run(&s);
	}
	free(s.left);
	free(s.right);
	free(s.layer);
	free(s.queue);
	free(s.next);
	return size;
}
