/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures that reports know by name, and the line each that tells a newcomer how to read it.
 *
 * Sources: contracts §5.1 and C of §6. Whatever scores.csv holds beyond these is printed too, as
 * plain name and value. Constant tables; thread-safe.
 */
#ifndef ASSAY_RESULTS_FIGURES_H
#define ASSAY_RESULTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

struct figure {
	const char *name;  /* last part of the metric: "precision" of handoff.context.precision */
	const char *head;  /* of a column */
	const char *about; /* one sentence */
	bool ratio;	   /* 0…1; otherwise a count */
};

extern const struct figure handoff_figures[];
extern const size_t handoff_figure_cnt;

const struct figure *figure_find(const char *name); /* NULL: none */

enum { METRIC_LEN = 96 };

/* "handoff.LEVEL.NAME" into ret; returns ret. */
char *handoff_metric(char ret[static METRIC_LEN], const char *level, const char *name);

/* The share of truth's handoffs that are of declared types. */
#define METRIC_COVERAGE "coverage"

#endif
