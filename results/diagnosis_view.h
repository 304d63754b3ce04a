/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's cells arranged for diagnosis: who was healthy, who ailed, who only looked ill, and what
 * was said of each (contracts §5.7).
 *
 * Borrowed from the view but for the arrays; made once, then immutable.
 */
#ifndef ASSAY_RESULTS_DIAGNOSIS_VIEW_H
#define ASSAY_RESULTS_DIAGNOSIS_VIEW_H

#include "lib/vocab.h"
#include "results/view.h"

enum case_kind {
	CASE_HEALTHY,	/* unchanged, a twin, or a rebuild */
	CASE_ILL,	/* ails from some moment on, and is healthy before */
	CASE_LOOKALIKE, /* healthy, and a stale manifest may show something else */
	CASE_CNT,
};

struct diagnosis_case {
	const struct view_group *g;
	enum case_kind kind;
	const char *label; /* what it ails from; NULL: nothing */
};

struct diagnosis_view {
	struct diagnosis_case *cases; /* by kind, then by workload and variant */
	size_t case_cnt;
	const char **contestants; /* who diagnoses anything: names as in the plan, " live" behind
				   * those that ran live */
	size_t contestant_cnt;
};

int diagnosis_view_make(struct view *v, struct diagnosis_view *ret); /* -ENOMEM */
void diagnosis_view_free(struct diagnosis_view *x);

/* What a contestant said of one case, summed over seeds. */
struct diagnosis_said {
	bool there;	       /* it has a row */
	double truth, found;   /* of what ails it; of one that is healthy, of that */
	double claims, wrong;  /* all diagnoses, and those that were false */
	double misled;	       /* cells with a false one */
	struct span wait;      /* ns until it was named */
	enum cell_state state; /* the worst of its cells */
};

struct diagnosis_said diagnosis_said_of(struct view *v, const struct diagnosis_case *c,
					const char *contestant);

/* Claims of `said` (enum diagnosis) while `held` did; other: about another subject than is to
 * blame. */
double diagnosis_count(struct view *v, const struct diagnosis_case *c, const char *contestant,
		       unsigned held, unsigned said, bool other);

/* Claims of `said` that were false, whatever held: another label's, or about another subject. */
double diagnosis_false(struct view *v, const struct diagnosis_case *c, const char *contestant,
		       unsigned said);

/* False diagnoses of one over the cases of which another was asked, too. */
double diagnosis_wrong_beside(struct view *v, const struct diagnosis_view *x, const char *one,
			      const char *other);

struct diagnosis_sum {
	double cells[CASE_CNT]; /* diagnoses that hold: one a cell, seeds apart */
	double found[CASE_CNT];
	double wrong[CASE_CNT];	 /* diagnoses */
	double misled[CASE_CNT]; /* cells with such */
	double claims;
	double wait_ns; /* median over cases of what was named; < 0: nothing was */
};

int diagnosis_sum(struct view *v, const struct diagnosis_view *x, const char *contestant,
		  struct diagnosis_sum *ret); /* -ENOMEM */

/* Of all that hold, the share that is named, and of all that is said the share that is false, by
 * those claims that are at least so sure: the most sure first. The caller frees. */
struct risk_point {
	double conf, coverage, risk;
	double claims;
};
int diagnosis_risk(struct view *v, const struct diagnosis_view *x, const char *contestant,
		   struct risk_point **ret, size_t *ret_cnt); /* -ENOMEM */

#endif
