/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU that an operation costs: a spin of a known number of rounds.
 *
 * Calibrated once against CLOCK_MONOTONIC before the run; no clock is read while burning. The
 * fastest of many trials counts, since an interrupted trial only looks slower. So a burn is at
 * least as long as asked on an idle CPU, and longer where the CPU is shared with a sibling.
 */
#ifndef ASSAY_WORKLOADS_DRIVER_BURN_H
#define ASSAY_WORKLOADS_DRIVER_BURN_H

#include <stdint.h>

uint64_t burn_calibrate(void); /* rounds a microsecond; ≥ 1 */

/* The result depends on every round, so that no compiler drops one. */
uint64_t burn_rounds(uint64_t rounds);

#endif
