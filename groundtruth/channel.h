/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the maker of a channel knows about it and its memory does not say; private to groundtruth.
 */
#ifndef ASSAY_GROUNDTRUTH_CHANNEL_H
#define ASSAY_GROUNDTRUTH_CHANNEL_H

#include "groundtruth/collect.h"
#include "groundtruth/log.h"

struct channel_slot { /* layout and contents as dealt */
	const struct log_slot *shared;
	const struct log_rec *recs;
	uint64_t recs_cap;
	const uint64_t *tokens_now; /* shared: zero where used */
	uint64_t *tokens;	    /* as dealt */
	uint64_t tokens_cap;
	struct log_decoy *decoys; /* as dealt */
	uint64_t decoys_cap;
};

struct channel {
	int fd;
	struct log_channel *map;
	uint64_t bytes;
	struct channel_slot *slots;
	unsigned slots_cnt;
};

#endif
