/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of §5.1 that ask one window, claim or key alone: what lies where, what is scored, which
 * keys count. Pure. Internal to scoring/.
 */
#ifndef ASSAY_SCORING_HANDOFF_RULES_H
#define ASSAY_SCORING_HANDOFF_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

/* ---- windows ---- */

static inline bool holds(const struct window *w, uint64_t t)
{
	return w->t0 <= t && t <= w->t1;
}

/* The same of one that does not end before it begins. */
static inline bool spans(const struct window *w, uint64_t t)
{
	return t - w->t0 <= w->t1 - w->t0;
}

/* outer does not end before it begins. */
static inline bool within(const struct window *outer, const struct window *w)
{
	return spans(outer, w->t0) && spans(outer, w->t1);
}

static inline void widen(struct window *w, const struct window *by)
{
	/* mutant <=: equivalent because equal bounds are the same */
	w->t0 = by->t0 < w->t0 ? by->t0 : w->t0;
	/* mutant >=: equivalent because equal bounds are the same */
	w->t1 = by->t1 > w->t1 ? by->t1 : w->t1;
}

/* ---- what is scored, and how ---- */

/* Marks of which one src observation may be credited with several. */
static inline bool hx_comes_in_numbers(const struct truth_handoff *h)
{
	return h->marks & (1u << MARK_MULTISHOT | 1u << MARK_COALESCED | 1u << MARK_FANOUT);
}

/* Do all known ends lie in the window? It does not end before it begins. */
static inline bool claim_within(const struct claim *c, const struct window *w)
{
	return (!(c->has & HAS_SRC) || spans(w, c->handoff.src_t)) &&
	       (!(c->has & HAS_DST) || spans(w, c->handoff.dst_t));
}

static inline bool claim_scored(const struct truth *t, const struct claim *c)
{
	return c->kind == CLAIM_HANDOFF && claim_within(c, &t->scored);
}

static inline bool has_identity(uint8_t type)
{
	return type == HANDOFF_IO || type == HANDOFF_WORK || type == HANDOFF_TIMER;
}

static inline bool space_listed(const struct truth *t, uint8_t ns)
{
	const uint32_t none = 1u << KEY_NONE | 1u << KEY_OTHER;

	return (t->keys & ~none) >> ns & 1;
}

/* ---- tags: a few bits of what must be equal ---- */

static inline uint32_t key_tag(uint8_t type, uint64_t v)
{
	/* mutant -: equivalent because it only has to spread them */
	uint64_t x = (v + type) * UINT64_C(0x9e3779b97f4a7c15);

	/* mutant 28 29 31 33: equivalent because it only has to spread them */
	return (uint32_t)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

static inline uint16_t thread_tag(uint8_t type, uint32_t tid)
{
	/* mutant: equivalent because it only has to spread them */
	return (uint16_t)((tid + type * UINT32_C(0x85ebca6b)) * UINT32_C(2654435769) >> 16);
}

#endif
