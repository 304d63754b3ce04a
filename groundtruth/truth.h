/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth: what the evaluator knows of one run (contracts §2).
 *
 * One in-memory model, three ways in: the raw logs of a workload (collect.h), the text form (JSON
 * Lines) and the packed binary form (truth.bin: the arrays below, mapped). Loaded truth is
 * immutable and may be read from any number of threads. Arrays are in file order. Windows are
 * closed [t0, t1] in ns of CLOCK_MONOTONIC.
 *
 * Only groundtruth, scoring, mutations, the harness and tests include this header.
 */
#ifndef ASSAY_GROUNDTRUTH_TRUTH_H
#define ASSAY_GROUNDTRUTH_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"
#include "lib/strtab.h"
#include "lib/vocab.h"

struct window {
	uint64_t t0, t1;
};

struct truth_key {
	uint64_t v, scope;
	uint8_t ns; /* KEY_NONE: no key */
	uint8_t has_scope;
	uint8_t pad[2];
	uint32_t ns_str; /* the word where ns is KEY_OTHER, else 0 */
};

struct truth_op { /* begin and end records, joined by op */
	uint64_t id;
	struct window begin, end; /* end.t0 == 0: no end record (broken unless open) */
	uint32_t kind_str;
	uint32_t begin_tid, end_tid;
	uint8_t has_begin, has_end, open;
	uint8_t pad;
};

struct truth_segment {
	uint64_t op;
	struct window t; /* [start, end] */
	uint32_t tid;
	uint32_t pad;
};

enum truth_handoff_has {
	TH_SRC = 1u << 0,
	TH_DST = 1u << 1,
	TH_SEQ = 1u << 2,
	TH_TAKE = 1u << 3,
	TH_AMB = 1u << 4,
	TH_MARKS = 1u << 5,    /* the text form had "marks" (perhaps empty) */
	TH_SRC_NULL = 1u << 6, /* the text form said "src":null, and did not leave it out */
	TH_DST_NULL = 1u << 7,
};

struct truth_handoff {
	uint64_t id;
	struct truth_key key;
	uint64_t src_op, dst_op;
	struct window src_t, dst_ready, dst_t;
	uint64_t seq, take, amb;
	uint32_t src_tid, dst_tid;
	uint16_t marks;
	uint8_t type;
	uint8_t has; /* enum truth_handoff_has */
	uint32_t pad;
};

enum truth_event_has { TE_OP = 1u << 0, TE_DESC = 1u << 1, TE_UNITS = 1u << 2 };

struct truth_event {
	uint64_t instance, life, op, units;
	struct window t;
	uint32_t class_str;
	uint32_t tid;
	uint32_t desc; /* 0: none (ids in headers start at 1) */
	uint8_t kind;  /* enum event_kind */
	uint8_t has;   /* enum truth_event_has */
	uint8_t pad[2];
};

struct truth_effect {
	uint64_t cause, v;
	struct window t;
	uint32_t tid;
	uint8_t kind; /* enum effect_kind */
	uint8_t pad[3];
};

/* What a cost is of: all but the first in the whole run. Numbers are part of the packed form. */
enum truth_cost_of {
	COST_OF_OP = 0,
	COST_OF_FUNCTION = 1,
	COST_OF_THREAD = 2,
	COST_OF_PAIR = 3,  /* two threads, "101>102": the second by the first; 0: by an interrupt */
	COST_OF_NAMES = 4, /* the same of pairs of their names */
	COST_OF_CNT = 5,
};

/* The field of the text form that names it; NULL: none, it is of an operation or a thread. */
const char *truth_cost_field(unsigned of);

struct truth_cost {
	uint64_t op, v; /* op: 0 if it is of something else */
	uint32_t kind_str;
	uint32_t tid; /* has_tid */
	uint8_t has_tid;
	uint8_t of; /* enum truth_cost_of */
	uint8_t pad[2];
	uint32_t name_str; /* of the function or pair; else 0 */
};

struct truth_loss {
	uint64_t from, to, lost;
	uint8_t has_lost;
	uint8_t pad[7];
};

struct truth_live { /* a life that exists at the end, or ("at":"start") at the start */
	uint64_t life, units;
	uint8_t at_start;
	uint8_t pad[7];
};

struct truth_diagnosis {
	struct window t;
	uint32_t label_str, subject_str;
};

struct truth_decoy {
	uint64_t id;	      /* has_id */
	struct truth_key key; /* as handoff */
	struct window t;
	uint64_t instance; /* as event */
	uint32_t class_str;
	uint32_t tid;
	uint8_t as_event; /* 0: handoff */
	uint8_t type;	  /* handoff_type or event_kind */
	uint8_t has_id;
	uint8_t pad[5];
};

struct truth_descriptor {
	uint32_t id;
	uint32_t resource_str;
	uint8_t valid, has_since, has_contradicted;
	uint8_t pad[5];
	uint64_t since, contradicted;
};

struct truth_counts {
	uint64_t begin, end, segment, handoff, event;
};

struct truth {
	/* header record */
	uint32_t workload_str, variant_str;
	uint64_t seed;
	struct window scored;
	const uint32_t *threads; /* in file order */
	size_t threads_cnt;
	uint32_t keys;		  /* bit 1u << key_ns for each listed space; no others are read */
	const uint32_t *key_strs; /* the listed words as written, in file order */
	size_t key_strs_cnt;
	const struct truth_descriptor *descriptors;
	size_t descriptors_cnt;

	const struct truth_op *ops;
	size_t ops_cnt;
	const struct truth_segment *segments;
	size_t segments_cnt;
	const struct truth_handoff *handoffs;
	size_t handoffs_cnt;
	const struct truth_event *events;
	size_t events_cnt;
	const struct truth_effect *effects;
	size_t effects_cnt;
	const struct truth_cost *costs;
	size_t costs_cnt;
	const struct truth_loss *losses;
	size_t losses_cnt;
	const struct truth_live *lives;
	size_t lives_cnt;
	const struct truth_diagnosis *diagnoses;
	size_t diagnoses_cnt;
	const struct truth_decoy *decoys;
	size_t decoys_cnt;

	/* close record */
	bool closed, full;
	struct truth_counts counts;

	/* order of the records of the text form, so that export reproduces it byte for byte */
	const uint32_t *order; /* (truth_record << 28) | index */
	size_t order_cnt;

	const struct strtab *strings;
	void *priv; /* storage; owned */
};

/* Kinds of records in `order`. Numbers are part of the packed form. */
enum truth_record {
	REC_BEGIN = 0, /* index in ops */
	REC_END = 1,   /* index in ops */
	REC_SEGMENT = 2,
	REC_HANDOFF = 3,
	REC_EVENT = 4,
	REC_EFFECT = 5,
	REC_COST = 6,
	REC_LOSS = 7,
	REC_LIVE = 8,
	REC_DIAGNOSIS = 9,
	REC_DECOY = 10,
	REC_CLOSE = 11, /* index is 0 */
	REC_CNT = 12,
};
enum { TRUTH_INDEX_BITS = 28 };

/* The record at a place of `order`; it stands on line place + 2 of the text form. */
static inline enum truth_record truth_order_record(uint32_t o)
{
	return (enum truth_record)(o >> TRUTH_INDEX_BITS);
}
static inline uint32_t truth_order_index(uint32_t o)
{
	return o & ((1u << TRUTH_INDEX_BITS) - 1);
}

/*
 * Reads either form. -EINVAL: malformed (run broken), diag names file, line, reason, cure. Does
 * not run the self-checks. *ret untouched on failure.
 */
int truth_load(const char *path, struct truth *ret, struct diag *d);
void truth_free(struct truth *t);

/* All self-checks of contracts §2. 0 or -EINVAL with the first failure in *d (run broken). The
 * path is only for the message. */
int truth_check(const struct truth *t, const char *path, struct diag *d);

/* Text form, byte for byte what was imported. Negative errno if the stream failed. */
int truth_export(const struct truth *t, FILE *out);

/* Packed form; PATH.part renamed at the end. */
int truth_save(const struct truth *t, const char *path, struct diag *d);

/* Sorted text of what the run means (contracts §2, Sameness): equal texts, equal runs. */
int truth_canon(const struct truth *t, FILE *out);

#endif
