/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truth of a variant: when its descriptors became invalid, and the first act that shows it.
 *
 * Both are read from the truth of the run itself: the logs are collected once to find them and once
 * more with them in the header. The same logs always give the same truth.
 */
#ifndef ASSAY_HARNESS_JUDGED_H
#define ASSAY_HARNESS_JUDGED_H

#include "groundtruth/collect.h"
#include "harness/trial.h"

/* channel_collect with the descriptors of the trial; its errors. */
int collect_judged(const struct channel *c, const struct trial_spec *s,
		   const struct collect_info *info, struct truth *ret, struct diag *d);

#endif
