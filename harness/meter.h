/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run uses: CPU of the workload and of its watcher, each in a control group of its own, of
 * the kernel's own threads, and hits of BPF programs. Read at the moments of a trial, while the
 * workload stands still, so that reading costs nobody anything that counts.
 *
 * CPU of a group is cpu.stat of cgroup v2 (usage_usec; Documentation/admin-guide/cgroup-v2.rst),
 * which every group has, whether a controller is enabled or not. What a probe or a tracepoint costs
 * is charged to the thread that hits it, so it is in the workload's. Kernel threads are children
 * of kthreadd (pid 2); their CPU is the first word of /proc/PID/schedstat, machine-wide. Hits are
 * those of bpf_look.h, counted only while meter_count is on, and only the workload's own: what a
 * watcher's program costs the watcher is in the watcher's CPU. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_METER_H
#define ASSAY_HARNESS_METER_H

#include <stdbool.h>

#include "harness/trial.h"
#include "lib/diag.h"
#include "scoring/overhead.h"

struct meter;

/* -ENOTSUP: no cgroup v2 that can be written to, or a processor that is emulated. */
int meter_open(struct meter **ret, struct diag *d);
void meter_close(struct meter *m); /* fine on NULL */

/* Which processors workload and watcher may use in all runs to come: bit sets of the first 64, 0:
 * all. -EINVAL where none of them is there. */
int meter_pin(struct meter *m, uint64_t load_cpus, uint64_t watcher_cpus, struct diag *d);

/* For the next run; valid until the meter is closed. */
const struct trial_meter *meter_hook(struct meter *m);

/* Counts hits of BPF programs in the next runs, which costs some 100 ns each, and measures what
 * empty ones cost the first time that it is switched on. -EPERM and the like. */
int meter_count(struct meter *m, bool on, struct diag *d);

/* What the last run used; the fields that the meter knows. */
void meter_run(const struct meter *m, struct overhead_run *ret);
void meter_hits(const struct meter *m, struct overhead_hits ret[OVERHEAD_CLASS_CNT]);
void meter_seen(const struct meter *m, struct overhead_seen *ret);
/* Offsets in the workload's program that BPF programs are attached at; valid until the next run. */
size_t meter_sites(const struct meter *m, const uint64_t **ret);

#endif
