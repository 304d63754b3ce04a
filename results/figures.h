/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures that reports know by name, and the line each that tells a newcomer how to read it.
 *
 * Sources: contracts §5 and the object of §6. Whatever scores.csv holds beyond these is printed
 * too, as plain name and value. Constant tables; thread-safe.
 */
#ifndef ASSAY_RESULTS_FIGURES_H
#define ASSAY_RESULTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

enum figure_kind {
	FIGURE_COUNT = 0,
	FIGURE_RATIO = 1,  /* 0…1 */
	FIGURE_NUMBER = 2, /* any */
};

struct figure {
	const char *name;  /* last part of the metric: "precision" of handoff.context.precision */
	const char *head;  /* of a column */
	const char *about; /* one sentence */
	enum figure_kind kind;
	bool minor; /* not in the main tables */
};

/* Handoffs, contracts §5.1: C of §6. */
extern const struct figure handoff_figures[];
extern const size_t handoff_figure_cnt;

/* The other chapters of §5: one table each. */
struct part {
	const char *metric; /* all before the figure's name: "event.identity" */
	const char *title, *about;
	const char *scope; /* "all", or a prefix such as "kind:" for one row a scope */
	const struct figure *figures;
	size_t cnt;
};

extern const struct part parts[];
extern const size_t part_cnt;

const struct figure *figure_find(const char *name); /* of handoffs; NULL: none */

enum { METRIC_LEN = 96 };

/* "handoff.LEVEL.NAME" into ret; returns ret. */
char *handoff_metric(char ret[static METRIC_LEN], const char *level, const char *name);

/* The share of truth's handoffs that are of declared types; scope all. */
#define METRIC_COVERAGE "coverage"
/* 1 where a cell's figures follow, 0 where it was not scored; of every planned cell; scope all. */
#define METRIC_SCORED "cell.scored"
/* How many handoffs were claimed where not one of the claims could be judged; of such cells alone;
 * scope all. */
#define METRIC_UNJUDGED "cell.unjudged"
/* 1 where decoys were hit more often than chance allows; scope all. */
#define METRIC_CHEATING "handoff.cheating"

#endif
