/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Learning the kernel's names of things that a workload knows by number (contracts §2, keys).
 *
 * A program whose key space is `work` has work items of the kernel's, which it cannot see. Told to
 * (--calibrate), it stops, then shows each of them CALIBRATION_SHOWN times in the order of their
 * numbers, one act after another, on its main thread, and stops again. In between the kernel's
 * tracepoint workqueue_queue_work says which struct work_struct each act queued. If anything but
 * runs of exactly so many hits is seen, nothing is learned: a wrong name would be worse than none.
 */
#ifndef ASSAY_HARNESS_CALIBRATION_H
#define ASSAY_HARNESS_CALIBRATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/diag.h"

enum { CALIBRATION_SHOWN = 23, CALIBRATION_MOST = 256 };

struct calibration;

/* Watches the main thread of a stopped process. -EACCES, -ENOENT and the like where the kernel or
 * our rights do not allow it. */
int calibration_open(pid_t pid, struct calibration **ret, struct diag *d);

/* Once it has stopped again: addresses by number, from 1 at ret[0], at most CALIBRATION_MOST.
 * -EINVAL where what was seen is not exactly what was to be shown. */
int calibration_read(struct calibration *c, uint64_t ret[CALIBRATION_MOST], size_t *ret_cnt,
		     struct diag *d);
void calibration_free(struct calibration *c); /* NULL is fine */

/* The same from a list of hits in their order: who queued what; exposed for tests. */
struct calibration_hit {
	uint64_t work, function;
};
int calibration_runs(const struct calibration_hit *v, size_t cnt, uint64_t ret[CALIBRATION_MOST],
		     size_t *ret_cnt, struct diag *d);

#endif
