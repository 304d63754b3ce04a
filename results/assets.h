/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of this folder that travel inside the binary, so that a report needs nothing beside it:
 * the page's style sheet and the plots' gnuplot scripts. NUL-terminated, constant.
 */
#ifndef ASSAY_RESULTS_ASSETS_H
#define ASSAY_RESULTS_ASSETS_H

extern const char asset_report_css[];
extern const char asset_precision_recall_gp[];
extern const char asset_outcomes_gp[];
extern const char asset_reliability_gp[];
extern const char asset_frontier_gp[];

#endif
