/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context switches of a workload, recorded by the harness itself (contracts §2, CPU per segment).
 *
 * A BPF program of a few dozen instructions writes them down, of the workload's process group;
 * where BPF is not permitted, perf does (dummy events with context_switch), which costs more. A
 * thread of the harness looks ten times a second while the workload runs. Where neither is
 * permitted, or a switch was lost, there is no timeline, and why. Times are CLOCK_MONOTONIC.
 *
 * Both take the moment at which the kernel has chosen the next thread, so a switch itself is time
 * of the thread switched to, as in the kernel's own account.
 */
#ifndef ASSAY_HARNESS_SWITCHES_H
#define ASSAY_HARNESS_SWITCHES_H

#include <sys/types.h>

#include "groundtruth/timeline.h"
#include "lib/diag.h"

struct switches;

/* Of a process that stands still and has one thread, and of its group. -EACCES and the like: not
 * permitted here. */
int switches_open(pid_t pid, struct switches **ret, struct diag *d);

/* Once it stands still again, or is gone: ends the watch, frees, and hands over what was seen.
 * -ENODATA: records were lost. */
int switches_close(struct switches *s, struct timeline **ret, struct diag *d);

#endif
