/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The evaluator's end of the channel: make it, hand it over, turn raw logs into truth.
 *
 * A channel is used for one run. Tokens are drawn with a per-run secret (getrandom); the maker
 * alone keeps the list of dealt tokens and of decoy tokens. Not thread-safe.
 */
#ifndef ASSAY_GROUNDTRUTH_COLLECT_H
#define ASSAY_GROUNDTRUTH_COLLECT_H

#include "groundtruth/truth.h"

struct channel;

struct channel_options {
	unsigned slots;	    /* threads that may record */
	uint64_t records;   /* capacity of each slot, records */
	unsigned decoy_ppm; /* 10,000 … 50,000 (1 to 5 %) of all records */
};

/* memfd, filled and populated. NULL and *d on failure. */
struct channel *channel_new(const struct channel_options *o, struct diag *d);
int channel_fd(const struct channel *c); /* to be handed over as LOG_FD */
void channel_free(struct channel *c);

struct collect_info { /* what the harness knows and the logs do not */
	const char *workload, *variant;
	uint64_t seed;
	struct window scored; /* quiet moments, taken by the harness */
	/* descriptors, losses, costs join here as later issues need them */
	const struct truth_descriptor *descriptors;
	size_t descriptors_cnt;
};

/*
 * Joins SRC and DST by id, derives dst.t from the segments, tells decoys by the token lists.
 * -EINVAL: torn record, full log, missing log, unknown token, no close block (run broken).
 */
int channel_collect(const struct channel *c, const struct collect_info *info, struct truth *ret,
		    struct diag *d);

#endif
