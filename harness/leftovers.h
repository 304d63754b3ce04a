/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a watcher left in the kernel under a global name: tracefs instances and dynamic probes
 * (kprobe_events, uprobe_events). Everything else that it makes dies with its processes or with
 * the mount namespace that it runs in (struct process_spec): mounts, and what it pinned below
 * /sys/fs/bpf, which is an instance of its own.
 *
 * A list is taken before the watcher starts; what is there afterwards and was not before is
 * removed. Nothing there says who made it, so no two watchers whose leftovers are removed run at
 * once on a machine: from the one to the other tracefs is locked (flock(2) of its folder), and
 * taking waits until it is free, or a signal comes. Who runs tracers beside that are no assay's
 * loses what they make in the same seconds. Without tracefs, the right to read it, or the lock,
 * nothing is taken and nothing removed. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_LEFTOVERS_H
#define ASSAY_HARNESS_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct leftovers {
	char *probes;	    /* text of dynamic_events; NULL: cannot be read */
	char *instances;    /* names, each ended by '\n'; NULL: cannot be read */
	int lock;	    /* -1: there is none, and nothing is removed */
	uint64_t waited_ns; /* for others' ends */
};

/* Says on log_fd that it has to wait. */
void leftovers_take(struct leftovers *ret, int log_fd);

/* Removes what is new; "2 tracefs instances, 1 probe", or "" if nothing was left. Frees l. */
void leftovers_remove(struct leftovers *l, char *ret, size_t len);

#endif
