/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution of cost, profiles, and effects (contracts §5.3).
 *
 * Cost, per kind: error = Σ over operations |claimed − true| / Σ true, where an operation's
 * claimed cost is Σ v/ip of its claims (Horvitz & Thompson 1952, "A generalization of sampling
 * without replacement from a finite universe", JASA 47: the inverse-probability estimator).
 * Median and p99 of |claimed − true| / true over the operations with true > 0, by nearest rank
 * (the ⌈p·n⌉-th smallest; Hyndman & Fan 1996, type 1). For `wall` truth is the interval
 * [end.t0 − begin.t1, end.t1 − begin.t0] of ended operations, not clamped at 0, the error the
 * distance to it, and the true value its middle.
 *
 * Readings taken: an operation is scored if its begin and its end record lie in `scored`; a claim
 * whose root means an operation that is not scored (or, for wall, has not ended) is not scored; a
 * claim whose root meets no operation is charged to nobody and counts as unattributed, like one
 * without a root; `claimed` is the weighted sum of all scored claims of the kind, and the
 * unattributed share is of it. Cost records of kind `wall` are ignored: truth derives it.
 *
 * Profile: total-variation distance ½ Σ |p(k) − q(k)| of two normalised distributions (Levin &
 * Peres, "Markov Chains and Mixing Times", prop. 4.2). Truth by thread is the cost records with a
 * tid, by op-kind the cost records (for wall the middles, 0 where negative) under their operation's
 * kind; of the whole run by function the cost records that name one, by thread those that name
 * nothing else, by pair those that name two threads, "101>102" (waker and woken), or those that
 * name two names, whichever are nearer to what is claimed (threads, if neither is). A key that
 * truth does not name is a foreign one. Only what was claimed gets a line; it is null where truth
 * has nothing of the kind. Beside it stands the distance of an even split over truth's keys: where
 * that is small, so is every other.
 *
 * Effects: pairs of one claim and one truth record of equal kind and thread whose window holds the
 * claim's time and whose cause is met: a handoff by its near end (thread and src.t), a life by any
 * scored event of it (thread and window). The pairing is a maximum matching (Hopcroft & Karp 1973,
 * "An n^(5/2) algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2). An effect
 * whose cause has such contexts, but none in `scored`, is no pair in `scored` and is not counted.
 * One whose cause has none at all (a handoff without src, an id that truth does not know) is
 * counted and can't be matched: it happened, and nobody can say why.
 *
 * Sums run in a fixed order, so nothing depends on the order of claims. O(n log n) but for the
 * effects, O(edges · √n). Names are borrowed from the loaded files.
 */
#ifndef ASSAY_SCORING_ATTRIBUTION_H
#define ASSAY_SCORING_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/scope.h"
#include "scoring/words.h"

struct cost_score {
	const char *kind;
	/* Of the kind's unit, mostly ns. A long double holds sums of 64-bit integers exactly as
	 * long as they fit in 64 bits (where it is a double, to 2^53). */
	long double true_sum, claimed, abs_error, unattributed;
	struct ratio error, median, p99, unattributed_share;
	uint64_t ops; /* operations with true > 0 */
};

struct profile_score {
	uint8_t by; /* enum profile_by */
	const char *kind;
	struct ratio tv_distance, even_distance;
	uint64_t claims;
};

struct effect_score {
	uint64_t truth, claims, matched;
};

struct attribution_score {
	struct cost_score *cost; /* by kind, as strcmp sorts */
	size_t cost_cnt;
	struct profile_score *profile; /* by (by, kind) */
	size_t profile_cnt;
	struct effect_score effect;
};

int score_costs(const struct truth *t, const struct claims *c, struct attribution_score *ret);
int score_profiles(const struct truth *t, const struct claims *c, struct attribution_score *ret);
int score_effects(const struct truth *t, const struct claims *c, struct attribution_score *ret);

/* All three; -ENOMEM. Free with attribution_score_free. */
int score_attribution(const struct truth *t, const struct claims *c, struct attribution_score *ret);
void attribution_score_free(struct attribution_score *s);

/* ---- what the parts share ---- */

/* The v-th smallest of n sorted values, v = ⌈percent·n/100⌉; no number if n is 0. */
struct ratio nearest_rank(const long double *sorted, size_t n, unsigned percent);

/*
 * For each claim i of kind cost with a known root: ret[i] = the first operation in truth whose
 * begin window, on its thread, holds the root; SCOPE_NONE for others. ret has c->cnt entries.
 */
int cost_roots(const struct truth *t, const struct claims *c, uint32_t *ret);

/* Kinds of cost that either side names, and "wall" if an operation ended. */
int cost_kinds(const struct truth *t, const struct claims *c, uint8_t claim_kind,
	       struct wordlist *ret);

#endif
