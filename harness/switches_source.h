/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the harness's context switches come from: what a source does, and what it hands on. */
#ifndef ASSAY_HARNESS_SWITCHES_SOURCE_H
#define ASSAY_HARNESS_SWITCHES_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "groundtruth/timeline.h"
#include "groundtruth/wakes.h"

struct switches;

struct switch_source {
	/* Negative errno: why not all wake-ups were seen, once it has stopped. -EAGAIN: some whose
	 * waker is in doubt; -EOPNOTSUPP: this source sees none. */
	int (*no_wakes)(const void *state);
	/* Wake-ups are seen where they can be, if at all. Negative errno: nothing is held. */
	int (*open)(pid_t pid, bool wakes, void **ret);
	/* What is new, in any order; called by one thread at a time. */
	void (*drain)(void *state, struct switches *to);
	void (*stop)(void *state); /* no more from here on: the next drain is the last */
	void (*close)(void *state);
};

extern const struct switch_source switches_bpf, switches_perf;

/* From within a drain. Thread 0 is nobody's. */
void switches_add(struct switches *to, struct timeline_switch s);
void switches_add_wake(struct switches *to, const struct wake *w);
void switches_lost(struct switches *to);
void switches_lost_wakes(struct switches *to);

#endif
