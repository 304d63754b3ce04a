/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel: layout of the memory in which a workload leaves its raw records.
 *
 * The harness makes one memfd, fills it (header, tokens, decoy schedules), populates it and hands
 * it over as descriptor LOG_FD. The workload maps it shared, claims one slot a thread, appends,
 * and at its end writes the close block, unmaps and closes. Everything is at fixed offsets that
 * the header states. Single writer per slot; the harness reads only after the workload has
 * stopped, but for `cnt`, which is released with every record so that a crashed run still shows
 * how far it came.
 *
 * Words that a stranger could find in a workload (strings, symbols) must not tell: this header
 * holds no string, and everything in recorder.h is inlined.
 */
#ifndef ASSAY_GROUNDTRUTH_LOG_H
#define ASSAY_GROUNDTRUTH_LOG_H

#include <stdint.h>

enum { LOG_FD = 3, LOG_NAME_LEN = 32, LOG_NAMES = 32, LOG_TYPES = 10 };
#define LOG_MAGIC   UINT64_C(0x8b1f9d4e5a7c2301)
#define LOG_VERSION 1u

enum log_kind {
	LOG_NONE = 0,
	LOG_BEGIN = 1,	 /* id op, type kind index; [t0,t1] */
	LOG_END = 2,	 /* id op; flags OPEN */
	LOG_SEGMENT = 3, /* id op; [start, end]; written when the segment ends */
	LOG_SRC = 4,	 /* id handoff, op sender's op, v/scope/ns key, seq; [t0,t1] = src.t */
	LOG_DST = 5,	 /* id handoff, op receiver's op, v/scope/ns key, seq = take; [t0,t1] =
			    dst.ready; flags STARTS if the next segment record of this slot is the
			    one that it starts (of the same op), else aux = ns from t1 to the moment
			    it was consumed */
	LOG_EVENT = 6,	 /* id life, op, v instance, scope units, type event_kind, cls, aux desc */
	LOG_EFFECT = 7,	 /* id cause, v amount, type effect_kind; [t0,t1] */
	LOG_LIVE = 8,	 /* id life, v units; flags AT_START */
	LOG_DIAGNOSIS = 9,     /* cls label name, type subject name; [t0,t1] */
	LOG_CONTRADICTED = 10, /* aux desc; t1 = the act */
	LOG_AMB = 11,  /* id handoff, v = amb group token (may follow its SRC at any distance) */
	LOG_MARK = 12, /* id handoff, marks to add (what became known later) */
	/* what the workload knows that it spent, type enum log_cost: of OP id op and v; of FUNCTION
	   scope address as linked and v. No window */
	LOG_COST = 13,
	LOG_KIND_CNT = 14,
};

enum log_cost {
	LOG_COST_BYTES = 0,    /* moved by I/O of operation id */
	LOG_COST_FUNCTION = 1, /* CPU ns of a function, all its calls by this thread; id 0 */
	LOG_COST_CNT = 2,
};

enum log_flag {
	LOG_F_STARTS = 1u << 0,
	LOG_F_OPEN = 1u << 1,
	LOG_F_AT_START = 1u << 2,
	LOG_F_SCOPE = 1u << 3, /* scope is given */
	LOG_F_SEQ = 1u << 4,   /* seq is given (handoff may be in a batch) */
};

/* What went wrong in a slot; any bit makes the run broken. */
enum log_trouble {
	LOG_TROUBLE_FULL = 1u << 0,   /* a record did not fit */
	LOG_TROUBLE_TOKENS = 1u << 1, /* more tokens were asked for than were dealt */
	LOG_TROUBLE_RANGE = 1u << 2,  /* a figure did not fit its field */
};

struct log_rec {
	uint64_t t0, t1;
	uint64_t id, op;
	uint64_t v, scope;
	uint32_t seq;
	uint16_t marks;
	uint8_t kind; /* enum log_kind; written last of a record's bytes */
	uint8_t type;
	uint8_t ns;
	uint8_t flags;
	uint16_t cls;
	uint32_t aux;
};
_Static_assert(sizeof(struct log_rec) == 64, "log records have 64 bytes");

/*
 * One a thread; slots do not share cache lines. Offsets are bytes from the start of the channel.
 * The tables are consumed from the front and zeroed as they are used, so that the memory does not
 * say which tokens were decoys; how far a table was used is where its zeros end.
 */
struct log_slot {
	uint32_t tid;			 /* 0: slot unused; written by the claiming thread */
	uint32_t trouble;		 /* enum log_trouble */
	uint64_t cnt;			 /* records written, released */
	uint64_t recs_off, recs_cap;	 /* struct log_rec[] */
	uint64_t tokens_off, tokens_cap; /* uint64_t[] */
	uint64_t decoys_off, decoys_cap; /* struct log_decoy[] */
	uint8_t pad[64];
};
_Static_assert(sizeof(struct log_slot) == 128, "slots do not share cache lines");

struct log_decoy {
	uint64_t gap; /* true records between the decoy before and this one, at least 1 */
	uint64_t token;
};

struct log_channel {
	uint64_t magic;
	uint32_t version, slots_cnt;
	uint64_t bytes;	     /* size of the channel */
	uint64_t slots_off;  /* struct log_slot[slots_cnt] */
	uint32_t slots_next; /* fetch-add claims a slot; beyond slots_cnt: no slot, run broken */
	uint32_t keys;	     /* bit 1u << key_ns; written before the first record */
	char kinds[LOG_NAMES][LOG_NAME_LEN];   /* operation kinds; before the first record */
	char classes[LOG_NAMES][LOG_NAME_LEN]; /* resource classes, diagnosis labels, subjects */
	/* close block: the workload's own independent counters; closed is written last, released */
	uint64_t count_begin, count_end, count_segment, count_handoff, count_event;
	uint64_t closed; /* LOG_MAGIC once closed */
};

#endif
