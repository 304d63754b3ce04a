/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened, said once: operations, segments, both ends of handoffs, events of resources.
 *
 * A workload calls these around its own acts and keeps no record of its own. Each call counts in
 * the thread's counters (which stay apart from what is recorded) and, if the channel is there,
 * records (contracts §2). Everything is inlined, and every function belongs to the calling thread.
 *
 * One way to send:                            and to receive:
 *     sent_begin(w, &s, …);                       before = act_now(w);  found nothing
 *     the call that sends;                        the call that takes;
 *     sent_end(w, &s, act_now(w));                after = act_now(w);
 *                                                 take(w, &s, n, marks, before, after);
 *                                                 …; segment_close(w);
 * sent_begin fixes the identity before the call, so that the receiver, who may be faster than the
 * sender's return, finds it in what was sent. How *s reaches the receiver is the workload's
 * business: it must know exactly which handoff it took.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_ACT_H
#define ASSAY_WORKLOADS_DRIVER_ACT_H

#include "groundtruth/recorder.h"
#include "workloads/driver/burn.h"
#include "workloads/driver/workload.h"

#define ACT RECORDER_INLINE

/* One operation, from its arrival to its reply. May move between threads, one at a time. */
struct op {
	uint64_t id;
	uint64_t arrival; /* intended, ns */
	unsigned kind;	  /* index in workload->kinds */
};

/* One handoff under way: written by the sender before its call, read by the receiver. */
struct sent {
	uint64_t id, op, t0;
	uint64_t seq;
	struct rec_key key;
	uint16_t marks; /* bits 1u << mark */
	uint8_t type;	/* enum handoff_type */
};

ACT uint64_t act_now(struct worker *w)
{
	return recorder_now(&w->rec);
}

/* ---- segments: at most one is open on a thread ---- */

ACT void segment_open(struct worker *w, uint64_t op, uint64_t t0)
{
	w->in_segment = true;
	w->segment_op = op;
	w->segment_t0 = t0;
}

/* Returns the moment at which it ended. */
ACT uint64_t segment_close(struct worker *w)
{
	uint64_t t = act_now(w);

	w->in_segment = false;
	w->counts.segment++;
	recorder_segment(&w->rec, w->segment_op, w->segment_t0, t);
	return t;
}

/* ---- operations ---- */

/* An operation that is about to begin. The call by which others see it begin stands before
 * op_opened, which is given what this returns. */
ACT uint64_t op_open(struct worker *w, struct op *op, unsigned kind, uint64_t arrival)
{
	uint64_t t0 = act_now(w);

	*op = (struct op){.id = recorder_token(&w->rec), .arrival = arrival, .kind = kind};
	return t0;
}

/* It has begun, and its first segment on this thread. */
ACT void op_opened(struct worker *w, const struct op *op, uint64_t t0)
{
	uint64_t t1 = act_now(w);

	w->counts.begin++;
	recorder_begin(&w->rec, op->id, op->kind, t0, t1);
	segment_open(w, op->id, t1);
}

/* Both, where nobody can see it. */
ACT void op_begin(struct worker *w, struct op *op, unsigned kind, uint64_t arrival)
{
	op_opened(w, op, op_open(w, op, kind, arrival));
}

/* Ends the open segment and its operation. */
ACT void op_end(struct worker *w, const struct op *op)
{
	uint64_t t = segment_close(w);

	w->counts.end++;
	recorder_end(&w->rec, op->id, t, act_now(w), false);
}

/* ---- handoffs ---- */

/* Before the call that sends; several handoffs of one call share t0 and, later, t1. */
ACT void sent_begin(struct worker *w, struct sent *s, unsigned type, uint64_t op,
		    struct rec_key key, uint64_t seq, uint16_t marks, uint64_t t0)
{
	*s = (struct sent){.id = recorder_token(&w->rec),
			   .op = op,
			   .t0 = t0,
			   .seq = seq,
			   .key = key,
			   .marks = marks,
			   .type = (uint8_t)type};
}

/* After it, once it is known that it sent. Takes a copy's fields: *s may be the receiver's by now,
 * so give the sender's own. */
ACT void sent_end(struct worker *w, const struct sent *s, uint64_t t1)
{
	w->counts.handoff++;
	recorder_src(&w->rec, s->id, s->op, s->type, s->key, s->seq, s->marks, s->t0, t1);
}

ACT void act_count_marks(struct worker *w, uint16_t marks)
{
	for (unsigned m = marks; m; m &= m - 1)
		w->counts.marks[__builtin_ctz(m)]++;
}

/* Something that the workload is there to exercise has happened: index in workload->outcomes. */
ACT void act_outcome(struct worker *w, unsigned which)
{
	w->counts.outcomes[which]++;
}

/* A sending end that nobody will receive. */
ACT void sent_lost(struct worker *w, const struct sent *s, uint16_t marks)
{
	act_count_marks(w, s->marks | marks);
	recorder_mark(&w->rec, s->id, marks);
}

/*
 * The receiving end. `before`: the last moment at which the receiver found it not there; `after`:
 * the moment just after the call that took it. Opens the segment of operation s->op that it
 * starts, at `from` (≥ after: the end of the previous item that the same call took).
 */
ACT void take(struct worker *w, const struct sent *s, uint64_t nth, uint16_t marks, uint64_t before,
	      uint64_t after, uint64_t from)
{
	w->counts.taken++;
	act_count_marks(w, s->marks | marks);
	recorder_dst(&w->rec, s->id, s->op, s->type, s->key, nth, s->marks | marks,
		     before > s->t0 ? before : s->t0, after);
	segment_open(w, s->op, from);
}

/* The same where no segment starts: consumed at once. */
ACT void take_only(struct worker *w, const struct sent *s, uint64_t nth, uint16_t marks,
		   uint64_t before, uint64_t after, uint64_t consumed)
{
	w->counts.taken++;
	act_count_marks(w, s->marks | marks);
	recorder_dst_consumed(&w->rec, s->id, s->op, s->type, s->key, nth, s->marks | marks,
			      before > s->t0 ? before : s->t0, after, consumed);
}

/* ---- resources ---- */

/* What happened to a life, as the state of its object shows it; desc: the manifest's id of what
 * describes the site, 0: none. [t0, t1] brackets the call. */
ACT void happened(struct worker *w, unsigned event, unsigned cls, uint64_t instance, uint64_t life,
		  uint64_t units, uint64_t op, uint32_t desc, uint64_t t0, uint64_t t1)
{
	w->counts.event++;
	recorder_event(&w->rec, event, cls, instance, life, units, op, desc, t0, t1);
}

/* ---- work ---- */

/* Burns `part` of `parts` of what an operation costs. */
ACT void act_burn(struct worker *w, unsigned part, unsigned parts)
{
	uint64_t us = w->run->options->cost_us;

	w->sink += burn_rounds(w->run->rounds_us * us * part / parts);
}

#endif
