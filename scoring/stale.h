/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stale contracts: what health claims say of the descriptors of truth (contracts §5.4).
 *
 * Each descriptor has a state in force. At attach it is `start`: the last health claim at or
 * before scored[0], else the option's. States are ordered validated < suspect < stale = refused.
 * A later claim (scored[0] < t ≤ scored[1]) of a worse state than the one in force is a fall and
 * comes into force; one of a better state is a raise: ignored and counted. Claims of one moment
 * count as the worst of them, so nothing depends on the order of claims.
 *
 * A resource is stale if any of its descriptors is invalid in truth; its `since` and
 * `contradicted` are the earliest of its invalid descriptors. A fall on a valid resource, or
 * before `since`, is a false alarm. A detection is the first fall of any of its descriptors at or
 * after `since` that names an invariant and goes lower than every false alarm of the resource did.
 * Its latency runs from `contradicted`: in ns, and in truth events of the class with
 * contradicted < t0 ≤ t. Up to `contradicted` (or if nothing contradicted it) a detection is
 * early, latency 0: intervals are closed. A stale resource that was not detected is right-censored:
 * its latencies run to scored[1], and are no number if nothing contradicted it.
 *
 * Readings taken:
 * - `why` names an invariant if it is given and not empty; a manifest, once read, may say more.
 * - `worst` is the worst state that was claimed in the run and not as a raise, the one at attach
 *   included, so that a refusal at the start shows; a claim of the state in force (suspect, under
 *   best-effort) is no fall and counts here. Without a claim it is `kept`, whatever `start` is.
 * - the false-alarm rate is over resources that are valid, or stale with `since` after scored[0].
 * - localised: detected, an invalid descriptor fell at or after `since` naming an invariant, and
 *   no descriptor that was valid at that moment raised an alarm: by falling to stale, or to suspect
 *   unless it shares the violated invariant with an invalid one. The rate is over the detected.
 * - pointedness: of the descriptors that fell in detected resources, the share that is invalid at
 *   some time. To suspect all that share an invariant is to be localised without knowing which; it
 *   costs here.
 * - events of a latency are all truth events of the class, scored or not, as the formula says.
 *
 * p_stale (§5.5): per descriptor and moment m_k = scored[0] + k·(scored[1] − scored[0])/10,
 * k = 1…10, the forecast is the last p_stale that was claimed by then, else the state in force:
 * 0.05, 0.5, 0.95. Moments are compared exactly, as tenths. The outcome is 1 if the descriptor is
 * invalid and since ≤ m_k.
 */
#ifndef ASSAY_SCORING_STALE_H
#define ASSAY_SCORING_STALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"
#include "scoring/calibration.h"
#include "scoring/scope.h"

enum severity { KEPT = 0, SUSPECT = 1, STALE = 2, SEVERITY_CNT = 3 };

enum severity severity_of(unsigned health_state);
const char *severity_name(unsigned s); /* kept, suspect, stale */

/*
 * The seam to the manifest. `shares` says whether descriptor `a` takes part in the invariant that
 * `why` names together with `b`. NULL: all descriptors of a resource share its invariants.
 */
struct stale_rules {
	bool (*shares)(void *arg, const char *why, uint32_t a, uint32_t b);
	void *arg;
};

struct resource_score {
	const char *name; /* borrowed from truth */
	bool valid, detected, false_alarm, early, censored, localised;
	bool was_valid; /* at some time in `scored` */
	bool has_latency;
	uint8_t worst; /* enum severity */
	uint64_t latency_ns, latency_events;
	uint64_t raised;
	uint64_t doubted, doubted_invalid; /* descriptors that fell */
};

struct stale_score {
	struct resource_score *resource; /* by name, as strcmp sorts */
	size_t resource_cnt;
	uint64_t matrix[2][SEVERITY_CNT]; /* [0: valid, 1: stale][worst] resources */
	uint64_t stale;			  /* resources with an invalid descriptor */
	uint64_t detected, false_alarms, was_valid, localised;
	uint64_t doubted, doubted_invalid; /* descriptors of detected resources that fell */
};

/* start: health_state in force where nothing was claimed. -ENOMEM; free with stale_score_free. */
int score_stale(const struct truth *t, const struct claims *c, uint8_t start,
		const struct stale_rules *rules, struct stale_score *ret);
void stale_score_free(struct stale_score *s);

/* What was forecast of one descriptor at one moment, and what was so. */
struct stale_moment {
	double p_stale;
	bool invalid;
};

enum { STALE_MOMENTS = 10 };

/* STALE_MOMENTS a descriptor, descriptors in the order of truth's header: ret holds them all. */
int stale_moments(const struct truth *t, const struct claims *c, uint8_t start,
		  struct stale_moment *ret); /* -ENOMEM */

/* The same as forecasts, added to f. -ENOMEM. */
int stale_forecasts(const struct truth *t, const struct claims *c, uint8_t start,
		    struct forecasts *f);

/* ---- what the parts share ---- */

/* Health claims on listed descriptors at or before scored[1], by descriptor (its position in
 * truth's header), then time, then severity, then those first that name an invariant. */
struct health {
	const struct claim *claim;
	uint32_t desc;
};

int health_list(const struct truth *t, const struct claims *c, struct health **ret_v,
		size_t *ret_cnt); /* -ENOMEM; free(3) */

#endif
