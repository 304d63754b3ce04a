/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a watcher left in the kernel under a global name: tracefs instances and dynamic probes
 * (kprobe_events, uprobe_events). Everything else that it makes dies with its processes or with
 * the mount namespace that it runs in (struct process_spec): mounts, and what it pinned below
 * /sys/fs/bpf, which is an instance of its own.
 *
 * A list is taken before the watcher starts; what is there afterwards and was not before is
 * removed. A privileged cell has a kernel to itself (design.md), so nobody else's are met; who runs
 * other tracers beside loses what they make in the same seconds. Without tracefs, or the right to
 * read it, there is nothing to take or remove. Not thread-safe.
 */
#ifndef ASSAY_HARNESS_LEFTOVERS_H
#define ASSAY_HARNESS_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>

struct leftovers {
	char *probes;	 /* text of dynamic_events; NULL: cannot be read */
	char *instances; /* names, each ended by '\n'; NULL: cannot be read */
};

void leftovers_take(struct leftovers *ret);

/* Removes what is new; "2 tracefs instances, 1 probe", or "" if nothing was left. Frees l. */
void leftovers_remove(struct leftovers *l, char *ret, size_t len);

#endif
