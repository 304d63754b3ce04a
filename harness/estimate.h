/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a plan takes, before it is begun.
 *
 * By a formula over its cells whose constants were measured on two idle cores of a virtual machine
 * (Linux 6.18, November 2026), and corrected by what the newest finished run of this machine took.
 * What is waited for programs depends on how many objects earlier runs have left, and is less as
 * others are built beside recordings: estimated as if there were none of either, and not corrected,
 * so that it stays a bound. Seconds of wall time. Pure but for estimate_last, which reads files.
 */
#ifndef ASSAY_HARNESS_ESTIMATE_H
#define ASSAY_HARNESS_ESTIMATE_H

#include "harness/folder.h"
#include "harness/plan.h"
#include "harness/run.h"

/* processors: that build and join at once, at least 1. */
struct run_seconds estimate_plan(const struct plan *p, unsigned processors);

/* By how much running and joining that plan took longer than was estimated; 1 where a part was too
 * short to tell. programs: 0. */
struct run_seconds estimate_correction(const struct run_seconds *estimated,
				       const struct run_seconds *took);

/* The plan's, corrected by RESULTS/latest; *ret_run is its folder, "" where there is no finished
 * run or it has no part that tells. */
struct run_seconds estimate_last(const struct plan *p, unsigned processors, const char *results,
				 char ret_run[PATH_LEN]);

#endif
