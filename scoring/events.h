/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resource events and identity (contracts §5.2).
 *
 * Sites. Claims and truth events of equal (event, class, tid) are paired one to one by a maximum
 * matching over the windows that hold the claim's time. A group is a convex bipartite graph
 * (points against intervals), so a sweep over claims in order of time that takes, of the open
 * windows, the one that ends first is a maximum matching: Glover 1967, "Maximum matching in a
 * convex bipartite graph", Naval Res. Logist. Q. 14. Proof by exchange: a later claim that the
 * earlier-ending window could still serve, the later-ending one serves as well.
 * Windows that end together are taken in order of beginning, then of truth; claims of one time in
 * order of (desc, instance, gen, units), so nothing depends on the order of claims.
 *
 * Identity. An identity is (class, instance, gen) as claimed; a missing gen is a value of its own
 * and a claim without an instance has no identity. Life exactness: of the true lives with at
 * least two scored events, the share all of whose events are paired and carry one identity that
 * no other life's event carries. Join recall: neighbours in a true life (by t0, t1, truth order)
 * that carry one identity. Join precision: neighbours in a claimed identity (by time) that are
 * paired with events of one life; an unpaired claim belongs to no life. Mean events: scored
 * events over all lives that have any.
 *
 * Readings taken: a pair has equal units only if both sides give them; a descriptor's row counts
 * the pairs of the one matching in which both sides name it; its truth and claims are those that
 * name it. Cost: O(n log n) time, O(event claims + events) memory.
 */
#ifndef ASSAY_SCORING_EVENTS_H
#define ASSAY_SCORING_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/scope.h"
#include "scoring/words.h"

struct event_counts {
	uint64_t truth, claims, matched, units_equal;
};

struct event_desc {
	uint32_t id;
	struct event_counts c;
};

struct identity_score {
	uint64_t lives, exact; /* lives with at least two scored events, and the exact ones */
	uint64_t true_joins, found;
	uint64_t claimed_joins, pure;
	uint64_t lives_all, events_all; /* below and above the line of mean_events */
};

struct event_score {
	struct event_counts all;
	struct event_desc *desc; /* by id: listed in truth's header or named by either side */
	size_t desc_cnt;
	struct identity_score identity;
};

/* The pairs. Scored records only, in the matching's own order. */
struct event_pairs {
	struct event_claim {
		uint32_t claim; /* index in claims */
		uint32_t event; /* index in truth, SCOPE_NONE: unpaired */
		uint32_t class; /* truth's word, WORD_UNKNOWN */
	} * claims;
	size_t claims_cnt;
	struct event_truth {
		uint32_t event; /* index in truth */
		uint32_t claim; /* position in `claims` above, SCOPE_NONE: missed */
	} * truth;
	size_t truth_cnt;
};

int event_pairs_make(const struct truth *t, const struct claims *c, const struct words *w,
		     struct event_pairs *ret); /* -ENOMEM */
void event_pairs_free(struct event_pairs *p);

int score_identity(const struct truth *t, const struct claims *c, const struct event_pairs *p,
		   struct identity_score *ret); /* -ENOMEM */

int score_events(const struct truth *t, const struct claims *c, const struct words *w,
		 struct event_score *ret); /* -ENOMEM; free with event_score_free */
void event_score_free(struct event_score *s);

#endif
