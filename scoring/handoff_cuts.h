/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a run is cut into stretches of time that can be scored one by one.
 *
 * A stretch begins where every size'th handoff does. It scores the claims all of whose known ends
 * lie in it; those with ends in two stretches (`border`) are scored with the rest, and visit the
 * stretches of their ends. A handoff begins in one stretch, and reaches the later ones in which it
 * is still in flight; whoever scores a stretch looks through its own handoffs, hands on those that
 * outlast it, and learns which reach it when all before have done so.
 *
 * Truth and claims are taken in the order of the file, which nearly always is that of time. Where
 * truth is not, whoever scores finds out, and cuts_sort is asked; claims are sorted if otherwise
 * stretches would have to read them again and again.
 *
 * Made by one thread, then shared: cuts_outlast and cuts_reach may be called from any.
 */
#ifndef ASSAY_SCORING_HANDOFF_CUTS_H
#define ASSAY_SCORING_HANDOFF_CUTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/handoff_mem.h"

struct cuts_span {
	size_t from, to;
};

/* A handoff that outlasts its stretch: its place in the order of time, when it ends. */
struct outlasting {
	uint64_t last;
	uint32_t place;
};

struct outlasts {
	struct outlasting *v;
	size_t cnt, cap;
};

struct cuts {
	const struct truth *t;
	const struct claims *c;
	struct mem *mem;
	uint32_t *order;	/* records of truth by first time; NULL: they are in that order */
	uint32_t *claim_order;	/* by the first known end; NULL: in the order of the file */
	uint32_t size, cnt;	/* handoffs of a stretch; stretches, 1: all in one */
	double in_flight;	/* handoffs, on average: an estimate */
	uint64_t *cut;		/* stretch k is [cut[k], cut[k + 1]), the last one to the end */
	struct cuts_span *span; /* in which the claims of a stretch stand, among others */
	struct list border;
	struct list visit;  /* claim · 2 + enum hx_side, stretch by stretch */
	uint32_t *visit_at; /* where those of a stretch begin */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t moved;
	struct outlasts *out, now; /* out: of each stretch; now: in flight at cut[known] */
	struct list *reach;	   /* places, ascending, of each stretch up to `known` */
	uint32_t known;
	int err;
	uint8_t *handed_on;
};

/* stretch: handoffs in each, 0: as many as fit. 0 or -errno; cuts_free in either case. Where
 * `order` is set before it is taken. */
int cuts_make(struct cuts *p, uint32_t stretch, unsigned workers);
void cuts_free(struct cuts *p);

/* Sets `order`, for a plan of which nothing else is made. 0 or -errno. */
int cuts_sort(struct cuts *p);

/* Puts records of truth, given in their own order, in that of time. 0 or -ENOMEM. */
int cuts_arrange(const struct cuts *p, struct list *records);

static inline uint32_t cuts_record(const struct cuts *p, uint32_t place)
{
	return p->order ? p->order[place] : place;
}

static inline uint32_t cuts_claim(const struct cuts *p, size_t i)
{
	return p->claim_order ? p->claim_order[i] : (uint32_t)i;
}

/* Where the own handoffs of a stretch stand. */
static inline uint32_t cuts_first(const struct cuts *p, uint32_t k)
{
	return k * p->size;
}

uint32_t cuts_end(const struct cuts *p, uint32_t k);

/* Does the life of a handoff that begins in stretch k, or its end, go beyond it? */
static inline bool cuts_outlasts(const struct cuts *p, uint32_t k, uint64_t end)
{
	return k + 1 < p->cnt &&
	       /* mutant 0: equivalent because what is left to the rest is scored there as well */
	       end >= p->cut[k + 1];
}

/* When the next stretch begins; the end of time behind the last. */
static inline uint64_t cuts_next(const struct cuts *p, uint32_t k)
{
	return k + 1 < p->cnt ? p->cut[k + 1] : UINT64_MAX;
}

/* The time of a stretch, closed; where it has none, it ends before it begins. */
static inline struct window cuts_time(const struct cuts *p, uint32_t k)
{
	if (k + 1 == p->cnt)
		return (struct window){p->cut[k], UINT64_MAX};
	if (p->cut[k] == p->cut[k + 1])
		/* mutant 2: equivalent because it holds nothing */
		return (struct window){1, 0};
	return (struct window){p->cut[k], p->cut[k + 1] - 1};
}

/* The ends that claims on the border have in stretch k, as in `visit`; the plan's own. */
static inline struct list cuts_visits(const struct cuts *p, uint32_t k)
{
	size_t from = p->visit_at[k];

	return (struct list){.v = p->visit.v + from, .cnt = p->visit_at[k + 1] - from};
}

/* Adds one. 0 or -ENOMEM. */
int outlasts_push(struct outlasts *o, const struct outlasting *x);

/* What outlasts stretch k; takes the array. Or that it failed: whoever waits learns it. 0 or -errno
 * (that of whoever failed first). */
int cuts_outlast(struct cuts *p, uint32_t k, struct outlasts *o, int err);

/* Waits until all stretches before k have handed on. 0 or -errno. */
int cuts_reach(struct cuts *p, uint32_t k, const struct list **ret);

#endif
