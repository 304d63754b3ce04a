/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: how a workload writes truth (contracts §2). Header only, inlined, no symbols.
 *
 * A struct recorder belongs to one thread. With no channel every call is one predicted branch: no
 * clock is read, tokens and times are 0. A record costs two clock reads and one 64-byte store;
 * adjacent records may share a clock read (pass the t1 of one as the t0 of the next).
 *
 * Rule: the code that calls an operator records; the window brackets the whole call; what is
 * recorded is derived from the state of the object, never from what the operator says that it did.
 *
 * Order: a thread writes its records in the order of its acts, a segment when it ends. A received
 * handoff that starts a segment (recorder_dst) is written before that segment and after the one
 * before it; where one call takes several items, keep the ready window and write each item's record
 * just before its own segment. Several handoffs may start one segment.
 *
 * Limits: seq, take, desc and the time from receipt to consumption (4.29 s) have 32 bits; what does
 * not fit makes the run broken. Tokens that run out do, too.
 *
 * Three parts in the order of their use: the process (recorder_channel.h: mapping, names, key
 * spaces, spare keys), a thread (recorder_thread.h: opening, clock, tokens, and how a record comes
 * to lie in the log), and the acts, here. Instrumenters skip all of them (no_instrument_function).
 * This header is the only one of groundtruth that workloads include (with log.h under it).
 */
#ifndef ASSAY_GROUNDTRUTH_RECORDER_H
#define ASSAY_GROUNDTRUTH_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/log.h"
#include "groundtruth/recorder_thread.h"

/* As a seq or take: the handoff is in no batch. As `open`, `at_start`: plain bools. */
#define RECORDER_NO_SEQ UINT64_MAX

RECORDER_INLINE void recorder_begin(struct recorder *r, uint64_t op, unsigned kind, uint64_t t0,
				    uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (!p)
		return;
	p->type = (uint8_t)kind;
	recorder_commit_(r, p, LOG_BEGIN);
}

/* open: the operation was not finished when the run ended. */
RECORDER_INLINE void recorder_end(struct recorder *r, uint64_t op, uint64_t t0, uint64_t t1,
				  bool open)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (!p)
		return;
	p->flags = open ? LOG_F_OPEN : 0;
	recorder_commit_(r, p, LOG_END);
}

/* [t0, t1]: when this thread began and ceased to execute op. */
RECORDER_INLINE void recorder_segment(struct recorder *r, uint64_t op, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, op, t0, t1);

	if (p)
		recorder_commit_(r, p, LOG_SEGMENT);
}

/* What SRC and DST share. */
RECORDER_INLINE struct log_rec *recorder_handoff_(struct recorder *r, uint64_t id, uint64_t op,
						  unsigned type, struct rec_key key, uint64_t seq,
						  uint32_t marks, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, id, t0, t1);

	if (!p)
		return NULL;
	p->op = op;
	p->v = key.v;
	p->scope = key.scope;
	p->marks = (uint16_t)marks;
	p->type = (uint8_t)type;
	p->ns = key.ns;
	p->flags = key.has_scope ? LOG_F_SCOPE : 0;
	if (seq != RECORDER_NO_SEQ) {
		p->seq = recorder_u32_(r, seq);
		p->flags |= LOG_F_SEQ;
	}
	return p;
}

/* Work of op leaves this thread. [t0, t1] brackets the call that sends it. */
RECORDER_INLINE void recorder_src(struct recorder *r, uint64_t id, uint64_t op, unsigned type,
				  struct rec_key key, uint64_t seq, uint32_t marks, uint64_t t0,
				  uint64_t t1)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, seq, marks, t0, t1);

	if (!p)
		return;
	recorder_commit_(r, p, LOG_SRC);
	r->src_at = r->cnt;
}

/*
 * Work is received here, and the next segment that this thread records is the one that it starts;
 * that segment is of the same op. ready0: the last moment at which it was found not there (0: never
 * looked; the harness takes the start of the src); ready1: just after the call that took it.
 */
RECORDER_INLINE void recorder_dst(struct recorder *r, uint64_t id, uint64_t op, unsigned type,
				  struct rec_key key, uint64_t take, uint32_t marks,
				  uint64_t ready0, uint64_t ready1)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, take, marks, ready0, ready1);

	if (!p)
		return;
	p->flags |= LOG_F_STARTS;
	recorder_commit_(r, p, LOG_DST);
	r->dst_at = r->cnt;
}

/* The same where it starts no segment; consumed (at least ready1) is when it had its effect. */
RECORDER_INLINE void recorder_dst_consumed(struct recorder *r, uint64_t id, uint64_t op,
					   unsigned type, struct rec_key key, uint64_t take,
					   uint32_t marks, uint64_t ready0, uint64_t ready1,
					   uint64_t consumed)
{
	struct log_rec *p = recorder_handoff_(r, id, op, type, key, take, marks, ready0, ready1);

	if (!p)
		return;
	p->aux = recorder_u32_(r, consumed - ready1);
	recorder_commit_(r, p, LOG_DST);
	r->dst_at = r->cnt;
}

/* Marks of a handoff (bits 1u << mark) that became known after its record was written. */
RECORDER_INLINE void recorder_mark(struct recorder *r, uint64_t id, uint32_t marks)
{
	struct log_rec *p = recorder_window_(r, id, 0, 0);

	if (!p)
		return;
	p->marks = (uint16_t)marks;
	recorder_commit_(r, p, LOG_MARK);
}

/* The handoff belongs to a group (a token) within which any pairing is right. */
RECORDER_INLINE void recorder_amb(struct recorder *r, uint64_t id, uint64_t group)
{
	struct log_rec *p = recorder_window_(r, id, 0, 0);

	if (!p)
		return;
	p->v = group;
	recorder_commit_(r, p, LOG_AMB);
}

/* desc: id of the descriptor at whose site it happened, 0: none. */
RECORDER_INLINE void recorder_event(struct recorder *r, unsigned kind, unsigned cls,
				    uint64_t instance, uint64_t life, uint64_t units, uint64_t op,
				    uint32_t desc, uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, life, t0, t1);

	if (!p)
		return;
	p->op = op;
	p->v = instance;
	p->scope = units;
	p->type = (uint8_t)kind;
	p->cls = (uint16_t)cls;
	p->aux = desc;
	recorder_commit_(r, p, LOG_EVENT);
	r->event_at = r->cnt;
}

/* cause: a handoff or a life. */
RECORDER_INLINE void recorder_effect(struct recorder *r, uint64_t cause, unsigned kind, uint64_t v,
				     uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, cause, t0, t1);

	if (!p)
		return;
	p->v = v;
	p->type = (uint8_t)kind;
	recorder_commit_(r, p, LOG_EFFECT);
}

/* A life that exists when the run starts or (at_start false) when it ends: one record a life. */
RECORDER_INLINE void recorder_live(struct recorder *r, uint64_t life, uint64_t units, bool at_start)
{
	struct log_rec *p = recorder_window_(r, life, 0, 0);

	if (!p)
		return;
	p->v = units;
	p->flags = at_start ? LOG_F_AT_START : 0;
	recorder_commit_(r, p, LOG_LIVE);
}

/* I/O of an operation that is over has moved so many bytes. */
RECORDER_INLINE void recorder_bytes(struct recorder *r, uint64_t op, uint64_t bytes)
{
	struct log_rec *p = recorder_window_(r, op, 0, 0);

	if (!p)
		return;
	p->v = bytes;
	p->type = LOG_COST_BYTES;
	recorder_commit_(r, p, LOG_COST);
}

/* So much CPU went into a function's own code, in all its calls by this thread. addr: as linked. */
RECORDER_INLINE void recorder_function(struct recorder *r, uint64_t addr, uint64_t ns)
{
	struct log_rec *p = recorder_window_(r, 0, 0, 0);

	if (!p)
		return;
	p->v = ns;
	p->scope = addr;
	p->type = LOG_COST_FUNCTION;
	recorder_commit_(r, p, LOG_COST);
}

/* label and subject: indices of recorder_name_class; LOG_NAMES for a subject: there is none. */
RECORDER_INLINE void recorder_diagnosis(struct recorder *r, unsigned label, unsigned subject,
					uint64_t t0, uint64_t t1)
{
	struct log_rec *p = recorder_window_(r, 0, t0, t1);

	if (!p)
		return;
	p->cls = (uint16_t)label;
	p->type = (uint8_t)subject;
	recorder_commit_(r, p, LOG_DIAGNOSIS);
}

/* The first act that shows a descriptor wrong ended at t. */
RECORDER_INLINE void recorder_contradicted(struct recorder *r, uint32_t desc, uint64_t t)
{
	struct log_rec *p = recorder_window_(r, 0, t, t);

	if (!p)
		return;
	p->aux = desc;
	recorder_commit_(r, p, LOG_CONTRADICTED);
}

#endif
