/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How sure the embedded profiler is, by the way in which it knows.
 *
 * Shares of right claims on the `uring` and `wake` workloads: in the clean regime none of 60,000
 * was wrong, so those are set by what a run of that length can show. Across a loss a join is wrong
 * if the end of one use of an address or thread and the begin of the next were both lost, against
 * both seen: odds (p / (1 - p))^2 at a loss rate p, which is measured as the stream goes.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_CONFIDENCE_H
#define ASSAY_PROFILERS_CAUSAL_CONFIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#define CONFIDENCE_OBSERVED 0.9999 /* address and generation; sched_waking in a wake call */
#define CONFIDENCE_ONLY	    0.999  /* the only request, message or wake that can have caused it */
#define CONFIDENCE_ORPHAN   0.9	   /* there was such an end */

struct loss {
	uint64_t seen, lost; /* dsts, records */
	uint64_t last;	     /* until when records were lost */
};

static inline void loss_seen(struct loss *l)
{
	l->seen++;
}

static inline void loss_add(struct loss *l, uint64_t t, uint64_t cnt)
{
	l->lost += cnt;
	if (t > l->last)
		l->last = t;
}

static inline bool loss_since(const struct loss *l, uint64_t t)
{
	return l->last >= t && l->last;
}

/* A handoff takes about four records: those of both ends and the calls around them. */
static inline double loss_confidence(const struct loss *l)
{
	double seen = 4.0 * (double)l->seen + 1, odds = (double)l->lost / seen;

	return 1 / (1 + odds * odds);
}

#endif
