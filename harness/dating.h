/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a joiner dates its doubts as one who looked on would have had them (contracts §5.4).
 *
 * What is said off-line of a moment must have been there to say at that moment. So the joiner is
 * started again with the evidence up to a moment and no more, and must doubt of each descriptor
 * what it doubted of the whole up to then: the state that is in force as the scorer has it, whether
 * it came with a reason, and p_stale, where that is above one half, within DATING_P_SLACK. Who says
 * nothing of a descriptor calls it validated. Descriptors that truth doesn't list count nowhere.
 *
 * It is asked where it doubted a descriptor, or doubted it more: at DATING_CHECKS such moments at
 * most, one drawn from each of as many equal parts of them, and always at the last. Besides, one in
 * DATING_SAMPLE is asked at a moment drawn from all: else one who sees that evidence is cut could
 * doubt everything there and be right about every date.
 *
 * Where it says otherwise, nothing shows that a doubt was there before all was over: its health
 * claims count from the end of what is scored, but for what it says of the evidence up to the
 * beginning, and up to the moment at which it was asked. So a doubt that was dated back gains
 * nothing by it, and one that is raised of a part of the evidence alone stands. Nothing but dates
 * is lost: claims keep their order, in the last DATING_ROOM_NS at most.
 *
 * Only a run that ended by itself is held against it. Where one was ended, or could not be started
 * apart from all else, its dates stay as they are and are not known to hold.
 *
 * Nothing is kept between calls; not thread-safe.
 */
#ifndef ASSAY_HARNESS_DATING_H
#define ASSAY_HARNESS_DATING_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/diag.h"
#include "lib/formats/claims.h"

enum { DATING_CHECKS = 4, DATING_SAMPLE = 8, DATING_ROOM_NS = 100000 };
#define DATING_P_SLACK 0.1

/* How a run with a part of the evidence ended, where it said nothing. */
enum { DATING_SILENT = 1, DATING_UNASKED = 2 };

struct dating {
	/* Joins the evidence up to `until`, ns. 0 and *ret, to be freed with claims_free;
	 * DATING_SILENT: it failed by itself; DATING_UNASKED: it was ended, or not started; a
	 * negative errno where the run cannot go on. */
	int (*join)(void *arg, uint64_t until, struct claims *ret, struct diag *d);
	void *arg;
	const struct truth *truth; /* what is scored, and of which descriptors */
	uint64_t draw;		   /* a number that nobody knows beforehand */
};

enum dating_verdict { DATES_HOLD, DATES_FAIL, DATES_UNKNOWN };

/* *ret_moment: the moment at which it was asked last; untouched where it was not. */
int dating_check(const struct dating *s, const struct claims *whole, enum dating_verdict *ret,
		 uint64_t *ret_moment, struct diag *d);

/* Writes the claims in binary form with the health claims that take the place of those that did not
 * hold at `moment`. */
int dating_write(const struct dating *s, const struct claims *whole, uint64_t moment,
		 const char *path, struct diag *d);

/* Evidence up to a moment: all up to the last record that is not later, since the times of two CPUs
 * may be out of step; but no tally that user space told later, whose place is that of the records
 * which it counts. */
int dating_cut(const char *from, uint64_t until, const char *to, struct diag *d);

#endif
