/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a joiner dates its doubts as one who looked on would have had them (contracts §5.4).
 *
 * What is said off-line of a moment must have been there to say at that moment. So the joiner is
 * started again with the evidence up to a moment and no more, and must say of each descriptor what
 * it said of the whole up to then: state, whether it came with a reason, p_stale. It is asked where
 * it doubted a descriptor, or doubted it more (DATING_CHECKS such moments at most, spread over
 * them), and of one in DATING_SAMPLE that doubted nothing at a moment drawn: else one who sees that
 * evidence is cut could doubt everything there and be right about every date.
 *
 * Where it says otherwise, nothing shows that a doubt was there before all was over: its health
 * claims count from the end of the run, but for what it says of the evidence up to the beginning of
 * what is scored, and up to the moment at which it was asked. So a doubt that was dated back gains
 * nothing by it, and one that is raised of a part of the evidence alone stands.
 *
 * Nothing is kept between calls; not thread-safe.
 */
#ifndef ASSAY_HARNESS_DATING_H
#define ASSAY_HARNESS_DATING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/formats/claims.h"

enum { DATING_CHECKS = 4, DATING_SAMPLE = 8 };

struct dating {
	/* Joins the evidence up to `until`, ns. 0 and *ret, to be freed with claims_free; 1: it
	 * failed, and said nothing; a negative errno where the run cannot go on. */
	int (*join)(void *arg, uint64_t until, struct claims *ret, struct diag *d);
	void *arg;
	uint64_t draw; /* a number of the cell's own, hashed */
};

/* from, to: between them lies the moment that is drawn. *ret_moment: the one at which it was asked
 * last, if it was. */
int dating_check(const struct dating *s, const struct claims *whole, uint64_t from, uint64_t to,
		 bool *ret_upheld, uint64_t *ret_moment, struct diag *d);

/* Writes the claims in binary form with the health claims that take the place of those that were
 * not upheld at `moment`. from, to: what is scored. */
int dating_write(const struct dating *s, const struct claims *whole, uint64_t from, uint64_t to,
		 uint64_t moment, const char *path, struct diag *d);

/* Evidence up to a moment: all up to the last record that is not later, since the times of two CPUs
 * may be out of step; but no tally that user space told later, whose place is that of the records
 * which it counts. */
int dating_cut(const char *from, uint64_t until, const char *to, struct diag *d);

#endif
