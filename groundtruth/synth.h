/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Made-up runs whose score is known beforehand: truth and claims of any size, and the counts that
 * contracts §5.1 gives them.
 *
 * A run is a sequence of rounds. In a round every lane (four threads and a set of keys of its own)
 * holds one case: a few handoffs and the claims about them, so shaped that §5.1 leaves no choice
 * about the outcome. Cases cannot touch each other: those of one lane lie in different rounds, and
 * nothing of a case reaches beyond its round; those of one round lie on different threads and use
 * different keys. The expected counts are added up as the cases are made; no scorer is asked.
 *
 * Memory is constant: files are streamed. Same options, same bytes. Truth passes truth_check; it
 * has handoffs, decoys and the operations that they name, and no segments, events or costs.
 */
#ifndef ASSAY_GROUNDTRUTH_SYNTH_H
#define ASSAY_GROUNDTRUTH_SYNTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"
#include "lib/formats/claims.h"
#include "lib/vocab.h"

/* The cases; what each is made of and why its outcome is certain stands where it is made. */
enum synth_case {
	SYNTH_RIGHT = 0,
	SYNTH_REUSE = 1,       /* one key twice, one after the other */
	SYNTH_KEYLESS = 2,     /* right without a key */
	SYNTH_BATCH = 3,       /* equal keys, overlapping windows, told apart by rank */
	SYNTH_BATCH_SWAP = 4,  /* the same with two of them exchanged */
	SYNTH_MULTISHOT = 5,   /* one src, several dst */
	SYNTH_FANOUT = 6,      /* one src, several receivers */
	SYNTH_COALESCED = 7,   /* several src, one dst */
	SYNTH_AMB = 8,	       /* two handoffs that nobody can tell apart */
	SYNTH_KERNEL = 9,      /* an end on a kernel thread: right at identity level alone */
	SYNTH_RECEIVER = 10,   /* a wrong receiver: right at identity level, half in context */
	SYNTH_STRANGER = 11,   /* an end on an unlisted thread that matches nothing */
	SYNTH_FALSE_JOIN = 12, /* src of one handoff, dst of another */
	SYNTH_KEYLESS_FALSE = 13,
	SYNTH_DUPLICATE = 14,	  /* two claims of one handoff */
	SYNTH_SHARED_SRC = 15,	  /* one src observation for two handoffs without a mark */
	SYNTH_HALF = 16,	  /* one end matches */
	SYNTH_SPURIOUS = 17,	  /* none does: place, key or type are wrong */
	SYNTH_ORPHAN = 18,	  /* one end null, the other matches */
	SYNTH_ORPHAN_BESIDE = 19, /* an orphan of a handoff that another claim joins */
	SYNTH_MISSED = 20,	  /* nobody says anything */
	SYNTH_ONE_ENDED = 21,	  /* a handoff with one end, no claim */
	SYNTH_ONE_ENDED_NAMED = 22,
	SYNTH_ONE_ENDED_JOINED = 23,
	SYNTH_OUT_OF_SCOPE = 24, /* a key that truth does not use */
	SYNTH_DECOY = 25,	 /* a decoy that nobody falls for */
	SYNTH_DECOY_HIT = 26,	 /* somebody does: the cell is cheating */
	SYNTH_CASE_CNT = 27,
};

enum { SYNTH_THREADS_MIN = 4, SYNTH_THREADS_MAX = 65536, SYNTH_CASE_HANDOFFS = 4 };
#define SYNTH_HANDOFFS_MAX UINT64_C(200000000)

struct synth_options {
	uint64_t seed;
	uint64_t handoffs;	      /* records of truth, exactly; 1 … SYNTH_HANDOFFS_MAX */
	double share[SYNTH_CASE_CNT]; /* of all cases, relative to each other */
	uint32_t threads;	      /* listed in truth; a lane each four */
	uint32_t keys;		      /* key values of all lanes, at least two a lane */
	uint32_t types;		      /* bit 1u << type for each handoff type */
	bool text;		      /* JSON Lines; truth is then loaded whole for a moment */
};

/* The fields of struct handoff_counts in scoring/score.h that are counted. */
struct synth_counts {
	uint64_t truth, claims, two_ended;
	uint64_t right, duplicate, false_join, half, spurious, orphan;
	uint64_t out_of_scope, decoy_hits, credited, by_ready;
	uint64_t orphan_only;
};

enum synth_level { SYNTH_CONTEXT = 0, SYNTH_IDENTITY = 1, SYNTH_LEVEL_CNT = 2 };

struct synth_expect {
	struct synth_options options;
	struct synth_counts all[SYNTH_LEVEL_CNT];
	struct synth_counts type[SYNTH_LEVEL_CNT][HANDOFF_TYPE_CNT];
	struct synth_counts mark[SYNTH_LEVEL_CNT][MARK_CNT];
	uint64_t one_ended_truth, one_ended_named, one_ended_joined;
	uint64_t claims; /* lines, those that are not scored included */
	uint64_t decoys;
	uint64_t cases[SYNTH_CASE_CNT];
	bool cheating;
};

/* Every case, eight threads, 1,024 keys, ten types, seed 1, 10,000 handoffs. */
void synth_defaults(struct synth_options *ret);

const char *synth_case_name(unsigned c);
double synth_case_share(unsigned c);   /* the default */
uint32_t synth_case_types(unsigned c); /* types of which it can be made; of others it is not */

/* "right=0.9,false_join=0.02": those shares, and no others. -EINVAL and *d; *ret untouched. */
int synth_shares_parse(const char *text, double ret[SYNTH_CASE_CNT], struct diag *d);

/* "io,wake" as bits; -EINVAL and *d. */
int synth_types_parse(const char *text, uint32_t *ret, struct diag *d);

/* -EINVAL and *d where no run can be made of the options. */
int synth_check(const struct synth_options *o, struct diag *d);

/* Writes both files. Negative errno and *d; *ret is untouched then. */
int synth_write(const struct synth_options *o, const char *truth_path, const char *claims_path,
		struct synth_expect *ret, struct diag *d);

/* One JSON object and a line end; its "handoff" and "one_ended" are those of contracts §6 with the
 * counts and without the ratios. */
int synth_expect_print(const struct synth_expect *e, FILE *out);

#endif
