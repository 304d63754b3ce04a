/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a profiler keep the adapter contract (contracts §3)? What is wrong, in plain words.
 *
 * Findings are told as they come; how many were wrong is counted. A finding is one sentence and,
 * where something is to be done, what. Nothing here scores: claims are compared with truth only to
 * tell a misunderstanding (another clock, ids of another kind, an undeclared type) from a profiler
 * that knows little. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_CONFORM_H
#define ASSAY_HARNESS_CONFORM_H

#include <stdint.h>

#include "groundtruth/truth.h"
#include "harness/command.h"
#include "lib/formats/claims.h"

enum verdict {
	VERDICT_OK = 0,
	VERDICT_NOTE = 1,    /* allowed, and probably not what its author wants */
	VERDICT_SKIPPED = 2, /* cannot be tried here, or does not apply */
	VERDICT_WRONG = 3,
	VERDICT_CNT = 4,
};

struct finding {
	enum verdict verdict;
	char what[768];
	char cure[256]; /* "": none */
};

struct conform {
	void (*tell)(const struct finding *f, void *arg);
	void *arg;
	unsigned cnt[VERDICT_CNT];
};

void conform_say(struct conform *c, enum verdict verdict, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* What describe says: nothing declared, nothing needed. */
void conform_describe(struct conform *c, const struct profiler *p, const struct machine *m);

/*
 * Claims beside the truth of the run that they speak of: declarations, clock, threads, keys.
 * where: what was run, as the user knows it. live: this machine's clocks made the times.
 * -ENOMEM only.
 */
int conform_claims(struct conform *c, const struct profiler *p, const struct claims *claims,
		   const struct truth *t, const char *where, bool live, struct diag *d);

/* ---- parts ---- */

/* Declared types one by one: keys that no handoff uses, ends too early or too late, mistaken
 * threads and directions, what was found. -ENOMEM only. */
int conform_handoffs(struct conform *c, const struct profiler *p, const struct claims *claims,
		     const struct truth *t, const char *where, struct diag *d);
/* Are all ends on one thread, or most the wrong way round? true: said, as WRONG. */
bool conform_ends(struct conform *c, const struct claims *claims, const struct truth *t,
		  const char *where);

/* ---- the clock, in conform_clock.c ---- */

/*
 * By how much the times of the claims would have to be earlier to mean something: the difference
 * between claimed ends and acts of truth on the same thread that most claims agree on, to within
 * CLOCK_GRAIN_NS. false: most agree on none.
 */
enum { CLOCK_GRAIN_NS = 50000 };
bool clock_offset(const struct claims *claims, const struct truth *t, int64_t *ret_ns);

/* The unit of which all times are whole multiples, 1000 or more; 1: none, or too few to tell. */
uint64_t clock_grain(const struct claims *claims);

/*
 * Where the ends of one type lie, a side at a time: how many on threads with acts of that side,
 * how many of these in no window of one (src.t; for dst from ready to the segment's end), and of
 * these how many after the nearest, with the middle of their distances. -ENOMEM only.
 */
struct clock_lag {
	size_t ends, outside, late;
	uint64_t middle_ns;
};
int clock_lag(const struct claims *claims, const struct truth *t, uint8_t type, bool src,
	      struct clock_lag *ret);

/* The clock of clock_gettime(2) that is ahead of CLOCK_MONOTONIC by about that much now; NULL:
 * none. */
const char *clock_ahead_by(int64_t ns);

#endif
