/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Acceptance cases of a run, judged: what the naive reference read of both versions, and what each
 * profiler made of them.
 *
 * Which cells are versions of a case is in cases.json, which the plan's maker left; all figures are
 * the run's own. Seeds are taken together: whoever was wrong once was wrong.
 *
 * Of a quad, somebody reads wrongly if the figure of its record is out of bounds, in any seed, or
 * if it names an illness; rightly, if the figure is there and within them, in every seed: 0 of 0 is
 * neither. Who found out, every stale resource, before the first diagnosis but "healthy", has
 * doubted: such a mutant does what its base does (its canon is equal).
 *
 * Of handoffs, wrong is of whose claims with two ends more than 0.5 % join what was not. Else right
 * is who joins at least 99 % of truth's handoffs. Else doubted is who says so: of at most 1 % of
 * truth's handoffs nothing is said, neither a join, nor an orphan, nor, under loss, a gap that they
 * meet. Who is silent about more is wrong.
 *
 * A case is reproduced if the reference reads the second version wrongly and the first one rightly;
 * of a quad, the second one out of bounds in every seed. One that needs a processor with nothing to
 * do cannot be asked where there was none: where all were busy for more than 7 of 10 parts of the
 * run and the reference was right, it has no answer.
 *
 * Strings are the view's or the file's; both outlive the struct. Not thread-safe (the view).
 */
#ifndef ASSAY_RESULTS_ACCEPTANCE_H
#define ASSAY_RESULTS_ACCEPTANCE_H

#include "results/view.h"

enum verdict {
	VERDICT_NONE = 0, /* it has no cell, or says nothing of the kind, or nothing in a seed */
	VERDICT_RIGHT = 1,
	VERDICT_DOUBTED = 2,
	VERDICT_WRONG = 3,
	VERDICT_FAILED = 4, /* its cell ended otherwise than well */
	VERDICT_CNT = 5,
};

const char *verdict_word(unsigned v); /* "-" for none */

struct acceptance_side {
	const char *workload, *variant, *regime, *scope;
	const struct view_group *g; /* NULL: not in the run */
};

/* What somebody counted of one version. Of a quad only right and truth: as many of what there is;
 * of handoffs also claims that join wrongly, and handoffs of which nothing but an orphan speaks. */
struct acceptance_reading {
	bool has;
	double right, wrong, orphan, truth;
};

/* What a profiler made of a case. */
struct acceptance_said {
	enum verdict verdict;  /* of the second version */
	bool confident;	       /* the first one was read rightly and without a doubt */
	enum cell_state state; /* the worst of its cells */
};

struct acceptance_row {
	const char *id, *part, *class, *source, *changes, *read, *exposes, *naive, *metric;
	bool has_above, has_below, handoffs, idle;
	double above, below;
	struct acceptance_side before, after;
	struct acceptance_reading reading[2]; /* of the reference */
	bool there;			      /* the reference's cells ended well */
	bool busy;			      /* there, and no answer: see above */
	bool reproduced;
	struct acceptance_said *said; /* one a contestant */
};

struct acceptance {
	struct acceptance_row *rows; /* in the order of the file */
	size_t cnt;
	const char **contestants; /* who read at least half of the cases: names as in the plan */
	size_t contestant_cnt;
	void *json; /* owns the words of the rows */
};

/* A run without cases.json has none. -EINVAL where it is malformed, -ENOMEM. */
int acceptance_load(struct view *v, struct acceptance *ret, struct diag *d);
void acceptance_free(struct acceptance *a); /* fine on zeros */

/* What a reader counts, as text: "12 of 40", "12 right, 3 orphaned, 9 wrong of 40". */
void acceptance_text(const struct acceptance_row *r, unsigned version, char *ret, size_t len);

/* ---- what the parts share ---- */

int acceptance_judge(struct view *v, struct acceptance *a, struct diag *d);

#endif
