/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the makers of claims share; private to groundtruth.
 */
#ifndef ASSAY_GROUNDTRUTH_CLAIMANT_H
#define ASSAY_GROUNDTRUTH_CLAIMANT_H

#include "groundtruth/to_claims.h"

/* A moment of each src, dst and event, so that no two observations are one (see claim_times.c). */
struct claim_times {
	uint64_t *src, *dst; /* by handoff; 0 where there is no such end */
	uint64_t *event;     /* by event */
};

int claim_times_make(const struct truth *t, struct claim_times *ret); /* 0 or -ENOMEM */
void claim_times_free(struct claim_times *m);

/* Both ends are there and lie wholly in `scored`. */
bool handoff_scored(const struct truth *t, const struct truth_handoff *h);

/* The key of a claim; nothing where k is none. A word outside the contract is left out. */
void claim_set_key(struct claim *c, const struct truth_key *k);

/* A word of truth in the writer's table; negative errno. */
int64_t claim_word(struct claims_writer *w, const struct truth *t, uint32_t id);

/* Aggregates of cost by thread, by function and by kind of operation. */
int claim_profiles(const struct truth *t, struct claims_writer *w);

int claim_oracle(const struct truth *t, struct claims_writer *w);      /* oracle.c */
int claim_liar(const struct truth *t, struct claims_writer *w);	       /* liar.c */
int claim_liar_decoys(const struct truth *t, struct claims_writer *w); /* liar_decoys.c */

#endif
