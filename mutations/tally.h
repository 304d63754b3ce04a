/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened in a run, counted: events by kind and class, handoffs by type, units.
 *
 * A record declares which of these figures its mutant changes and in which direction; all others
 * must stay what they are in the base.
 */
#ifndef ASSAY_MUTATIONS_TALLY_H
#define ASSAY_MUTATIONS_TALLY_H

#include "groundtruth/truth.h"
#include "lib/diag.h"
#include "mutations/record.h"

enum { TALLY_CLASSES_MAX = 16 };

struct tally_class {
	char name[RECORD_WORD];
	uint64_t events[EVENT_KIND_CNT], units[EVENT_KIND_CNT];
};

struct run_tally {
	struct tally_class classes[TALLY_CLASSES_MAX];
	unsigned classes_cnt;
	uint64_t handoffs[HANDOFF_TYPE_CNT];
	uint64_t ops;
};

/* -E2BIG where there are more classes than fit. */
int tally_truth(const struct truth *t, struct run_tally *ret, struct diag *d);

/* How often the record's `reached` happened. */
uint64_t tally_reached(const struct run_tally *t, const struct act_spec *r);

/*
 * Whether the mutant's figures differ from the base's in exactly the declared way. Wakes and grants
 * are the scheduler's and are not compared. -EINVAL with the first figure that does not fit.
 */
int tally_check(const struct mutation *m, const struct run_tally *base,
		const struct run_tally *mutant, struct diag *d);

#endif
