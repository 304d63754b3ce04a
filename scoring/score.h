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
	/* of truth, what can be seen at the level (scoring/visibility.h), and of that, credited;
	 * counted for all, declared and by type */
	uint64_t visible, visible_credited;
};

struct handoff_level {
	struct handoff_counts all, declared;
	struct handoff_counts type[HANDOFF_TYPE_CNT];
	struct handoff_counts mark[MARK_CNT];
	struct handoff_counts source[SOURCE_CNT]; /* truth: the whole denominator */
	/* bit i set: that type, mark or source occurs in truth or claims and is printed (never
	   SOURCE_NONE, which has no word) */
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

/* What claims say of one truth handoff: bits of handoff_verdicts.spoken. */
enum spoken {
	SPOKEN_CREDITED = 1u << 0,  /* a right claim was credited with it */
	SPOKEN_TWO_ENDED = 1u << 1, /* in S and D of a two-ended claim */
	SPOKEN_ORPHAN = 1u << 2,    /* an orphan's known end matches it */
	SPOKEN_JOINED = 1u << 3,    /* has one end, and a false join or half has it in S or D */
};

/* Every array is allocated by the caller, or NULL. */
struct handoff_verdicts {
	uint8_t *outcome[LEVEL_CNT];   /* claims->cnt of enum outcome */
	uint32_t *credited[LEVEL_CNT]; /* claims->cnt: index of the handoff, UINT32_MAX: none */
	uint8_t *spoken[LEVEL_CNT];    /* truth->handoffs_cnt of enum spoken */
};

struct score_options {
	uint8_t start;	      /* health_state in force at attach; HEALTH_VALIDATED by default */
	const char *manifest; /* path or NULL */
	/* enum declares of lib/formats/claims.h, in place of what the claims' header says; NULL:
	 * that */
	const uint32_t *declares;
	unsigned threads; /* 0: all cores */
	/* bytes of anonymous memory for indexes of the run, as much again for all who score its
	 * parts, and for the copies and the sort of truth while they last; 0: default bound. What
	 * does not fit goes to an unlinked file in $TMPDIR */
	uint64_t memory;
};

/* contracts §5.1. Negative errno only if memory or the spill file fails. v and o may be NULL. */
int score_handoffs_with(const struct truth *t, const struct claims *c,
			const struct score_options *o, struct handoff_score *ret,
			struct handoff_verdicts *v);

/* The same with the default options. */
int score_handoffs(const struct truth *t, const struct claims *c, struct handoff_score *ret,
		   struct handoff_verdicts *v);

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

/* Handoff claims where not one of them is judged at any level, or left out for its key: all lie
 * outside the scored time, or on threads that truth does not know. 0: otherwise. */
uint64_t score_unjudged(const struct score *s);

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
