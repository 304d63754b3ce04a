/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be seen at all: a fixed table beside the scores, so that nobody is blamed for what no
 * observer could see. It is about the platform, never about anybody's score (contracts §5.1).
 *
 * The observer watches from outside the tracepoints and syscalls of the kernel, and, where a
 * manifest describes them, the functions of the application. A handoff can be seen at a level if
 * such an observer can place both of its ends by the rules of that level. Pure; thread-safe.
 */
#ifndef ASSAY_SCORING_VISIBILITY_H
#define ASSAY_SCORING_VISIBILITY_H

#include "lib/vocab.h"
#include "scoring/score.h"

enum visibility {
	VISIBLE_NO = 0,
	VISIBLE_YES = 1,
	/* an end shows on a kernel thread or in an interrupt alone: nothing to score in context */
	VISIBLE_KERNEL_END = 2,
};

struct visible {
	enum visibility what;
	const char *source; /* one sentence: the kernel's behaviour, or the trial that showed it */
};

#define VISIBLE_UNMARKED (-1)

/* mark: a bit number, or VISIBLE_UNMARKED for handoffs of the type that bear none. */
struct visible visibility_of(enum handoff_type type, int mark, enum score_level level);

/*
 * Marks (bits) that take a handoff of the type out of sight at the level: one of them is enough.
 * Every type can be seen where it bears none of them.
 */
uint32_t visibility_blind(enum handoff_type type, enum score_level level);

const char *visibility_name(enum visibility v); /* "no", "yes", "kernel end only" */

#endif
