/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every number by which the embedded profiler decides that a descriptor has gone stale.
 *
 * A rule is a sequential test of its violation rate: at most `valid` while the contract holds, at
 * least `stale` once it does not. Each check adds the log likelihood ratio, never below 0 (Page's
 * CUSUM, so that an onset late in a run is found as fast as one at its start); a rule makes its
 * descriptors suspect, then stale, when the sum passes the two levels. What lost records can
 * explain is added to `valid` (suspicion.h). Here and nowhere else, so that the table can be
 * trained with a class of mutations left out.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_THRESHOLDS_H
#define ASSAY_PROFILERS_CAUSAL_THRESHOLDS_H

#include "lib/formats/manifest.h"

struct threshold {
	double valid, stale;	     /* violation rates */
	double at_suspect, at_stale; /* log likelihood ratio */
};

/* A training gives its own table: -DASSAY_THRESHOLDS='"…"' in EXTRA_CFLAGS. */
#ifndef ASSAY_THRESHOLDS
#define ASSAY_THRESHOLDS "profilers/causal/thresholds.def"
#endif
static const struct threshold thresholds[INV_KIND_CNT] = {
#include ASSAY_THRESHOLDS
};

/* A window of `within` in which units never came back to the capacity. */
static const struct threshold threshold_within = {0.05, 0.9, 8, 14};

/* ENDS_WINDOW releases of which none ended a life: two units that are not the same. What is given
 * back in parts for ever looks like that too, so it makes suspect at most. */
static const struct threshold threshold_ends = {0.02, 0.9, 7, 14};

/* Used or given up by a thread that did not acquire it, though one operation owns it: that may be
 * an operation that moves, so it makes suspect at most. */
static const struct threshold threshold_moved = {0.001, 0.05, 10, 18};

/* Units in use below this share of the capacity, always: a capacity in another unit. */
#define CAPACITY_SHARE_LEAST (1.0 / 256)

enum {
	ENDS_WINDOW = 64,     /* releases */
	RATIO_WINDOW = 512,   /* hits of both */
	EMIT_WINDOW = 256,    /* hits */
	ACTOR_WINDOW = 256,   /* events */
	MONOTONE_RUN = 16,    /* events */
	SILENCE_LEAST = 128,  /* effects without an event that are a silent stretch */
	SILENCE_FACTOR = 8,   /* or so many times the longest stretch that was none */
	CAPACITY_LEAST = 500, /* acquires before a capacity is doubted for its share */
};

/* Standard deviations that a ratio may be off by chance. */
#define RATIO_SIGMAS 4.0

/* A share of emitted events this much below the one learned before is a violation. */
#define EMIT_DROP 8.0

/* Probability that a descriptor is invalid, by what is known of it. */
#define P_STALE_START	  0.05 /* before anything is */
#define P_STALE_CLEAN	  0.01 /* after HEALTH_CLEAN checks without a violation */
#define P_STALE_CANDIDATE 0.5  /* a candidate, or a best-effort binding to another build */
#define P_STALE_PARTNER	  0.3  /* shares a violated rule with one that is more to blame */
#define P_STALE_SUSPECT	  0.6  /* its rule is suspect */
#define P_STALE_WARNED	  0.4  /* the rule is one that only warns */
#define P_STALE_TIED	  0.5  /* its rule is stale, and nothing tells who is to blame */
#define P_STALE_BLAMED	  0.85 /* its rule is stale and it is to blame */
#define P_STALE_REFUSED	  0.99
enum { HEALTH_CLEAN = 500 };

/* A rule learns nothing from a time in which loss may have spoiled more than this share. */
#define LOSS_BLINDS 0.3
/* Checks that one lost record can spoil. */
#define LOSS_SPOILS 2.0

#endif
