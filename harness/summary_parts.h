/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a summary share. */
#ifndef ASSAY_HARNESS_SUMMARY_PARTS_H
#define ASSAY_HARNESS_SUMMARY_PARTS_H

#include "harness/summary.h"
#include "scoring/calibration.h"
#include "scoring/statistics.h"

enum { HEADLINES_MAX = 12, SAID_CNT = 3 /* kept, suspect, stale */ };
enum { BOOT_ROUNDS = 2000, BOOT_SEED = 1 };
#define LEVEL 0.95

/* The figures of cells that are summed up over seeds. */
struct headline {
	const char *metric, *scope;
};
extern const struct headline headlines[];
extern const size_t headline_cnt;

/* A stale resource of one cell: how long until it was found out. */
struct wait_of {
	char *resource;
	bool has_ns, has_events, censored;
	double ns, events;
};

struct sum_cell {
	const struct cell *c;
	enum cell_state state;
	double said[2][SAID_CNT]; /* [0: valid, 1: stale] resources */
	double detected, localised, alarms;
	bool undated; /* whether it had its doubts when they are dated is not known */
	struct wait_of *waits;
	size_t wait_cnt;
	struct forecast *forecasts;
	size_t forecast_cnt;
	bool has[HEADLINES_MAX];
	double value[HEADLINES_MAX];
};

/* A profiler under one regime and binding, replayed or live: its cells in the order of compare. */
struct contestant {
	struct sum_cell *const *cells;
	size_t cnt;
};

/* Where lines go; the contestant's columns are filled in by summary_put. */
struct sink {
	struct scores_csv *csv;
	const struct run_quads *quads;
	const char *run;
	struct diag *d;
};

struct line {
	const char *workload, *variant; /* NULL: "-" */
	const char *metric, *scope;
	bool has;
	double value;
	const struct interval *interval; /* NULL: none */
	uint64_t n;
};

int summary_put(const struct sink *s, const struct contestant *c, const struct line *l);

/* The identity of a cell's quad: class, mutation and workload as numbers that compare equal where
 * they are. Base is a quad of its own, one a workload. */
struct quad_of {
	const struct run_quad *known; /* NULL: base, or of a tree that knew it not */
	const char *form;	      /* base, mutant, twin */
	uint32_t class_number, quad_number;
};
struct quad_of summary_quad_of(const struct sink *s, const struct cell *c);

/* Each writes its lines for one contestant. */
int summary_quads(const struct sink *s, const struct contestant *c);
int summary_waits(const struct sink *s, const struct contestant *c);
int summary_forecasts(const struct sink *s, const struct contestant *c);
int summary_seeds(const struct sink *s, const struct contestant *c);

#endif
