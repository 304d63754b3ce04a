/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of report.html. Each function writes one section to page->f and returns 0, or -ENOMEM;
 * write errors are seen when the file is committed. All text from outside goes through text_html.
 */
#ifndef ASSAY_RESULTS_PAGE_H
#define ASSAY_RESULTS_PAGE_H

#include <stdio.h>

#include "results/figures.h"
#include "results/plots.h"
#include "results/view.h"

struct acceptance;
struct stale_view;

struct page {
	FILE *f;
	struct view *v;
	const struct plots *plots;
	const struct acceptance *acceptance;
};

int page_headline(struct page *p); /* what ran, where, when; then the verdicts */
int page_verdicts(struct page *p); /* a sentence a profiler; checks */
int page_scores(struct page *p);   /* per workload: plots, context and identity tables */
int page_details(struct page *p, const struct view_group *g); /* by type, mark, source */
int page_parts(struct page *p, const struct view_group *g);   /* the other chapters of a score */
int page_glance(struct page *p); /* F1 of every profiler on every workload */
int page_stale(struct page *p);	 /* stale contracts, where the run has variants */
int page_quads(struct page *p, const struct stale_view *x); /* the part that goes quad by quad */
int page_diagnosis(struct page *p);			    /* what ails, and who says so */
int page_acceptance(struct page *p);			    /* acceptance cases: who was right */
int page_loss(struct page *p);	  /* the same recordings with records taken away */
int page_hard(struct page *p);	  /* regimes that apply while a cell runs, candidates */
int page_cost(struct page *p);	  /* what watching costs, where the run measured it */
int page_reading(struct page *p); /* how to read a figure, a line each */
int page_rest(struct page *p);	  /* figures that no other section shows; comes after them */
int page_run(struct page *p);	  /* cells, what was skipped, provenance */

void page_checks(struct page *p); /* what oracle, liar, null and the floors must score */

/* Shared pieces. */
void page_text(struct page *p, const char *s);
void page_group_name(struct page *p, const struct view_group *g);
void page_row_name(struct page *p, const struct view_row *row); /* a <th scope=row> */
/* Heading inside a table body where the division changes; columns: width of the table. */
void page_division(struct page *p, const struct view_row *row, size_t columns);
/* Every profiler of the plain groups once, in the order of print; the caller frees. NULL: -ENOMEM.
 */
const struct view_row **page_profilers(const struct view *v, size_t *ret_cnt);
bool page_has_variants(const struct view *v); /* so there is a section on stale contracts */
bool page_has_diagnoses(const struct view *v);
bool page_has_losses(const struct view *v);
bool page_has_costs(const struct view *v);
const char *division_title(const struct view_row *row);
size_t division_order(const struct view_row *row); /* from the least to the most intrusive */
bool same_division(const struct view_row *a, const struct view_row *b);

/* A <td>: the value or the range, an en dash for none; a ratio has a bar behind it. */
void page_span(struct page *p, const struct span *s, enum figure_kind kind);
/* The same with the share of all handoffs that it is about below it, where that is not 1. */
void page_span_of(struct page *p, const struct span *s, enum figure_kind kind,
		  const struct span *cover);

/* The table of every handoff figure: a row a profiler and scope; skip: length of the scopes' common
 * prefix, which is not printed. */
void page_full_table(struct page *p, const struct view_group *g, const char *level,
		     const char *const *scopes, size_t cnt, size_t skip);

/* A number in running text: 0 and 1 plain, ranges as a–b. */
void page_ratio(struct page *p, const struct span *s);
void page_count(struct page *p, double v);

#endif
