/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of scores.csv, in order (contracts §6); shared by its writer and its reader. */
#ifndef ASSAY_RESULTS_SCORES_FIELDS_H
#define ASSAY_RESULTS_SCORES_FIELDS_H

enum scores_field {
	FIELD_RUN,
	FIELD_CELL,
	FIELD_WORKLOAD,
	FIELD_VARIANT,
	FIELD_PROFILER,
	FIELD_DIVISION,
	FIELD_REGIME,
	FIELD_BINDING,
	FIELD_SEED,
	FIELD_METRIC,
	FIELD_SCOPE,
	FIELD_VALUE,
	FIELD_LO,
	FIELD_HI,
	FIELD_N,
	FIELD_STATUS,
	SCORES_FIELD_CNT,
};

extern const char *const scores_field_names[SCORES_FIELD_CNT];

#endif
