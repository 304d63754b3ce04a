/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scorer: claims against truth (contracts §5). Pure functions of records; nothing here knows
 * a workload or asks who made a claim. Results do not depend on the order of claims.
 *
 * Counts are exact; ratios are left to the printer (0/0 is null). Thread-safe: no globals.
 */
#ifndef ASSAY_SCORING_SCORE_H
#define ASSAY_SCORING_SCORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "groundtruth/truth.h"
#include "lib/formats/claims.h"

enum score_level { LEVEL_CONTEXT = 0, LEVEL_IDENTITY = 1, LEVEL_CNT = 2 };

/* C of contracts §6: the counts behind one line of a score table. */
struct handoff_counts {
	uint64_t truth, claims, two_ended;
	uint64_t right, duplicate, false_join, half, spurious, orphan;
	uint64_t out_of_scope, decoy_hits, credited, by_ready;
	uint64_t orphan_only; /* handoffs of which only orphans speak */
};

struct handoff_level {
	struct handoff_counts all, declared;
	struct handoff_counts type[HANDOFF_TYPE_CNT];
	struct handoff_counts mark[MARK_CNT];
	struct handoff_counts source[SOURCE_CNT];
	/* bit i set: that type, mark or source occurs in truth or claims and is printed */
	uint32_t types, marks, sources;
};

struct handoff_score {
	struct handoff_level level[LEVEL_CNT];
	uint64_t one_ended_truth, one_ended_named, one_ended_joined;
	bool cheating;
};

/* What became of one claim, for `assay explain` and for the cross-check with the naive scorer. */
enum outcome {
	OUT_NOT_SCORED = 0, /* no handoff claim, outside `scored`, or not of this level */
	OUT_RIGHT = 1,
	OUT_DUPLICATE = 2,
	OUT_FALSE_JOIN = 3,
	OUT_HALF = 4,
	OUT_SPURIOUS = 5,
	OUT_ORPHAN = 6,
	OUT_OF_SCOPE = 7,
};

struct handoff_verdicts { /* arrays of claims->cnt entries, allocated by the caller, or NULL */
	uint8_t *outcome[LEVEL_CNT];   /* enum outcome */
	uint32_t *credited[LEVEL_CNT]; /* index of the truth handoff, UINT32_MAX: none */
};

/* contracts §5.1. Negative errno only if memory fails. v may be NULL. */
int score_handoffs(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		   struct handoff_verdicts *v);

struct score_options {
	uint8_t start;	      /* health_state in force at attach; HEALTH_VALIDATED by default */
	const char *manifest; /* path or NULL */
	unsigned threads;     /* 0: all cores */
	uint64_t memory;      /* bytes; 0: default bound */
};

struct score; /* everything of §6's object; owned */

/*
 * `assay score` on two files: loads, checks, scores. Always returns a score whose status is ok,
 * invalid or broken (broken wins), unless memory fails or a file cannot be read (NULL and *d).
 */
struct score *score_files(const char *truth_path, const char *claims_path,
			  const struct score_options *o, struct diag *d);
void score_free(struct score *s);

enum score_status { SCORE_OK = 0, SCORE_INVALID = 1, SCORE_BROKEN = 2 };
enum score_status score_status(const struct score *s);
const struct diag *score_error(const struct score *s); /* set when not ok */
const struct handoff_score *score_handoff(const struct score *s);

/* The object of §6, one line, same input same bytes. */
int score_json(const struct score *s, FILE *out);

/*
 * Tidy figures for scores.csv, in a fixed order: metric such as "handoff.context.f1", scope such
 * as "all", "declared", "type:io", "mark:punted"; n is the denominator; !has: 0/0.
 */
struct score_figure {
	char metric[64], scope[64];
	double value;
	bool has;
	uint64_t n;
};
int score_each_figure(const struct score *s, int (*fn)(const struct score_figure *, void *),
		      void *arg);

#endif
