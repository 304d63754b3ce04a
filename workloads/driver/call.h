/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handoffs that are calls: an operation goes on in a function on the same thread.
 *
 *     call_begin(w, op, &s); f(w, …, &s); call_end(w, op);
 *
 * f says call_entered(w, &s) first. The caller's segment is closed meanwhile; the function's own
 * ends where the caller's begins again. A call has no key. Belongs to the calling thread.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_CALL_H
#define ASSAY_WORKLOADS_DRIVER_CALL_H

#include "workloads/driver/act.h"

ACT void call_begin(struct worker *w, const struct op *op, struct sent *s)
{
	uint64_t t0 = segment_close(w);

	sent_begin(w, s, HANDOFF_CALL, op->id, (struct rec_key){.ns = KEY_NONE}, RECORDER_NO_SEQ, 0,
		   t0);
}

ACT void call_entered(struct worker *w, const struct sent *s)
{
	uint64_t now = act_now(w);

	sent_end(w, s, now);
	take(w, s, RECORDER_NO_SEQ, 0, s->t0, now, now);
}

ACT void call_end(struct worker *w, const struct op *op)
{
	uint64_t t = segment_close(w);

	segment_open(w, op->id, t);
}

#endif
