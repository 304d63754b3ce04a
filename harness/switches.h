/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Context switches of a workload, recorded by the harness itself (contracts §2, CPU per segment).
 *
 * One perf event a CPU that counts nothing and reports switches (dummy, context_switch), on
 * CLOCK_MONOTONIC: of all processes, or, with fewer rights, of this one and all that it starts. A
 * thread of the harness empties the rings while the workload runs. Where perf is not permitted, or
 * a record was lost, there is no timeline, and why.
 *
 * Added CPU of the workload, median of 10 pairs on a shared machine of two cores: 0.5 % on
 * `affine`, 1.3 % on `pipeline`, 5 % on `wake`, which does little else than switch; an event of one
 * process alone cost 0.4, 6.0 and 6.4 %.
 */
#ifndef ASSAY_HARNESS_SWITCHES_H
#define ASSAY_HARNESS_SWITCHES_H

#include <sys/types.h>

#include "groundtruth/timeline.h"
#include "lib/diag.h"

struct switches;

/* Of a process that stands still and has one thread. -EACCES and the like: not permitted here. */
int switches_open(pid_t pid, struct switches **ret, struct diag *d);

/* Once it stands still again, or is gone: ends the watch, frees, and hands over what was seen.
 * -ENODATA: records were lost. */
int switches_close(struct switches *s, struct timeline **ret, struct diag *d);

#endif
