/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every number by which the embedded profiler decides that a descriptor has gone stale.
 *
 * A rule is a sequential test of its violation rate: at most `valid` while the contract holds, at
 * least `stale` once it does not. Each check adds the log likelihood ratio, never below 0 (Page's
 * CUSUM, so that an onset late in a run is found as fast as one at its start); a rule makes its
 * descriptors suspect, then stale, when the sum passes the two levels. What lost records can
 * explain is added to `valid` (suspicion.h).
 *
 * Rates, levels and probabilities are trained (train/) and stand in thresholds.def; the training
 * reads and writes tables of that form, so that a class of mutations can be left out. What stands
 * here was chosen by hand and says how long a look is, not what it has to show.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_THRESHOLDS_H
#define ASSAY_PROFILERS_CAUSAL_THRESHOLDS_H

#include "lib/formats/manifest.h"

/* What is tested: each kind of invariant, and what some of them watch beside. */
enum test {
	TEST_PAIRING = INV_PAIRING,
	TEST_MEMBERSHIP = INV_MEMBERSHIP,
	TEST_GENERATION = INV_GENERATION,
	TEST_BALANCE = INV_BALANCE,
	TEST_RATIO = INV_RATIO,
	TEST_ORDER = INV_ORDER,
	TEST_RANGE = INV_RANGE,
	TEST_MONOTONE = INV_MONOTONE,
	TEST_SILENCE = INV_SILENCE,
	TEST_EMIT_RATE = INV_EMIT_RATE,
	TEST_ACTOR = INV_ACTOR,
	TEST_SYSTEM_EFFECT = INV_SYSTEM_EFFECT,
	TEST_KNOWN_VALUE = INV_KNOWN_VALUE,
	TEST_EXCLUSION = INV_EXCLUSION,
	TEST_COUNT = INV_COUNT,
	/* balance: a window of `within` in which units never came back */
	TEST_WITHIN = INV_KIND_CNT,
	/* pairing: ENDS_WINDOW releases of which none ended a life: two units that are not the
	 * same. What is given back in parts for ever looks like that too: suspect at most. */
	TEST_ENDS,
	/* pairing, membership: used or given up by a thread that did not acquire it, though one
	 * operation owns it: that may be an operation that moves, so suspect at most. */
	TEST_MOVED,
	/* membership, where operations move: used by a thread that never acquires or gives up any.
	 * Suspect at most, too. */
	TEST_STRANGER,
	/* membership: more units used than are held. Of two units nothing tells which is right:
	 * suspect at most. */
	TEST_BEYOND,
	/* pairing: RETURN_WINDOW acquires of an instance that is never given back, while others
	 * are. What was acquired was none, or its releases are missed: suspect at most. */
	TEST_RETURN,
	/* of every resource: a process that hit its sites has executed a file, goes on, and hits
	 * them no more. They are still right elsewhere: suspect at most. */
	TEST_IMAGE,
	TEST_CNT
};

struct threshold {
	double valid, stale;	     /* violation rates */
	double at_suspect, at_stale; /* log likelihood ratio */
};

/* What is known of a descriptor, each with a probability that it is invalid. */
enum belief {
	BELIEF_UNSEEN,	  /* no invariant looks at it */
	BELIEF_START,	  /* nothing yet */
	BELIEF_CLEAN,	  /* HEALTH_CLEAN checks without a violation */
	BELIEF_CANDIDATE, /* a candidate, or a best-effort binding to another build */
	BELIEF_PARTNER,	  /* shares a violated rule with one that is more to blame */
	BELIEF_WARNED,	  /* the rule is one that only warns */
	BELIEF_TIED,	  /* its rule is stale, and nothing tells who is to blame */
	BELIEF_SUSPECT,	  /* its rule is suspect */
	BELIEF_BLAMED,	  /* its rule is stale and it is to blame */
	BELIEF_REFUSED,	  /* it has no site */
	BELIEF_CNT
};

struct thresholds {
	struct threshold test[TEST_CNT];
	double p_stale[BELIEF_CNT];
	/* Bits 1u << enum test: not made, to see what is found without. None is off in what is
	 * shipped. */
	uint32_t off;
};

extern const struct thresholds thresholds_shipped; /* thresholds.def */

/* What a training adds; either may be NULL. */
struct causal_trace;
struct causal_tuning {
	const struct thresholds *thresholds; /* NULL: those that are shipped */
	const struct causal_trace *trace;
};

enum {
	ENDS_WINDOW = 64, /* releases */
	RATIO_BLOCK = 32, /* hits of both */
	RATIO_LEAST = 4,  /* blocks before a ratio is doubted */
	RATIO_COMPARED =
		4, /* comparisons of sums of many blocks before they say what chance does */
	RATIO_WINDOW = 512, /* hits of both, in which a ratio is found to be kept */
	RATIO_KEPT = 2,	    /* the first windows, if all kept it: the sites mean what they should */
	EMIT_WINDOW = 256,  /* hits */
	ACTOR_WINDOW = 256, /* events */
	MONOTONE_RUN = 16,  /* events */
	STRANGER_LEAST = 16,  /* lives used by a thread before it counts as one that holds none */
	RETURN_WINDOW = 32,   /* acquires of an instance, and releases of others meanwhile */
	IMAGE_LEAST = 64,     /* hits by a process that say that it is the program described */
	IMAGE_WINDOW = 32,    /* system calls by which it goes on */
	IMAGE_FACTOR = 8,     /* or so many times the most between two hits */
	IMAGE_START = 128,    /* system calls before its first hit */
	SILENCE_LEAST = 128,  /* effects without an event that are a silent stretch */
	SILENCE_FACTOR = 8,   /* or so many times the longest stretch that was none */
	CAPACITY_LEAST = 500, /* acquires before too little of a capacity is in use */
	HEALTH_CLEAN = 500,   /* checks */
	MISSED_LEAST = 64,    /* acquires before few releases say that the others were missed */
	IDLE_LEAST = 64,      /* lives that ended, before it is known how many do unused */
	BLAME_LEAST = 8,      /* violations that name one of several before it is to blame */
	BORROWED_LEAST = 8,   /* overlaps by another thread that should have come, and did not */
};

/* Standard deviations that a sum of blocks may be off by chance. */
#define RATIO_SIGMAS 4.0

/* A share of emitted events this much below the one learned before is a violation. */
#define EMIT_DROP 8.0

/* A rule learns nothing from a time in which loss may have spoiled more than this share. */
#define LOSS_BLINDS 0.3
/* Checks that one lost record can spoil. */
#define LOSS_SPOILS 2.0

#endif
