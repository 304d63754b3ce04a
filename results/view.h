/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run arranged for the reader: groups of comparable rows, and the figures behind each row.
 *
 * A group holds what may be compared: one workload, variant, regime and binding. A row of it is one
 * profiler, replayed or live, with its cells of all seeds; rows come in the order in which reports
 * print them. Loaded once, then immutable but for the marks of what was shown. Owned by the view.
 */
#ifndef ASSAY_RESULTS_VIEW_H
#define ASSAY_RESULTS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/run_dir.h"
#include "results/run_quads.h"

/* The order of rows, and what is reported apart. */
enum rank {
	RANK_CEILING = 0, /* made from truth: what scores when all is said */
	RANK_PROFILER = 1,
	RANK_FLOOR = 2, /* division none: what guessing reaches */
	RANK_LIAR = 3,	/* made from truth: what scores when all that is said is wrong */
	RANK_CNT = 4,
};

struct view_row {
	const char *profiler, *division;
	enum rank rank;
	bool live;
	size_t order; /* of the profiler's name among all of its rank in the run: its colour */
	const struct run_cell **cells; /* in the plan's order, one a seed */
	size_t cell_cnt;
};

struct view_group {
	const char *workload, *variant, *regime, *binding;
	struct view_row *rows;
	size_t row_cnt;
};

/* One line of scores.csv; the strings are interned, so equal words are equal pointers. */
struct view_figure {
	const struct run_cell *cell;
	const char *metric, *scope, *status;
	bool has_value, has_interval, shown;
	double value, lo, hi;
	uint64_t n;
};

/* A figure over cells (cell "-"): of one profiler, regime and binding, live if its name ends with
 * " live"; of all workloads and variants ("-") or of one. */
struct view_summary {
	const char *binding, *regime, *profiler, *division, *workload, *variant, *metric, *scope;
	bool has_value, has_interval;
	double value, lo, hi;
	uint64_t n;
};

struct view {
	struct run_dir *run;
	struct run_quads quads;
	struct view_group *groups;
	size_t group_cnt;
	struct view_figure *figures; /* sorted by cell, metric, scope */
	size_t figure_cnt;
	struct view_summary *summaries; /* sorted by all their words, in the order of the struct */
	size_t summary_cnt;
	struct strtab *words;
};

/* A figure over the seeds of a row. */
struct span {
	unsigned seeds; /* cells that have this figure, 0/0 included */
	bool has;	/* at least one has a value */
	bool partly;	/* some of them have none */
	double min, max;
	uint64_t n; /* sum */
	/* of the mean over seeds, where there are at least SEEDS_MIN (contracts §5.8): */
	bool has_interval;
	double lo, hi;
};

enum { SEEDS_MIN = 12 };

/*
 * Refuses a run that does not reconcile: scores of cells that were never planned, scores that do
 * not tell of every planned cell how it ended, or tell another end than its status.
 */
int view_load(const char *run_dir, struct view **ret, struct diag *d);
void view_free(struct view *v);

/* The figure of every seed of the row together; marks them as shown. */
struct span view_span(struct view *v, const struct view_row *row, const char *metric,
		      const char *scope);

/*
 * The scopes that begin with prefix ("mark:") and for which any row of the group has the metric: a
 * sorted array that the caller frees, its strings the view's. Returns -ENOMEM or 0.
 */
int view_scopes(const struct view *v, const struct view_group *g, const char *metric,
		const char *prefix, const char ***ret, size_t *ret_cnt);

/* Sum over the row's cells of a count; false where no cell has it. Marks as shown. */
bool view_sum(struct view *v, const struct view_row *row, const char *metric, const char *scope,
	      double *ret);

/* The worst state of the row's cells, and how many are in it. */
enum cell_state view_state(const struct view_row *row, size_t *ret_cnt);

/* A figure over all cells of a profiler (by its name in the plan, " live" behind it where it is);
 * NULL: there is none. */
const struct view_summary *view_summary(const struct view *v, const char *binding,
					const char *profiler, const char *metric,
					const char *scope);

/* Whether anybody but those made from truth claims a handoff in the group. */
bool view_has_handoffs(struct view *v, const struct view_group *g);

/* Programs as they were built, bound as the headline asks, with all that was recorded of them.
 * Variants and other bindings belong to stale contracts. */
bool view_is_plain(const struct view_group *g);

/* Programs that turn ill in the middle of their run. */
bool view_is_ill(const struct view_group *g);

/* As plain, with something done to the evidence: a regime of loss. */
bool view_is_lossy(const struct view_group *g);

/* The same with something done while it ran: small-buffers, late-attach, pressure. */
bool view_is_hard(const struct view_group *g);

/* The same with planted resources in the manifest. */
bool view_has_candidates(const struct view_group *g);

/* Index of the cell's first figure; the figures of one cell are contiguous. */
size_t view_first(const struct view *v, const struct run_cell *cell);

/*
 * What a reader should call the row: the profiler's name, of a stranger's path the last part. ""
 * for no name.
 */
const char *view_label(const struct view_row *row);

/* "" for what goes without saying (base, clean, stamped, -), else the word itself. */
const char *view_unusual(const char *word);

#endif
