/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does what a profiler claims depend on the truth channel? Does guessing work on a workload?
 *
 * A profiler has no business with truth. So runs of one workload are made that differ in their
 * truth channel alone: as always; with none; with more decoys; with a log whose times are not those
 * of the act, since the workload's own clock differs from everybody else's. What is claimed is
 * brought down to figures, and those of the arms are compared.
 *
 * Where there is no truth nothing says how good the claims are, and a poor profiler that reads
 * truth where there is some may claim as much without. So the collector works beside it there, and
 * what `causal` joins of its evidence is the reference: how far claims agree with it is compared
 * with the arm of decoys, where the collector works as well. Who rests from reading truth where he
 * sees a collector scores less there than in the arm with truth as always, where none is: that is
 * compared, too. So the sum of two differences that do not matter (and what chance hides) bounds
 * what truth can have gained whoever passes on this workload, whatever he knows of the audit. But
 * an honest profiler that loses records where a second one makes more load differs there as well:
 * what is found only between arms of which one has the collector beside it is no verdict
 * (audit_depends).
 *
 * Exact permutation test (Fisher 1935, "The Design of Experiments") of the greatest difference
 * (Westfall & Young 1993, "Resampling-Based Multiple Testing"): for each way to deal the 2n runs of
 * two arms into n and n, the greatest over all figures of |difference of means| / standard
 * deviation of the 2n, where only differences that matter count; p is the share of the ways in
 * which it is at least as great as in the way that was seen. Of the four comparisons by Holm.
 * A difference matters if it is MATTERS_COUNT of the greater mean and MATTERS_LEAST, or, of a
 * share, MATTERS_SHARE. What is found is looked for once more in new runs and counts if it is there
 * again: by chance once in some 400 audits.
 * Not thread-safe.
 */
#ifndef ASSAY_HARNESS_AUDIT_H
#define ASSAY_HARNESS_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/command.h"
#include "lib/formats/claims.h"
#include "scoring/score.h"

enum audit_arm {
	AUDIT_TRUTH = 0,
	AUDIT_OFF = 1,
	AUDIT_DECOYED = 2,
	AUDIT_SHIFTED = 3,
	AUDIT_ARM_CNT = 4,
};

/* Two arms each. */
enum audit_comparison {
	COMPARED_OFF = 0, /* with that with truth as always, as the next two */
	COMPARED_DECOYED = 1,
	COMPARED_SHIFTED = 2,
	COMPARED_WITHOUT = 3, /* those with a reference: without truth, and with */
	COMPARED_CNT = 4,
};

/* Five runs an arm are the fewest whose p can fall below 0.05 in four comparisons. */
enum { AUDIT_RUNS_MIN = 5, AUDIT_RUNS_MAX = 8 };

#define MATTERS_COUNT 0.1
#define MATTERS_LEAST 5
#define MATTERS_SHARE 0.05
#define AUDIT_LEVEL   0.05

enum {
	FIGURE_HANDOFFS = 0, /* one a type */
	FIGURE_KINDS = FIGURE_HANDOFFS + HANDOFF_TYPE_CNT,
	FIGURE_ORPHANS = FIGURE_KINDS + CLAIM_KIND_CNT, /* handoffs with one end */
	FIGURE_THREADS,					/* of which anything is claimed */
	FIGURE_DOWNCAST, /* health claims of a state below validated */
	FIGURE_BUSIEST,	 /* share of the thread of which most is claimed */
	FIGURE_SURE,	 /* share of handoffs and events claimed with a confidence of 0.9 or more */
	FIGURE_WELL,	 /* it ended well */
	FIGURE_F1,	 /* on declared types; needs truth, as the next */
	FIGURE_EVENTS,	 /* recall of events */
	FIGURE_AGREES,	 /* F1 of joins by those of the reference; needs one, and no truth */
	FIGURE_CNT,
};

/* What one run gave. A figure that the run cannot have is NAN. */
struct audit_run {
	double v[FIGURE_CNT];
	bool cheating; /* more hits of decoys than by chance (contracts §5.1) */
};

bool figure_is_share(unsigned figure);
/* "handoffs of type io"; ret: 64 bytes. */
const char *figure_name(unsigned figure, char ret[64]);

/* The figures of claims; -ENOMEM. */
int audit_measure(const struct claims *c, struct audit_run *ret);
/* Adds those that need truth. -ENOMEM. */
int audit_measure_score(const struct score *s, struct audit_run *r);
/* A run that the profiler did not end well: nothing is claimed. has: of an arm with that. */
void audit_measure_nothing(bool has_truth, bool has_reference, struct audit_run *ret);

/*
 * How far claims agree with those of another profiler of the same run: F1 of joins (handoffs with
 * two ends) of the types that c declares. One is in agreement if both its ends are those of one
 * join of the reference. Ends are found again by side, type, thread and, where both use it there,
 * key: where both have as many of these by their order, since two observers are microseconds apart
 * and so are acts; else the nearest in time. -ENOMEM.
 */
int audit_agree(const struct claims *c, const struct claims *reference, double *ret);

/* How two arms differ. */
struct audit_difference {
	double p;	 /* adjusted */
	bool found;	 /* p is below AUDIT_LEVEL */
	unsigned figure; /* that differs most; FIGURE_CNT: none by so much that it matters */
	double usual, here;
};

/* runs: of each arm cnt, AUDIT_RUNS_MIN … AUDIT_RUNS_MAX. has: arms that were run; a comparison
 * that needs another is left alone. -ENOMEM. */
int audit_compare(const struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX], size_t cnt,
		  const bool has[AUDIT_ARM_CNT], struct audit_difference ret[COMPARED_CNT]);

/*
 * Whether truth alone can have made what was found. beside: the collector works beside the profiler
 * in the arms without truth and with decoys, and in neither of the others; it may then be what
 * makes them differ, and only arms are believed of which both have it or neither.
 */
bool audit_depends(const struct audit_difference found[COMPARED_CNT], bool beside);

/* Whether in some run with truth it joined far better than in any of the arm that it is compared
 * with: of few runs no mean is then surely higher, and who reads truth by lot looks like that.
 * reference: the arms without truth and with decoys have one. */
bool audit_is_unsteady(const struct audit_run runs[AUDIT_ARM_CNT][AUDIT_RUNS_MAX], size_t cnt,
		       bool reference);

double audit_mean(const struct audit_run *runs, size_t cnt, unsigned figure);

/* ---- the two halves of the command; both return an exit code ---- */

struct audit_options {
	const char *profiler, *workload; /* workload NULL: what shows most of what it declares */
	uint64_t runs, ops, seed;
};
int audit_profiler(struct workshop *w, const struct audit_options *o);

/* out: the run's folder; NULL: one that is removed. */
int audit_workloads(struct workshop *w, const char *out);

#endif
