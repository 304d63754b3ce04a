/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a score is made of; only the scorer's own printers look inside.
 *
 * Where the status is not ok, only `error` is set. Names in the parts are borrowed from the loaded
 * files, which live as long as the score.
 */
#ifndef ASSAY_SCORING_PARTS_H
#define ASSAY_SCORING_PARTS_H

#include "scoring/attribution.h"
#include "scoring/calibration.h"
#include "scoring/diagnosis.h"
#include "scoring/events.h"
#include "scoring/loss.h"
#include "scoring/score.h"
#include "scoring/stale.h"

struct score {
	enum score_status status;
	struct diag error;
	struct truth truth;
	struct claims claims;
	bool has_truth, has_claims;

	struct handoff_score handoff;
	struct event_score event;
	struct attribution_score attribution;
	struct stale_score stale;
	struct calibration calibration[LEVEL_CNT], p_stale;
	struct forecasts stale_forecasts; /* what p_stale is the calibration of */
	struct loss_score loss;
	struct diagnosis_score diagnosis;
};

/* "context", "identity". */
const char *level_name(unsigned level);

/*
 * A figure under its name in the object of contracts §6. Counts, and amounts that are whole and fit
 * in 64 bits, are exact in `u` (is_count); ratios and other amounts stand in `r`. n is what stands
 * below the line; of a count it is the count.
 */
struct value {
	const char *name;
	bool is_count;
	uint64_t u;
	struct ratio r;
	uint64_t n;
};

enum { VALUES_MAX = 24 };

/* The figures of one part in the order of §6; each fills ret and returns how many. */
size_t handoff_values(const struct handoff_counts *c, struct value *ret);
size_t visible_values(const struct handoff_counts *c, struct value *ret); /* not of §6 */
size_t one_ended_values(const struct handoff_score *s, struct value *ret);
size_t event_values(const struct event_counts *c, struct value *ret);
size_t identity_values(const struct identity_score *s, struct value *ret);
size_t effect_values(const struct effect_score *s, struct value *ret);
size_t cost_values(const struct cost_score *s, struct value *ret);
size_t profile_values(const struct profile_score *s, struct value *ret);
size_t stale_values(const struct stale_score *s, struct value *ret);
size_t calibration_values(const struct calibration *s, struct value *ret);
size_t loss_values(const struct loss_score *s, struct value *ret);
size_t diagnosis_values(const struct diagnosis_score *s, struct value *ret);

/* Takes the lowest bit of a set out of it; the set is not empty. */
static inline unsigned take_bit(uint32_t *set)
{
	unsigned bit = (unsigned)__builtin_ctz(*set);

	*set &= *set - 1;
	return bit;
}

/* Declared share of the denominator, at context level. */
struct value coverage_value(const struct handoff_score *s);

#endif
