/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that have ended: whoever keeps things by process looks through them once for many.
 *
 * A number is given again only after all others: a few may wait until their things are forgotten.
 */
#ifndef ASSAY_PROFILERS_ADAPTER_GONE_H
#define ASSAY_PROFILERS_ADAPTER_GONE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/evidence.h"

enum { GONE_MAX = 64, GONE_BITS = 512 };

struct gone {
	uint32_t tgid[GONE_MAX], cnt;
	uint8_t bits[GONE_BITS / 8]; /* of a number: it may be among them */
};

static inline bool gone_has(const struct gone *g, uint32_t tgid)
{
	uint32_t bit = tgid % GONE_BITS;

	if (!(g->bits[bit / 8] & 1u << bit % 8))
		return false;
	for (uint32_t i = 0; i < g->cnt; i++)
		if (g->tgid[i] == tgid)
			return true;
	return false;
}

/* True: look through all that is kept now, and then call gone_clear. */
static inline bool gone_record(struct gone *g, const struct ev_rec *r)
{
	uint32_t bit = r->tgid % GONE_BITS;

	if (r->kind == EV_PROC_FORK) /* the number is given again */
		return gone_has(g, (uint32_t)r->b);
	if (r->kind != EV_PROC_EXIT || !r->a || r->flags & EV_F_CUT || gone_has(g, r->tgid))
		return false;
	g->tgid[g->cnt++] = r->tgid;
	g->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
	return g->cnt == GONE_MAX;
}

static inline void gone_clear(struct gone *g)
{
	*g = (struct gone){.cnt = 0};
}

#endif
