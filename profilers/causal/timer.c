/* SPDX-License-Identifier: BSD-2-Clause */
/* timer handoffs: which arming an expiry comes from that was taken. */
#include "profilers/causal/timer.h"

#include "profilers/causal/confidence.h"

int causal_timer_dst(struct observer *out, const struct observation *o)
{
	struct observation src = *o;

	if (!o->since || !o->by)
		return observer_claim(out, NULL, o, HOW_UNKNOWN, CONFIDENCE_ORPHAN, 0);
	src.t = o->since;
	src.tid = o->by;
	return observer_claim(out, &src, o, HOW_OBSERVED, CONFIDENCE_OBSERVED, o->since);
}
