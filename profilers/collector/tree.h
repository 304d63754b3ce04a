/* SPDX-License-Identifier: BSD-2-Clause */
/* The process tree that exists, read from /proc. */
#ifndef ASSAY_PROFILERS_COLLECTOR_TREE_H
#define ASSAY_PROFILERS_COLLECTOR_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Called for a process of the tree, parents first; negative stops the walk and is returned. */
typedef int tree_fn(void *arg, uint32_t pid);

/* -ESRCH: the root does not exist. Children that vanish meanwhile are skipped. */
int tree_walk(uint32_t root, tree_fn *fn, void *arg);

/* What a thread has used of CPUs in its life, by the kernel's account (its schedstat). */
struct tree_cpu {
	uint32_t tid;
	bool is_kernel; /* an io worker or the like */
	uint64_t ran_ns;
};
typedef int tree_cpu_fn(void *arg, uint32_t pid, const struct tree_cpu *t);

/* The threads of a process that do not exit yet; none where it is gone, or the kernel does not
 * tell. What fn returns but 0 ends it and is returned. */
int tree_cpu(uint32_t pid, tree_cpu_fn *fn, void *arg);

/* Threads, and open ring descriptors, of a process; 0 where it cannot be read. */
uint32_t tree_threads(uint32_t pid);
uint32_t tree_rings(uint32_t pid);

#endif
