/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a training sees of a join: every check before it is judged, every belief as it comes up.
 *
 * None of it depends on thresholds but beliefs. A profiler that is under test has no trace.
 */
#ifndef ASSAY_PROFILERS_CAUSAL_TRACE_H
#define ASSAY_PROFILERS_CAUSAL_TRACE_H

#include <stdint.h>

#include "profilers/causal/rules.h"

struct causal_trace {
	void *arg;
	/* The fresh checks of a rule, and the share of records lost in their time. */
	void (*checks)(void *arg, const struct rule *r, enum test test, const struct suspicion *s,
		       double loss);
	/* A descriptor, by id, is believed to be so. */
	void (*believed)(void *arg, uint32_t id, enum belief belief, uint64_t t);
};

#endif
