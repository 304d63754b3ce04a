/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regimes that apply while a cell runs: what they mean for its trial, and the pressure that others
 * put on the machine meanwhile. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_REGIME_LIVE_H
#define ASSAY_HARNESS_REGIME_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/plan.h"
#include "harness/regime.h"

struct regime_live {
	/* For the watcher's environment, as process_spec.more. A profiler that has a buffer between
	 * kernel and user space makes it so small (man assay-profiler); who does not heed it is
	 * scored as it is. */
	char *more[2];
	uint64_t late_ns; /* from the workload's first stop to the watcher's start; 0: at once */
	bool pressure;
};

/* All zero for a regime that is none of them. */
struct regime_live regime_live(const struct regime *r, const struct cell *c);

struct pressure;

/* A child that never rests for each processor, and one that writes 16 MiB again and again and waits
 * for the disk each time, in this folder. NULL and *d: they cannot be started. */
struct pressure *pressure_start(const char *folder, struct diag *d);
/* Two that never rest for each processor, and nobody who writes. */
struct pressure *hogs_start(const char *folder, struct diag *d);
void pressure_stop(struct pressure *p); /* kills them all; fine on NULL */

#endif
