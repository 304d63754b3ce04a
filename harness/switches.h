/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context switches and wake-ups of a workload, recorded by the harness itself (contracts §2, CPU
 * per segment; §5.3, profiles).
 *
 * BPF programs of a few dozen instructions write them down, of the workload's process group; where
 * BPF is not permitted, perf does (dummy events with context_switch), which costs more and knows no
 * wake-ups. A thread of the harness looks twenty times a second while the workload runs. Where
 * neither is permitted, or something was lost, it is not known, and why. Times are CLOCK_MONOTONIC.
 *
 * Both take the moment at which the kernel has chosen the next thread, so a switch itself is time
 * of the thread switched to, as in the kernel's own account.
 */
#ifndef ASSAY_HARNESS_SWITCHES_H
#define ASSAY_HARNESS_SWITCHES_H

#include <sys/types.h>

#include "groundtruth/timeline.h"
#include "groundtruth/wakes.h"
#include "lib/diag.h"

struct switches;

/* Of a process that stands still and has one thread, and of its group; wake-ups only if asked for,
 * since they cost more than all the rest. -EACCES and the like: not permitted here. */
int switches_open(pid_t pid, bool wakes, struct switches **ret, struct diag *d);

/* Once it stands still again, or is gone: ends the watch, frees, and hands over what was seen, each
 * on its own. Of what is not known the pointer stays and its diag says why; -ENODATA: records were
 * lost. Of wake-ups that nobody asked for nothing is said. */
void switches_close(struct switches *s, struct timeline **ret, struct diag *d,
		    struct wakes **ret_wakes, struct diag *no_wakes);

#endif
