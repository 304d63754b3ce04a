/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recorder: how a workload writes truth (contracts §2). Header only, inlined, no symbols.
 *
 * A struct recorder belongs to one thread. With no channel (`rec->on` false) every call is one
 * predicted branch: no clock is read, tokens are 0. A record costs two clock reads and one
 * 64-byte store; adjacent records may share a clock read (pass the t1 of one as the t0 of the
 * next). Every 20 to 100 records (schedule from the harness) a decoy is written as well.
 *
 * Rule: the code that calls an operator records; the window brackets the whole call; what is
 * recorded is derived from the state of the object, never from what the operator says that it did.
 * Instrumenters skip these functions (RECORDER_INLINE carries no_instrument_function).
 *
 * This file is the only part of groundtruth that workloads include (with log.h under it).
 */
#ifndef ASSAY_GROUNDTRUTH_RECORDER_H
#define ASSAY_GROUNDTRUTH_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "groundtruth/log.h"

#define RECORDER_INLINE static inline __attribute__((always_inline, no_instrument_function, unused))

/* The process's mapping of the channel. One, owned by main; threads open recorders on it. */
struct recorder_channel {
	struct log_channel *map; /* NULL: truth is off */
};

struct recorder {
	struct log_channel *map;
	struct log_slot *slot;
	struct log_rec *recs;
	uint64_t cnt, cap;
	uint64_t token_next, decoy_next;
	uint64_t decoy_in; /* records until the next decoy */
	bool on;
	/* … fields private to this header may follow */
};

/* Declared here, defined below (owner: groundtruth):
 *
 * void     recorder_map(struct recorder_channel *c);           fd LOG_FD, checks magic; else off
 * void     recorder_name_kind(c, unsigned i, const char *)     before the first thread
 * void     recorder_name_class(c, unsigned i, const char *)
 * void     recorder_keys(c, uint32_t ns_bits)
 * void     recorder_spare(c, type, ns, has_scope, scope, v)    decoy keys; before the first thread
 * bool     recorder_open(struct recorder *r, c, uint32_t tid)  per thread; tid from gettid
 * void     recorder_close(struct recorder *r)                  thread end
 * void     recorder_unmap(c, begin, end, segment, handoff, event counters)  close block, munmap,
 * close
 *
 * uint64_t recorder_now(r)        CLOCK_MONOTONIC ns by vDSO, 0 when off
 * uint64_t recorder_token(r)      next dealt token, 0 when off
 *
 * void recorder_begin(r, op, kind, t0, t1)
 * void recorder_end(r, op, t0, t1, open)
 * void recorder_segment(r, op, t0, t1)
 * void recorder_src(r, id, op, type, struct rec_key key, uint64_t seq, uint16_t marks, t0, t1)
 * void recorder_dst(r, id, op, type, struct rec_key key, uint64_t take, uint16_t marks, ready0,
 * ready1) the next segment of this thread is the one that it starts void recorder_dst_consumed(r,
 * …same…, ready0, ready1, consumed)  starts no segment void recorder_mark(r, id, marks) /
 * recorder_amb(r, id, group) void recorder_event(r, kind, cls, instance, life, units, op, desc, t0,
 * t1) void recorder_effect(r, cause, kind, v, t0, t1) void recorder_live(r, life, units, at_start)
 * void recorder_diagnosis(r, label, subject, t0, t1)
 * void recorder_contradicted(r, desc, t)
 */
struct rec_key {
	uint64_t v, scope;
	uint8_t ns;
	bool has_scope;
};

#endif
