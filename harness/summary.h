/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures over cells: what a run says of each profiler together, with intervals (contracts §5.8).
 *
 * They stand in scores.csv behind those of the cells, with "-" for the cell and 0 for the seed.
 * Scopes: all; class:X; form:F (base, mutant, twin; of base, a quad is a workload); bin:N.
 *
 * - quads.detection (all, class): share of the frozen witnessed quads that were found out: every
 *   stale resource, in every seed. Scope unwitnessed: of the other quads with a stale resource.
 * - quads.localisation: of the found, those in which the right descriptor was named.
 * - quads.kept (all): of the quads with a stale resource, those in which nothing was ever doubted;
 *   (mutants): the same of all mutants but NULL, also of those without a stale resource.
 * - quads.apart: of the witnessed quads whose twin is in the run, too, those in which more
 *   fell on the mutant than on the twin, finds and alarms alike; as much on both counts half. 0.5
 * is chance.
 * - quads.alarm (form, class:NULL): quads with a false alarm.
 * - quads.refused (form, class:NULL): under strict, in place of all others: quads in which every
 *   resource was refused in every seed. It must be all of them but base.
 * - quads.latency_ns, quads.latency_events: median over witnessed resources, by Kaplan and Meier;
 * of joiners alone, whose dates are checked.
 * - quads.never: how many of them were not found out (right-censored).
 * - quads.p_stale.brier, .skill: over the forecasts of all cells together.
 * - quads.p_stale.forecast, .observed (bin): the reliability diagram, 20 bins of equal mass.
 *
 * Workloads that turn ill are left out: what is said of them is a chapter of its own.
 *
 * Shares over quads have exact intervals; latencies, Brier, skill and the diagram's bands are
 * bootstrapped by class, quad and seed. The headline figures of the cells are given again as means
 * over the seeds of a row, with an interval over seeds; live rows bear their profiler's name with
 * " live" behind it. What could not run here or ran against no sound truth counts nowhere; what
 * crashed, hung or wrote nonsense counts as nothing claimed.
 *
 * Not thread-safe. The order and the bytes of what is written depend on what was added alone.
 */
#ifndef ASSAY_HARNESS_SUMMARY_H
#define ASSAY_HARNESS_SUMMARY_H

#include "harness/plan.h"
#include "results/run_dir.h"
#include "results/run_quads.h"
#include "results/scores_csv.h"
#include "scoring/score.h"

struct summary;

struct summary *summary_new(void); /* NULL: out of memory */
void summary_free(struct summary *s);

/* A figure of a cell; a cell's figures follow one another. c lives as long as the summary. -ENOMEM.
 */
int summary_add(struct summary *s, const struct cell *c, enum cell_state state,
		const struct score_figure *f);

/* Everything above to csv. run: its name. */
int summary_write(struct summary *s, const struct run_quads *quads, const char *run,
		  struct scores_csv *csv, struct diag *d);

#endif
