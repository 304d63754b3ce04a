/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The corpus of a training: recorded runs of which it is known what became invalid.
 *
 * An index names them, one a line, tab-separated: INDEX_HEADER. `since` is when the invalid
 * descriptors became so (0: none is), `invalid` their ids with commas, "-" for none; `frozen` says
 * whether the mutation is in the list of those with a witness: 1, or 0. Every run is joined once
 * and its checks are kept: they do not depend on thresholds. Owned by the caller.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_TRAIN_CORPUS_H
#define ASSAY_PROFILERS_CAUSAL_TRAIN_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/formats/evidence.h"
#include "lib/formats/manifest.h"
#include "profilers/causal/suspicion.h"

#define INDEX_HEADER "id\tclass\tform\tevidence\tmanifest\tfrom\tto\tsince\tinvalid\tfrozen"

enum { CORPUS_WORD = 64, CORPUS_PATH = 1024, CORPUS_INVALID = 16 };

struct corpus_run {
	char id[CORPUS_WORD], class[CORPUS_WORD], form[CORPUS_WORD];
	char evidence[CORPUS_PATH], manifest[CORPUS_PATH];
	uint64_t from, to, since;
	uint32_t invalid[CORPUS_INVALID], invalid_cnt;
	bool frozen;
	double weight; /* runs of one form of one mutation weigh 1 together */
};

/* Checks that were judged together. */
struct step {
	double loss;
	struct suspicion_run run;
};

/* One test of one rule in one run. */
struct series {
	size_t run;
	uint32_t resource; /* index */
	uint8_t test;	   /* enum test */
	bool names;	   /* the rule names an invalid descriptor */
	bool untouched;	   /* no descriptor of any resource that it looks at is invalid */
	struct step *v;
	size_t cnt;
	uint64_t held, bad;
};

struct corpus {
	struct corpus_run *runs;
	size_t runs_cnt;
	struct series *series;
	size_t series_cnt;
};

/* Reads the index and joins every run. */
int corpus_load(const char *index, struct corpus *ret, struct diag *d);
int corpus_read(const char *index, struct corpus *ret, struct diag *d); /* joins none */
void corpus_free(struct corpus *c);

/* At each tenth of a run, for each descriptor: what was believed of it, and whether it was invalid.
 * Joins the run anew, with these thresholds. */
struct believed {
	double all[BELIEF_CNT], invalid[BELIEF_CNT]; /* runs, by their weight */
};
int corpus_beliefs(const struct corpus_run *r, const struct thresholds *t, struct believed *add,
		   struct diag *d);

/* A run, ready to be joined as often as wanted. */
struct corpus_join {
	const struct corpus_run *run;
	struct manifest m;
	struct evidence e;
};
int corpus_join_open(const struct corpus_run *r, struct corpus_join *ret, struct diag *d);
void corpus_join_close(struct corpus_join *j);

struct causal_tuning;
struct outlet;
int corpus_join(const struct corpus_join *j, const struct causal_tuning *tuning, struct outlet *out,
		struct diag *d);

bool corpus_is_invalid(const struct corpus_run *r, uint32_t id);

#endif
